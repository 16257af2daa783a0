"""The task page's own submit: one request stores the summary, claims the next task and brings the parts of its page."""

import json
import re
import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Assignment, Claim, GuidelineVersion, Role, SourceDocument, SourceText
from annotation.services.tasks import claim, drafts
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
MOST_STATEMENTS = 17
TRANSACTION = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


@pytest.fixture
def project():
    return make_project(documents=3, groups=1, size=2, frozen=True)


@pytest.fixture
def writer(project):
    return make_people(1, project)[0]


def sign_in(person, **options) -> Client:
    client = Client(**options)
    client.force_login(person)
    return client


def claimed(project, person) -> Assignment:
    return claim.claim_next(project=project, annotator=person).assignment


def send(client, task_id, key: str = "", **more):
    body = {"payload": payload(), **more}
    headers = {"Idempotency-Key": key or str(uuid.uuid4())}
    return client.post(f"/tasks/{task_id}/submit/", json.dumps(body), content_type="application/json", headers=headers)


def test_the_next_sample_of_the_source_comes_without_the_source_again(project, writer):
    task = claimed(project, writer)
    answer = send(sign_in(writer), task.public_id)
    other = Assignment.objects.get(claim=task.claim_id, state="claimed")
    page = answer.json()["page"]
    assert answer.status_code == 201
    assert (page["task"]["id"], page["url"]) == (str(other.public_id), f"/tasks/{other.public_id}/")
    assert set(page["parts"]) == {"head"}
    assert page["words"] is None
    assert "Request 2 of 2 on this source" in page["parts"]["head"]
    assert Annotation.objects.get().assignment_id == task.pk


def test_the_place_among_the_requests_of_a_source_goes_on_over_its_claims():
    project = make_project("two-claims", documents=1, groups=2, size=2, frozen=True)
    (person,) = make_people(1, project, start=7)
    client, task_id = sign_in(person), claimed(project, person).public_id
    places = []
    for _task in range(3):
        page = send(client, task_id).json()["page"]
        task_id = page["task"]["id"]
        html = client.get(page["url"]).content.decode()
        places.append(re.search(r"Request \d of \d on this source", html)[0])
    assert places == [f"Request {place} on this source" for place in ("2 of 2", "3 of 4", "4 of 4")]


def test_the_next_source_comes_with_its_text(project, writer):
    client, task = sign_in(writer), claimed(project, writer)
    first = send(client, task.public_id).json()["page"]["task"]
    page = send(client, first["id"]).json()["page"]
    following = Assignment.objects.get(public_id=page["task"]["id"])
    assert following.state == "claimed"
    assert following.claim_id != task.claim_id
    assert page["task"]["document"]["segments"][0]["text"] in page["parts"]["source"]


def test_the_task_is_the_one_that_its_page_shows(project, writer):
    client, task = sign_in(writer), claimed(project, writer)
    page = send(client, task.public_id).json()["page"]
    html = client.get(page["url"]).content.decode()
    loaded = json.loads(html.split('<script id="task-data" type="application/json">')[1].split("</script>")[0])
    assert {**loaded, "lease_until": ""} == {**page["task"], "lease_until": ""}
    for name, value in page["parts"].items():
        assert "".join(value.split()) in "".join(html.split()), name


def record_time(task_id) -> Claim:
    """Active time on a task, as its page sends it; the claim that keeps it."""
    task = Assignment.objects.select_related("claim").get(public_id=task_id)
    seconds = {str(task.pk): {"write": 60.0}}
    task.claim.activity = {"at": "", "step": "write", "attempt": task.pk, "seconds": seconds}
    task.claim.save(update_fields=["activity"])
    return task.claim


@pytest.mark.parametrize("timed", [False, True], ids=["untimed", "timed"])
@pytest.mark.parametrize("unit", ["sample", "group"])
def test_a_task_costs_few_statements_whatever_was_done_before(project, writer, unit, timed):
    project.claim_unit = unit
    project.save()
    client, task_id = sign_in(writer), claimed(project, writer).public_id
    counts = []
    for _task in range(4):
        claim_of_task = record_time(task_id) if timed else None
        with CaptureQueriesContext(connection) as log:
            answer = send(client, task_id)
        task_id = answer.json()["page"]["task"]["id"]
        counts.append(sum(not row["sql"].startswith(TRANSACTION) for row in log.captured_queries))
        if claim_of_task is not None:
            claim_of_task.refresh_from_db()
            assert claim_of_task.activity["at"], "the submit is part of the record"
            assert unit == "group" or claim_of_task.closed_at is not None
    assert Annotation.objects.filter(timings__has_key="active_seconds").count() == (4 if timed else 0)
    assert max(counts) <= MOST_STATEMENTS, counts


def test_the_same_submit_again_brings_the_same_task(project, writer):
    client, task = sign_in(writer), claimed(project, writer)
    first, again = (send(client, task.public_id, key="same").json() for _time in range(2))
    assert first["page"]["task"]["id"] == again["page"]["task"]["id"]
    assert {name: first[name] for name in ("id", "revision", "next")} == {
        name: again[name] for name in ("id", "revision", "next")
    }
    assert Annotation.objects.count() == 1


def test_whoever_stops_is_given_no_task(project, writer):
    project.claim_unit = "sample"
    project.save()
    task = claimed(project, writer)
    answer = send(sign_in(writer), task.public_id, stop=True).json()
    assert answer["leave"] == f"/p/{project.slug}/work/?said=submitted"
    assert not Claim.objects.filter(closed_at=None).exists()


def test_without_another_task_the_reason_is_shown_on_my_work(writer):
    lonely = make_project("lonely", documents=1, groups=1, size=1, frozen=True)
    (person,) = make_people(1, lonely, start=5)
    task = claimed(lonely, person)
    client = sign_in(person)
    answer = send(client, task.public_id).json()
    assert answer["leave"] == "/p/lonely/work/?said=done"
    assert "Everything is written" in client.get(answer["leave"]).content.decode()


def test_a_new_guideline_is_confirmed_before_the_next_claim(project, writer):
    project.claim_unit = "sample"
    project.save()
    task = claimed(project, writer)
    GuidelineVersion.objects.create(project=project, number=2, text="# New")
    answer = send(sign_in(writer), task.public_id).json()
    assert answer["leave"] == f"/p/{project.slug}/gate/"
    assert Annotation.objects.count() == 1


def test_a_page_does_not_submit_over_the_text_of_another(project, writer):
    client, task = sign_in(writer), claimed(project, writer)
    drafts.save_draft(assignment=task, payload={"summary": "From another page."}, revision=0)
    refused = send(client, task.public_id, revision=0)
    assert (refused.status_code, refused.json()["code"]) == (409, "stale")
    assert refused.json()["theirs"]["summary"] == "From another page."
    assert not Annotation.objects.exists()
    assert send(client, task.public_id, revision=1).status_code == 201


def test_the_same_text_saved_by_another_page_is_no_conflict(project, writer):
    task = claimed(project, writer)
    drafts.save_draft(assignment=task, payload=payload(), revision=0)
    assert send(sign_in(writer), task.public_id, revision=0).status_code == 201


def test_others_and_strangers_are_refused_in_json(project, writer):
    task = claimed(project, writer)
    assert send(Client(), task.public_id).status_code == 403
    for number, role in enumerate(Role):
        (other,) = make_people(1, project, role, start=2 + number)
        forbidden, unknown = send(sign_in(other), task.public_id), send(sign_in(other), uuid.uuid4())
        assert forbidden.status_code == unknown.status_code == 404
        assert forbidden.json() == unknown.json()
    assert send(sign_in(writer, enforce_csrf_checks=True), task.public_id).status_code == 403
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("body", ["{}", '{"payload": []}', '{"payload": "text"}', '{"payload": null}'])
def test_what_is_missing_or_of_another_shape_is_named(project, writer, body):
    task = claimed(project, writer)
    answer = sign_in(writer).post(f"/tasks/{task.public_id}/submit/", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "payload"


def test_a_source_that_is_kept_rendered_follows_its_title_and_text(project, writer):
    client, task = sign_in(writer), claimed(project, writer)
    client.get(f"/tasks/{task.public_id}/")
    SourceDocument.objects.filter(pk=task.group.document_id).update(title="Another title")
    SourceText.objects.update(segments_json=json.dumps([{"text": "Another text."}]))
    html = client.get(f"/tasks/{task.public_id}/").content.decode()
    assert "Another title" in html.split("<main")[1].split("data-find")[0]
    assert 'dir="auto">Another text.</p>' in html

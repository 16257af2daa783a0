"""The annotator's calls over HTTP: answers, statuses, who may, and what they cost."""

import functools
import uuid

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Annotation, Membership, Role, Slot
from tests.tasks.factories import make_people, make_project, payload

pytestmark = [pytest.mark.django_db, pytest.mark.db_engine]
TOPIC = {"chosen": {"topic": [{"text": "topic 3", "candidate": "topic 3"}]}}
WRITTEN = {"page": "one", "typed": 7, "deleted": 0, "bursts": 1, "longest_burst": 7, "pastes": []}
SAMPLED = ("length", "extractiveness", "specificity")


def by_key(task):
    return {attribute["key"]: attribute for attribute in task["attributes"]}


def test_a_claim_shows_everything_needed_to_begin(call):
    project = make_project(documents=1)
    result = call(*make_people(1, project))
    answer = result.claim()
    task = answer.data_out
    assert answer.status_code == 201
    assert task["kind"] == "summary"
    assert task["page"] == f"/tasks/{task['id']}/"
    assert task["sample"] == {"id": "news-0#0"}
    assert (task["unit"]["index"], task["unit"]["count"]) == (1, 2)
    assert task["unit"]["assignments"][0] == {"id": task["id"], "state": "claimed"}
    assert len(task["document"]["segments"]) == 3
    assert task["draft"] == {"revision": 0, "payload": {}, "updated_at": None}
    assert {row["text"] for row in task["candidates"]["topic"]} == {f"topic {n}" for n in range(1, 21)}


def test_the_same_task_is_told_again_by_claim_and_by_its_own_address(call):
    project = make_project(documents=1)
    result = call(*make_people(1, project))
    first = result.claim()
    again = result.claim()
    read = result("GET", f"assignments/{first.data_out['id']}/")
    assert (again.status_code, read.status_code) == (200, 200)
    for item in (first, again, read):
        item.data_out.pop("lease_until")
    assert first.data_out == again.data_out == read.data_out


def test_candidates_are_shuffled_for_each_person_and_stay_so(call):
    project = make_project(documents=1, overlap=2)
    other_first, second = (call(person) for person in make_people(2, project))
    first = [row["text"] for row in other_first.claim().data_out["candidates"]["topic"]]
    assert first == [row["text"] for row in other_first.claim().data_out["candidates"]["topic"]]
    assert first != [row["text"] for row in second.claim().data_out["candidates"]["topic"]]
    assert first != sorted(first, key=lambda text: int(text.split()[1]))


def test_nothing_that_was_drawn_is_told_before_the_group_is_frozen(call):
    project = make_project(documents=1)
    result = call(*make_people(1, project))
    task = result.claim().data_out
    result("PUT", f"assignments/{task['id']}/draft/", {"revision": 0, "payload": {"summary": "x"}})
    for item in (task, result("GET", f"assignments/{task['id']}/").data_out):
        for key in SAMPLED:
            row = by_key(item)[key]
            seen = (row["value"], row["value_label"], row["band"], row["value_guide"], row["revealed"])
            assert seen == (None, "", None, "", False)
    data_out = result("POST", f"assignments/{task['id']}/choose/", TOPIC).data_out
    assert data_out["group"] == {**task["group"], "frozen": True, "chosen": {"topic": ["topic 3"]}}
    length = by_key(data_out)["length"]
    assert length["value"] == "short"
    assert length["band"]["of"] == "relevant_words"
    assert all(by_key(data_out)[key]["revealed"] for key in SAMPLED)


def test_a_dialogue_shows_its_speakers_in_order_of_appearance(call):
    project = make_project(documents=1, preset="macsum-dial", asks=("topic", "speaker"))
    result = call(*make_people(1, project))
    task = result.claim().data_out
    assert task["candidates"]["speaker"] == [{"text": name, "turns": 4, "words": 9} for name in ("Ann", "Bo", "Cy")]
    assert task["document"]["segments"][1] == {"speaker": "Bo", "text": "Turn 1 about the ferry and the storm."}


def test_the_whole_way_of_one_task(call):
    project = make_project(documents=1, groups=1, size=1)
    result = call(*make_people(1, project))
    task = result.claim().data_out["id"]
    assert result("POST", f"assignments/{task}/choose/", TOPIC).status_code == 200
    saved = result("PUT", f"assignments/{task}/draft/", {"revision": 0, "payload": {"summary": "x"}})
    assert (saved.status_code, saved.data_out["revision"]) == (200, 1)
    assert result("POST", f"assignments/{task}/heartbeat/").status_code == 200
    outcome = result.submit(task, payload())
    assert outcome.status_code == 201
    assert outcome.data_out["next"] is None
    assert str(Annotation.objects.get().public_id) == outcome.data_out["id"]
    nothing = result.claim()
    assert (nothing.status_code, nothing.content, nothing["X-Reason"]) == (204, b"", "done")


def test_the_next_task_of_the_claim_is_told(call):
    project = make_project(documents=1, groups=1, size=2, frozen=True)
    first = call(*make_people(1, project))
    task = first.claim().data_out
    other = task["unit"]["assignments"][1]["id"]
    assert first.submit(task["id"], payload()).data_out["next"] == f"/tasks/{other}/"
    skipped = first("POST", f"assignments/{other}/skip/", {"reason": "nothing_fits", "note": "really"})
    assert (skipped.status_code, skipped.data_out) == (200, {"next": None})


def test_a_stale_draft_shows_both_texts(call):
    project = make_project(documents=1, frozen=True)
    result = call(*make_people(1, project))
    path = f"assignments/{result.claim().data_out['id']}/draft/"
    result("PUT", path, {"revision": 0, "payload": {"summary": "first tab"}})
    stale = result("PUT", path, {"revision": 0, "payload": {"summary": "second tab"}})
    data_out = stale.data_out
    assert (stale.status_code, data_out["code"], data_out["revision"]) == (409, "stale", 1)
    assert (data_out["theirs"], data_out["mine"]) == ({"summary": "first tab"}, {"summary": "second tab"})


@pytest.mark.parametrize(
    ("method", "action", "body"),
    [
        ("PUT", "draft/", {"revision": 0, "payload": {"summary": "x"}}),
        ("POST", "choose/", {"chosen": {}}),
        ("POST", "heartbeat/", {}),
        ("POST", "skip/", {"reason": "nothing_fits"}),
        ("POST", "release/", {}),
        ("POST", "submit/", {"payload": payload()}),
    ],
)
def test_fields_that_do_not_exist_are_refused_by_name(call, method, action, body):
    result = call(*make_people(1, make_project(documents=1, frozen=True)))
    task = result.claim().data_out["id"]
    refused = result(method, f"assignments/{task}/{action}", {**body, "annotator": 1}, HTTP_IDEMPOTENCY_KEY="k" * 20)
    assert refused.status_code == 422
    assert [error["field"] for error in refused.data_out["errors"]] == ["annotator"]
    assert result("GET", f"assignments/{task}/").status_code == 200, "it is still theirs"


def test_what_is_missing_is_named(call):
    project = make_project(documents=1, frozen=True)
    result = call(*make_people(1, project))
    task = result.claim().data_out["id"]
    refused = result.submit(task, payload(title=" "))
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"
    assert refused.data_out["errors"][0]["field"] == "title"
    keyless = result("POST", f"assignments/{task}/submit/", {"payload": payload()})
    assert (keyless.status_code, keyless.data_out["errors"][0]["field"]) == (422, "Idempotency-Key")
    assert not Annotation.objects.exists()


CALLS = [
    ("GET", "", None),
    ("POST", "choose/", TOPIC),
    ("PUT", "draft/", {"revision": 0, "payload": {}}),
    ("POST", "submit/", {"payload": payload()}),
    ("POST", "skip/", {"reason": "other"}),
    ("POST", "heartbeat/", None),
    ("POST", "release/", {}),
]


@pytest.mark.parametrize(("verb", "path", "body"), CALLS)
def test_another_persons_task_is_not_there(call, verb, path, body):
    project = make_project(documents=1, overlap=2)
    first, second = (call(person) for person in make_people(2, project))
    task = first.claim().data_out["id"]
    theirs = second(verb, f"assignments/{task}/{path}", body, Idempotency_Key="k")
    nobodys = second(verb, f"assignments/{uuid.uuid4()}/{path}", body, Idempotency_Key="k")
    assert theirs.status_code == nobodys.status_code == 404
    assert theirs.content == nobodys.content


@pytest.mark.parametrize(("verb", "path", "body"), CALLS)
def test_who_is_no_annotator_any_more_has_no_tasks(call, verb, path, body):
    project = make_project(documents=1)
    (person,) = make_people(1, project)
    result = call(person)
    task = result.claim().data_out["id"]
    Membership.objects.filter(user=person).update(role=Role.REVIEWER)
    assert result(verb, f"assignments/{task}/{path}", body, Idempotency_Key="k").status_code == 404


@pytest.mark.parametrize("role", ["rater", "reviewer", "researcher", "admin"])
def test_only_annotators_claim(call, role):
    project = make_project()
    other = call(*make_people(1, project, role=Role(role)))
    assert other.claim().status_code == 404
    assert not Slot.objects.exclude(state="open").exists()


def test_nobody_claims_without_an_account(client):
    make_project()
    assert client.post("/api/v1/projects/news/assignments/claim/").status_code == 401


def statements(work):
    """What `work` returns, and how many statements it took but for the borders of its transaction."""
    with CaptureQueriesContext(connection) as log:
        answer = work()
    assert answer.status_code in (200, 201)
    return answer, len([row for row in log.captured_queries if not row["sql"].startswith(("BEGIN", "COMMIT"))])


def costs_of(one, slug):
    """Most statements of each call over some tasks: claim, first and later drafts, a sign of work, submit."""
    spent = {}

    def counted(name, *call, **more):
        answer, n = statements(functools.partial(*call, **more))
        spent[name] = max(spent.get(name, 0), n)
        return answer.data_out

    for turn in range(6):
        task = counted("claim", one.claim, slug)["id"]
        one("POST", f"assignments/{task}/choose/", TOPIC)
        for revision in range(3):
            draft = {"payload": {"summary": f"draft {revision}"}, "revision": revision, "step": "write"}
            counted("draft", one, "PUT", f"assignments/{task}/draft/", draft | {"authorship": {**WRITTEN}})
        counted("heartbeat", one, "POST", f"assignments/{task}/heartbeat/", {"step": "mark"})
        counted("submit", one.submit, task, payload(), f"k{turn}")
    return spent


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("by", ["token", "session"])
def test_calls_cost_few_statements_and_no_more_with_more_samples(call, by):
    costs = []
    for slug, documents in (("few", 2), ("many", 60)):
        project = make_project(slug, documents=documents, groups=4, overlap=2)
        (person,) = make_people(1, project, start=documents)
        result = call(person)
        if by == "session":
            result.client = Client()
            result.client.force_login(person)
            result.client.get("/")  # the first request of a session is on its own
        assert project.schema_version.schema  # read and parsed once per process
        costs.append(costs_of(result, slug))
    assert costs[0] == costs[1]
    assert costs[0]["claim"] <= 12
    assert costs[0]["draft"] <= 4
    assert costs[0]["heartbeat"] <= 4
    assert costs[0]["submit"] <= 11


@pytest.mark.django_db(transaction=True)
def test_one_submit_is_one_commit(call):
    project = make_project(documents=1, frozen=True)
    result = call(*make_people(1, project))
    task = result.claim().data_out["id"]
    with CaptureQueriesContext(connection) as log:
        assert result.submit(task, payload()).status_code == 201
    assert [row["sql"] for row in log.captured_queries].count("COMMIT") == 1

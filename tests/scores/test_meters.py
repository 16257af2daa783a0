"""Meters that a worker answers: for the writer only, where all are shown, one open at a time, no text kept."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.jobs.running import claim_job
from annotation.models import Job, JobState, Membership, Project, Role
from annotation.services.core.errors import Conflict
from annotation.services.core.retry import Overtaken
from annotation.services.tasks import live_meters
from annotation.services.tasks.claim import claim_next
from tests.tasks.conftest import Caller
from tests.tasks.factories import make_people, make_project, payload

pytestmark = pytest.mark.django_db
TURNS = [
    {"speaker": "Ann", "text": "The budget is gone."},
    {"speaker": "Bo", "text": "We need bridges."},
]


def make_task(preset="macsum-dial", asks=("topic", "speaker"), assistance="full", **given):
    segments = TURNS if preset == "macsum-dial" else None
    project = make_project(
        documents=1, frozen=True, preset=preset, asks=asks, assistance=assistance, segments=segments, **given
    )
    (person,) = make_people(1, project)
    return claim_next(project=project, annotator=person).assignment


@pytest.fixture
def task():
    return make_task()


@pytest.fixture
def one(task):
    return Caller(task.annotator)


def post(one, task, summary="The budget is gone.", revision=3):
    return one("POST", f"assignments/{task.public_id}/meters/", {"summary": summary, "revision": revision})


def read(one, task, job):
    return one("GET", f"assignments/{task.public_id}/meters/{job}/")


@pytest.mark.db_engine
def test_a_worker_answers_specificity_and_speaker_share(one, task, fake_tagger, work_off):
    answer = post(one, task)
    assert answer.status_code == 202
    assert answer.data_out["revision"] == 3
    assert answer.headers["Location"] == answer.data_out["status_url"]
    pending = one.client.get(answer.data_out["status_url"])
    assert (pending.status_code, pending.json()["state"], pending.json()["values"]) == (200, "pending", None)
    job = work_off(Job.objects.get(kind="meter"))
    assert job.queue == "text"
    data_out = read(one, task, answer.data_out["id"]).data_out
    assert (data_out["state"], data_out["revision"]) == ("done", 3)
    assert set(data_out["values"]) == {"specificity", "speaker"}
    # budget, gone and the full stop are left: three tokens, three nouns of the fake tagger, one sentence.
    assert data_out["values"]["specificity"]["value"] == pytest.approx(0.2 * 3 + 0.3 * 3)
    assert data_out["values"]["speaker"]["value"] == 1  # Ann, whom the group chose, said both words
    assert "fake@1" in data_out["values"]["specificity"]["signature"]


def test_what_is_not_asked_for_is_undefined_with_a_reason(fake_tagger, work_off):
    task = make_task(asks=("topic",))
    caller = Caller(task.annotator)
    job = post(caller, task).data_out["id"]
    work_off(Job.objects.get(kind="meter"))
    speaker = read(caller, task, job).data_out["values"]["speaker"]
    assert (speaker["value"], speaker["undefined"]) == (None, "no speaker requested")


def test_documents_have_no_speakers_to_ask_for(fake_tagger, work_off):
    task = make_task(preset="macsum-doc", asks=("topic",))
    caller = Caller(task.annotator)
    job = post(caller, task, "").data_out["id"]
    work_off(Job.objects.get(kind="meter"))
    values = read(caller, task, job).data_out["values"]
    assert {key: row["value"] for key, row in values.items()} == {"specificity": 0}  # an empty text is 0 by definition


def test_keywords_and_readability_are_asked_of_the_worker_too(fake_tagger, work_off):
    task = make_task(preset="ccsbench", asks=("keywords",))
    task.group.chosen = {"keywords": ["bridges", "harbour"]}
    task.group.save()
    caller = Caller(task.annotator)
    job = post(caller, task, "The bridge was opened.").data_out["id"]
    work_off(Job.objects.get(kind="meter"))
    values = read(caller, task, job).data_out["values"]
    assert values["keywords"]["value"] == 0.5  # "bridge" has the stem of "bridges"
    # 4 words, 1 sentence, 5 syllables (opened: 2): .39 * 4 + 11.8 * 5 / 4 - 15.59
    assert values["readability"]["value"] == pytest.approx(0.39 * 4 + 11.8 * 5 / 4 - 15.59)


@pytest.mark.db_engine
def test_the_text_goes_from_the_row_with_the_answer(one, task, fake_tagger, work_off):
    post(one, task, "A secret budget.")
    job = Job.objects.get(kind="meter")
    assert job.arguments["summary"] == "A secret budget."
    work_off(job)
    assert job.state == JobState.DONE
    assert "secret" not in str(Job.objects.filter(pk=job.pk).values().get())


@pytest.mark.db_engine
def test_a_newer_text_takes_the_place_of_the_waiting_one(one, task, fake_tagger, work_off):
    first = post(one, task, "The first words.", 1).data_out
    second = post(one, task, "The budget is gone now.", 2).data_out
    assert first["id"] == second["id"]
    assert Job.objects.filter(kind="meter").count() == 1
    assert read(one, task, first["id"]).data_out["revision"] == 2
    work_off(Job.objects.get(kind="meter"))
    data_out = read(one, task, first["id"]).data_out
    assert (data_out["revision"], data_out["values"]["speaker"]["value"]) == (2, 1)
    third = post(one, task, "Afterwards.", 3).data_out
    assert third["id"] != first["id"]


@pytest.mark.db_engine
def test_a_text_that_comes_while_another_is_measured_is_measured_too(one, task, fake_tagger, work_off, monkeypatch):
    post(one, task, "Bridges.", 1)
    measure = live_meters.measure_text
    items = []

    def and_type_on(arguments):
        items.append(arguments["summary"])
        if len(items) == 1:
            post(one, task, "The budget.", 2)
        return measure(arguments)

    monkeypatch.setattr(live_meters, "measure_text", and_type_on)
    job = work_off(Job.objects.get(kind="meter"))
    assert items == ["Bridges.", "The budget."]
    data_out = read(one, task, job.public_id).data_out
    assert (data_out["state"], data_out["revision"], data_out["values"]["speaker"]["value"]) == ("done", 2, 1)
    assert "summary" not in job.arguments


@pytest.mark.parametrize("assistance", ["minimal"])
def test_nobody_asks_where_only_words_and_ratio_are_shown(assistance):
    task = make_task(assistance=assistance)
    caller = Caller(task.annotator)
    refused = post(caller, task)
    assert refused.status_code == 404
    assert refused.content == caller("POST", f"assignments/{uuid.uuid4()}/meters/",
                                  {"summary": "x", "revision": 1}).content  # fmt: skip
    assert not Job.objects.exists()


def test_only_the_writer_asks_and_reads(one, task, fake_tagger):
    job = post(one, task).data_out["id"]
    project = task.project
    for role in Role:
        other = Caller(make_people(1, project, role=role, start=50)[0])
        assert post(other, task).status_code == 404
        assert read(other, task, job).status_code == 404
    Membership.objects.filter(user=task.annotator).delete()
    assert read(one, task, job).status_code == 404


def test_a_job_of_another_task_is_not_told(one, task, fake_tagger):
    (other,) = make_people(1, Project.objects.get(), start=9)
    Project.objects.update(overlap=1)
    theirs = claim_next(project=task.project, annotator=other).assignment
    job = post(Caller(other), theirs).data_out["id"]
    assert read(one, task, job).status_code == 404
    assert read(one, task, uuid.uuid4()).status_code == 404


def test_a_closed_task_is_a_conflict(one, task):
    assert one.submit(str(task.public_id), payload(relevant_segments=[0])).status_code == 201
    assert post(one, task).status_code == 409


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"summary": "x" * 100_001, "revision": 1}, "summary"),
        ({"summary": None, "revision": 1}, "summary"),
        ({"summary": "a\ud800b", "revision": 1}, "summary"),
        ({"summary": "x"}, "revision"),
        ({"summary": "x", "revision": -1}, "revision"),
        ({"summary": "x", "revision": 1, "title": "?"}, "title"),
    ],
)
def test_what_cannot_be_a_draft_is_refused(one, task, body, field):
    refused = one("POST", f"assignments/{task.public_id}/meters/", body)
    assert refused.status_code in (400, 422)
    assert not Job.objects.exists()
    if refused.status_code == 422:
        assert [row["field"] for row in refused.data_out["errors"]] == [field]


def test_what_breaks_is_told_gently_and_leaves_no_text(one, task, settings, work_off):
    settings.EPITOME_SPACY_PIPELINE = "no_such_pipeline"
    job = post(one, task, "A secret budget.").data_out["id"]
    row = work_off(Job.objects.get(kind="meter"))
    assert (row.state, "EPITOME_SPACY_PIPELINE" in row.error) == (JobState.FAILED, True)
    data_out = read(one, task, job).data_out
    assert (data_out["state"], data_out["values"]) == ("failed", None)
    assert "EPITOME" not in data_out["detail"]
    assert "secret" not in str(Job.objects.values().get())
    assert post(one, task).data_out["id"] != job


def test_a_crash_of_the_measure_is_tried_once_and_leaves_no_text(one, task, fake_tagger, monkeypatch, work_off):
    monkeypatch.setattr(fake_tagger, "tag", lambda batch: 1 / 0)
    job = post(one, task, "A secret budget.").data_out["id"]
    row = work_off(Job.objects.get(kind="meter"))
    assert (row.state, row.error) == (JobState.DEAD, "ZeroDivisionError: division by zero")
    assert read(one, task, job).data_out["state"] == "failed"
    assert "secret" not in str(Job.objects.values().get())


@pytest.mark.db_engine
def test_the_sweeper_deletes_after_an_hour_and_clears_what_died(one, task, fake_tagger, work_off):
    post(one, task)
    result = work_off(Job.objects.get(kind="meter"))
    post(one, task, "A secret.")
    dead = Job.objects.get(kind="meter", state="queued")
    Job.objects.filter(pk=dead.pk).update(state=JobState.DEAD)
    assert live_meters.clear_meters() == 0
    dead.refresh_from_db()
    assert dead.arguments == {}
    post(one, task, "Waiting.")
    Job.objects.filter(pk=result.pk).update(created_at=timezone.now() - live_meters.KEPT - timedelta(seconds=1))
    assert live_meters.clear_meters() == 1
    assert not Job.objects.filter(pk=result.pk).exists()
    Job.objects.update(created_at=timezone.now() - live_meters.KEPT - timedelta(seconds=1))
    assert live_meters.clear_meters() == 2
    assert not Job.objects.exists()


def test_a_worker_that_died_leaves_the_next_text_free_to_go(one, task, fake_tagger, work_off):
    job = post(one, task).data_out["id"]
    row = Job.objects.get(kind="meter")
    assert claim_job(row.pk) is not None
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    work_off(row)
    assert row.state == JobState.DEAD
    again = post(one, task).data_out["id"]
    assert again != job
    work_off(Job.objects.get(public_id=again))
    assert read(one, task, again).data_out["state"] == "done"


def test_no_list_of_jobs_shows_a_meter(one, task, client, fake_tagger):
    job = post(one, task).data_out["id"]
    (admin,) = make_people(1, task.project, role=Role.ADMIN)
    ask = Caller(admin)
    assert ask("GET", "projects/news/jobs/").data_out["count"] == 0
    assert ask("GET", f"jobs/{job}/").status_code == 404
    client.force_login(admin)
    for page in ("/", "/p/news/", "/p/news/jobs/"):
        answer = client.get(page)
        assert answer.status_code == 200
        assert job not in answer.content.decode()
        assert "meter" not in answer.content.decode()


def test_asking_costs_the_same_whatever_the_project(fake_tagger):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    spent = []
    for slug, documents in (("few", 1), ("many", 30)):
        project = make_project(slug, documents=documents, frozen=True, assistance="full")
        (person,) = make_people(1, project, start=project.pk)
        task = claim_next(project=project, annotator=person).assignment
        caller = Caller(person)
        with CaptureQueriesContext(connection) as seen:
            job = post(caller, task).data_out["id"]
        with CaptureQueriesContext(connection) as read_too:
            assert read(caller, task, job).status_code == 200
        spent.append((len(seen), len(read_too)))
    assert spent[0] == spent[1]


def test_who_was_overtaken_looks_again(task, monkeypatch):
    calls = []

    def overtaken_once(_job):
        calls.append(1)
        if len(calls) == 1:
            raise Overtaken

    monkeypatch.setattr(live_meters, "notify_workers", overtaken_once)
    assert live_meters.request_measurement(assignment=task, summary="x", revision=1).arguments["summary"] == "x"
    assert Job.objects.count() == 1


def test_always_overtaken_is_a_conflict_in_words(task, monkeypatch):
    def always(_job):
        raise Overtaken

    monkeypatch.setattr(live_meters, "notify_workers", always)
    with pytest.raises(Conflict):
        live_meters.request_measurement(assignment=task, summary="x", revision=1)

"""Calls and pages about scores, and that no call of the web process needs what only workers load."""

import sys

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Job
from annotation.services.scores import score_jobs, score_queries
from tests.api.world import build

pytestmark = pytest.mark.django_db
HEAVY = ("spacy", "thinc", "nltk", "sklearn", "scipy", "pandas")


@pytest.fixture
def world():
    return build()


def test_staff_read_the_scores_of_an_annotation(world, fake_tagger):
    path = f"annotations/{world.annotation.public_id}/scores/"
    caller = world.as_("reviewer")
    assert caller("GET", path).json_body["scores"] == []
    score_jobs.score_project(project=world.project)
    json_body = caller("GET", path).json_body
    assert (json_body["annotation"], json_body["profile"], json_body["eps_policy"]) == (
        str(world.annotation.public_id), "release", "release"
    )  # fmt: skip
    by = {row["measure"]: row for row in json_body["scores"]}
    assert list(by) == ["extractiveness", "length", "specificity", "topic"]
    assert (by["length"]["value"], by["length"]["undefined"]) == (11, "")  # four words and five, and two full stops
    assert by["topic"]["value"] == 0
    with CaptureQueriesContext(connection) as seen:
        caller("GET", path)
    assert len(seen) <= 6


def test_annotators_see_no_scores_not_even_their_own(world, fake_tagger):
    score_jobs.score_project(project=world.project)
    for who in ("annotator", "rater", "outsider"):
        assert world.as_(who)("GET", f"annotations/{world.annotation.public_id}/scores/").status_code == 404


def test_starting_twice_is_one_job(world, fake_tagger):
    caller = world.as_("researcher")
    first, second = (caller("POST", "projects/news/scores/") for _ in range(2))
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json_body == second.json_body
    assert Job.objects.filter(kind="score").count() == 1
    assert caller("GET", first.json_body["status_url"]).json_body["state"] == "queued"


def test_a_started_job_measures_and_a_later_one_is_another(world, fake_tagger, work_off):
    caller = world.as_("admin")
    first = caller("POST", "projects/news/scores/").json_body["id"]
    job = work_off(Job.objects.get(public_id=first))
    assert (job.state, job.result["annotations"]) == ("done", 1)
    assert len(score_queries.latest_scores(world.project)) == 1
    assert caller("POST", "projects/news/scores/").json_body["id"] != first


def test_the_job_has_a_name_in_the_list(world, client):
    score_jobs.start_scoring(project=world.project, by=world.people["admin"])
    client.force_login(world.people["admin"])
    assert "Measure summaries" in client.get("/p/news/jobs/").content.decode()


def test_no_call_needs_what_only_workers_load(world, fake_tagger, client, monkeypatch):
    """An import of one of the heavy libraries fails from here on."""
    monkeypatch.undo()  # the settings' own pipeline, whose name is read from its files
    score_jobs.start_scoring(project=world.project, by=None)
    for name in [name for name in sys.modules if name.split(".")[0] in HEAVY]:
        monkeypatch.delitem(sys.modules, name)
    for name in HEAVY:
        monkeypatch.setitem(sys.modules, name, None)
    annotator, admin = world.as_("annotator"), world.as_("admin")
    task = f"assignments/{world.task.public_id}/meters/"
    posted = annotator("POST", task, {"summary": "It met.", "revision": 1})
    answers = [
        posted,
        annotator("GET", posted.json_body["status_url"]),
        admin("GET", f"annotations/{world.annotation.public_id}/scores/"),
        admin("POST", "projects/news/scores/"),
        admin("GET", "projects/news/export/"),
    ]
    b"".join(answers[-1].streaming_content)
    assert [answer.status_code for answer in answers] == [202, 200, 200, 202, 200]
    assert "extractiveness:release" in str(score_queries.signatures_now(world.project))
    assert "en_epitome_sm" in str(score_queries.signatures_now(world.project))
    assert score_jobs.start_missing_scoring() == 1  # nor does the sweeper, which runs on workers of every queue

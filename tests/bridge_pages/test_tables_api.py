"""The tables of runs by API: a job computes them, and no request does."""

from unittest import mock

import pytest

from annotation.models import Job, Score
from evaluation.services.runs_compared import paper_tables, table_jobs
from tests.reports.stored_tables import read_tables, work_off_tables

pytestmark = pytest.mark.django_db
NEVER = mock.patch.object(paper_tables, "_compute_tables", side_effect=AssertionError("computed by the request"))


@pytest.fixture
def address(predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)
    return f"/api/v1/projects/runs/tables/?run={run.public_id}"


def jobs():
    return Job.objects.filter(kind=table_jobs.KIND)


def test_a_request_starts_one_job_and_says_when_to_ask_again(client, address):
    answer = client.get(address)
    assert (answer.status_code, answer.json()["code"]) == (409, "notcalculated") and not jobs().exists()
    with NEVER:
        answers = [client.post(address), client.post(address), client.get(address)]
    job = jobs().get()
    for answer in answers:
        assert answer.status_code == 202 and int(answer["Retry-After"]) > 0
        values = answer.json()
        assert (values["state"], values["stale"], values["tables"]) == ("queued", True, [])
        assert values["job"]["id"] == str(job.public_id)
    assert client.get(values["job"]["status_url"]).json()["state"] == "queued"
    work_off_tables()
    with NEVER:
        answers = [client.get(address), client.post(address)]
    for answer in answers:
        assert answer.status_code == 200 and "Retry-After" not in answer
        values = answer.json()
        assert (values["state"], values["stale"], values["job"]) == ("done", False, None) and values["computed_at"]
        assert "systems" in {table["key"] for table in values["tables"]}
    assert jobs().count() == 1


def test_tables_that_are_out_of_date_are_there_until_the_next_job_has_run(client, address):
    read_tables(client, address)
    Score.objects.filter(pk=Score.objects.order_by("-pk")[0].pk).delete()
    with NEVER:
        values = client.get(address).json()
        assert (values["state"], values["stale"], values["job"]) == ("done", True, None) and values["tables"]
        assert client.post(address).status_code == 202
        answer = client.get(address)
    assert (answer.status_code, answer.json()["state"]) == (200, "queued") and answer.json()["tables"]
    work_off_tables()
    assert client.get(address).json()["stale"] is False


def test_a_job_that_failed_is_said_and_can_be_started_again(client, address):
    client.post(address)
    jobs().update(state="failed")
    answer = client.get(address)
    assert (answer.status_code, answer.json()["code"]) == (409, "failed")
    assert client.post(address).status_code == 202
    assert client.get(address).status_code == 202 and jobs().count() == 2

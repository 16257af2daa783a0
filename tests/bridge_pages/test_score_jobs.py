"""The scores of runs: computed by a job, never while a browser waits."""

from unittest import mock

import pytest

from annotation.models import Job, Score
from evaluation.services.runs_compared import run_comparison, score_jobs
from tests.reports.stored_tables import compute_scores, work_off_tables

pytestmark = pytest.mark.django_db
NEVER = mock.patch.object(run_comparison, "_compute_comparison", side_effect=AssertionError("computed by the page"))


def pages_of(run):
    return f"/p/runs/runs/{run.public_id}/", f"/p/runs/runs/compare/?run={run.public_id}"


def start(client, run, query=""):
    return client.post(f"/p/runs/runs/scores/?run={run.public_id}{query}")


def test_the_pages_ask_for_the_table_and_do_not_compute_it(client, project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)
    with NEVER:
        for address in pages_of(run):
            page = client.get(address).content.decode()
            assert "data-auto" in page and "Not calculated yet." in page
            assert "Human summaries" not in page


def test_the_job_is_one_row_and_the_pages_show_its_progress_and_then_the_table(client, project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)
    own_value, compared = pages_of(run)
    assert start(client, run)["Location"] == own_value
    assert start(client, run, "&compare=1")["Location"] == compared
    assert Job.objects.filter(kind=score_jobs.KIND).count() == 1
    assert "The scores are being calculated." in client.get(own_value).content.decode()
    work_off_tables()
    with NEVER:
        for address in (own_value, compared):
            page = client.get(address).content.decode()
            assert "Human summaries" in page and "data-auto" not in page


def test_a_table_that_is_out_of_date_is_shown_and_said_to_be(client, project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)
    compute_scores(client, "runs", str(run.public_id))
    Score.objects.filter(pk=Score.objects.order_by("-pk")[0].pk).delete()
    with NEVER:
        page = client.get(pages_of(run)[0]).content.decode()
    assert "Out of date" in page and "Human summaries" in page and "data-auto" in page


def test_a_job_that_failed_is_not_started_again_by_the_page(client, project, predicted, tagger):
    run = predicted(lambda each: "The council met.", "short", tagger)
    start(client, run)
    Job.objects.filter(kind=score_jobs.KIND).update(state="failed")
    page = client.get(pages_of(run)[0]).content.decode()
    assert "data-auto" not in page and "Calculate" in page


def test_unknown_runs_start_nothing(client, project):
    assert client.post("/p/runs/runs/scores/?run=none").status_code == 404

"""Scores and tables of runs are calculated when a run has ended, before anybody looks."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.jobs import create_job
from annotation.models import Job
from evaluation.services.runs_compared.due_scores import start_due_scores
from modelbridge.models import Run, RunState
from tests.rounds.factories import make_run, project_with_gold

pytestmark = pytest.mark.django_db


@pytest.fixture
def run() -> Run:
    run = make_run(project_with_gold(), "lead")
    Run.objects.update(finished_at=timezone.now())
    return run


def list_kinds() -> list[str]:
    return sorted(Job.objects.filter(kind__in=["run-scores", "tables"]).values_list("kind", flat=True))


def test_a_run_that_ended_gets_its_scores_and_the_tables_once(run):
    assert start_due_scores() == 2
    assert list_kinds() == ["run-scores", "tables"]
    assert start_due_scores() == 0
    assert Job.objects.get(kind="run-scores").arguments["runs"] == str(run.pk)
    assert Job.objects.get(kind="tables").arguments["runs"] == [run.pk]


def test_nothing_is_calculated_before_its_texts_are_measured(run):
    create_job(kind="score", project=run.project, by=None)
    assert start_due_scores() == 0


def test_several_runs_are_waited_for_so_that_the_tables_are_calculated_once(run):
    other_run = make_run(run.project, "other")
    Run.objects.filter(pk=other_run.pk).update(state=RunState.RUNNING)
    assert start_due_scores() == 0

    Run.objects.filter(pk=other_run.pk).update(state=RunState.DONE, finished_at=timezone.now())
    assert start_due_scores() == 3
    assert list_kinds() == ["run-scores", "run-scores", "tables"]


def test_an_old_run_is_calculated_when_somebody_looks(run):
    Run.objects.update(finished_at=timezone.now() - timedelta(days=3))
    assert start_due_scores() == 0

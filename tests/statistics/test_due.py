"""Statistics are calculated once their data have come to rest: nobody needs to look for it, and nothing piles up."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.jobs import create_job
from annotation.models import Annotation, Job
from annotation.services.statistics import KIND
from annotation.services.statistics.due import start_due_statistics
from tests.statistics.test_page import work_off, written  # noqa: F401  a fixture

pytestmark = pytest.mark.django_db


def hand_in(ago):
    Annotation.objects.update(created_at=timezone.now() - ago)


def end_at(ago, *, lasted=timedelta(seconds=1)):
    """The last statistics ended so long ago."""
    ended = timezone.now() - ago
    Job.objects.filter(kind=KIND).update(started_at=ended - lasted, finished_at=ended)


def test_nothing_is_calculated_while_people_hand_in(written):  # noqa: F811
    hand_in(timedelta(seconds=5))
    assert start_due_statistics() == 0


def test_what_has_come_to_rest_is_calculated_once(written):  # noqa: F811
    hand_in(timedelta(minutes=2))
    assert start_due_statistics() == 1
    assert start_due_statistics() == 0, "one waits already"

    job = Job.objects.get(kind=KIND)
    assert (job.project, job.requested_by) == (written.project, None)
    assert work_off(job).state == "done"
    end_at(timedelta(hours=2))
    assert start_due_statistics() == 0, "nothing has changed"


def test_measuring_is_waited_for(written):  # noqa: F811
    hand_in(timedelta(minutes=2))
    create_job(kind="score", project=written.project, by=None)
    assert start_due_statistics() == 0


def make_stale(written):  # noqa: F811
    hand_in(timedelta(minutes=2))
    start_due_statistics()
    work_off(Job.objects.get(kind=KIND))
    written.summary(written.sample(written.group(0), "short", sampler="import"), 2)
    hand_in(timedelta(minutes=2))


def test_a_long_calculation_is_not_repeated_soon(written):  # noqa: F811
    make_stale(written)
    end_at(timedelta(minutes=5), lasted=timedelta(minutes=1))
    assert start_due_statistics() == 0
    end_at(timedelta(minutes=11), lasted=timedelta(minutes=1))
    assert start_due_statistics() == 1


def test_people_who_never_pause_get_new_ones_after_an_hour(written):  # noqa: F811
    make_stale(written)
    hand_in(timedelta(seconds=5))
    end_at(timedelta(minutes=50))
    assert start_due_statistics() == 0
    end_at(timedelta(minutes=61))
    assert start_due_statistics() == 1


def test_the_bar_of_the_statistics_counts(written):  # noqa: F811
    hand_in(timedelta(minutes=2))
    start_due_statistics()
    job = work_off(Job.objects.get(kind=KIND))
    assert job.progress_done == job.progress_total > 1

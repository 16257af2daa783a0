"""The overview tells how the writing goes on: day by day, with a forecast that says how sure it is."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Annotation, Role, Slot
from annotation.services.staff import counts_cache
from annotation.services.staff.forecast import forecast_completion
from annotation.services.staff.written_by_day import count_written_by_day, recent_by_person
from tests.inspection.factories import make_small_project, save_inspection, submit_summaries
from tests.rounds.factories import make_run
from tests.tasks.factories import make_people

TODAY = date(2026, 11, 22)


def days_before(*numbers: int) -> dict[date, int]:
    """Numbers of the days before today, yesterday's first."""
    return {TODAY - timedelta(days=back): n for back, n in enumerate(numbers, 1) if n}


def test_an_even_pace_has_one_day_as_its_forecast():
    forecast = forecast_completion(days_before(*[4] * 14), 10, TODAY)
    assert forecast.pace == 4
    assert forecast.earliest == forecast.done_on == forecast.latest == TODAY + timedelta(days=3)


def test_an_uneven_pace_has_an_interval_by_hand():
    forecast = forecast_completion(days_before(8, 0, 4, 0), 30, TODAY)
    # mean 3, standard deviation 3.829, of 4 days, times 1.2816: 2.454 -> 30/5.454 = 5.5, 30/3 = 10, 30/.546 = 54.9
    # (the oldest day that counts is the first with a summary, so the mean is that of three days)
    assert forecast.pace == 4
    assert forecast.done_on == TODAY + timedelta(days=8)
    assert forecast.earliest < forecast.done_on < forecast.latest


def test_today_is_not_over_and_does_not_lower_the_pace():
    assert forecast_completion({**days_before(2, 2, 2), TODAY: 0}, 4, TODAY).pace == 2


@pytest.mark.parametrize(
    ("written", "remaining"),
    [
        ({}, 5),
        (days_before(1, 1), 5),
        (days_before(3, 3, 3), 0),
        ({TODAY - timedelta(days=40): 9}, 5),
        (days_before(1, 0, 0, 1), 10**6),
    ],
    ids=["nothing", "two days", "all done", "long ago", "too far"],
)
def test_no_forecast_without_ground(written, remaining):
    assert forecast_completion(written, remaining, TODAY) is None


def test_an_end_that_may_never_come_is_open():
    assert forecast_completion(days_before(9, 0, 0, 0, 0, 0, 1), 50, TODAY).latest is None


@pytest.fixture
def written(db):
    """Three summaries on three days of two weeks, one of them inspected."""
    project, (annotator,), (reviewer, _other) = make_small_project()
    annotations = submit_summaries(project, annotator, 3)
    save_inspection(annotations[0], reviewer)
    for annotation, back in zip(annotations, (6, 4, 1), strict=True):
        moment = timezone.now() - timedelta(days=back)
        Annotation.objects.filter(pk=annotation.pk).update(created_at=moment)
    return project, annotator


def test_days_add_up_to_the_filled_slots_and_are_those_of_the_projects_zone(written):
    project, annotator = written
    project.timezone = "Pacific/Kiritimati"  # UTC+14
    late = datetime(2026, 11, 20, 11, 0, tzinfo=UTC)
    Annotation.objects.filter(project=project).update(created_at=late)
    by_day = count_written_by_day(project, TODAY)
    assert list(by_day.written) == [("2026-11-21", 3)]
    assert sum(n for _day, n in by_day.written) == Slot.objects.filter(project=project, state="filled").count()
    assert recent_by_person(by_day, TODAY) == {annotator.pk: [0] * 12 + [3, 0]}


def overview(project) -> str:
    (admin,) = make_people(1, project, Role.ADMIN, start=700 + project.memberships.count())
    client = Client()
    client.force_login(admin)
    return client.get(reverse("project", args=[project.slug])).content.decode()


def test_the_overview_shows_the_figure_the_pace_and_each_persons_days(written):
    project, _annotator = written
    page = overview(project)
    assert re.search(r"Done on \d+ \w+ \d{4} at this pace", page)
    assert "0.5 summaries a day over the last 6 days." in page
    assert re.search(r'<svg class="plot"[^>]*role="img"', page)
    assert re.search(r'aria-label="Per day, last 14 days: 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0"', page)


def test_a_project_without_summaries_has_no_figure(db):
    project, _annotators, _reviewers = make_small_project()
    assert 'class="plot"' not in overview(project)


def test_stored_counts_show_the_same_figure(written, monkeypatch):
    project, _annotator = written
    counted = counts_cache.counts_of(project).by_day
    monkeypatch.setattr(counts_cache, "LARGE", 1)
    counts_cache.refresh_counts()
    stored = counts_cache.counts_of(project).by_day
    assert stored == counted and stored.written


def test_the_second_lane_tells_of_systems_runs_and_rounds(written):
    project, _annotator = written
    assert "Measuring systems" not in overview(project)
    make_run(project, "lead-3")
    lane = overview(project).split("Measuring systems")[1].split("</ol>")[0]
    assert re.findall(r'class="stage">([^<]+)<', lane) == ["Systems", "Runs"]


def test_the_last_submission_is_told_in_the_projects_time(written):
    project, _annotator = written
    type(project).objects.filter(pk=project.pk).update(timezone="Pacific/Kiritimati")  # UTC+14
    Annotation.objects.filter(project=project).update(created_at=datetime(2026, 11, 20, 11, 0, tzinfo=UTC))
    assert re.search(r'<time datetime="2026-11-21T01:00:00\+14:00">21 Nov 01:00</time>', overview(project))

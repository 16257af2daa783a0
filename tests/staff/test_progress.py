"""The page of the progress: days, weeks, and the hours and the pay so far and to come, by hand values."""

import re
from datetime import UTC, date, datetime

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Annotation, Inspection, InspectionSample, Project, Role
from annotation.services.inspection import verdicts_by_day
from annotation.services.inspection.acceptance import count_acceptance, count_agreement
from annotation.services.inspection.verdicts_by_day import DayVerdicts, count_verdicts_by_day
from annotation.services.inspection.weekly_sample import week_of
from annotation.services.staff import counts_cache, ledger_daily
from annotation.services.staff.effort import RecordedTime, price_minutes
from annotation.services.staff.ledger_daily import LATER, Day
from annotation.services.staff.progress_weeks import MOST_WEEKS, sum_weeks
from annotation.services.staff.recorded_work import sum_minutes, sum_time
from annotation.views.staff import progress
from epitome.measures.shares import wilson_bounds
from tests.inspection.factories import WEEK, make_small_project, save_inspection, submit_summaries
from tests.tasks.factories import make_people

SUNDAY = date(2026, 11, 22)


def test_hours_to_come_are_the_measured_mean_times_what_is_left():
    recorded = RecordedTime(active=60, wall=30, n_active=5, n_wall=1, n_untimed=2)
    assert (recorded.minutes, recorded.minutes_each) == (90, 12)
    assert recorded.forecast_minutes(10) == 120
    assert price_minutes(120, 18) == 36


@pytest.mark.parametrize(
    ("recorded", "remaining", "so_far", "to_come"),
    [
        (RecordedTime(), 3, None, None),
        (RecordedTime(active=48, n_active=4), 3, 48, None),
        (RecordedTime(wall=300, n_wall=30), 3, 300, None),
        (RecordedTime(n_untimed=9), 0, None, 0),
        (RecordedTime(active=5, n_active=5), -1, 5, 0),
    ],
    ids=["nothing", "too few", "wall time only", "all done", "more than wanted"],
)
def test_hours_that_are_unknown(recorded, remaining, so_far, to_come):
    assert (recorded.minutes, recorded.forecast_minutes(remaining)) == (so_far, to_come)
    assert price_minutes(None, 18) is price_minutes(90, None) is None


def test_time_is_summed_without_skips_and_revisions_add_no_summary():
    monday, tuesday = date(2026, 11, 16), date(2026, 11, 17)
    days = [
        Day(monday, 1, "accepted", 4, active=1200, wall=600, n_wall=1, untimed=1),
        Day(tuesday, 1, LATER, 0, active=300),
        Day(tuesday, 2, "skipped", 7),
    ]
    assert sum_time(days) == RecordedTime(active=25, wall=10, n_active=2, n_wall=1, n_untimed=1)
    assert sum_minutes(days) == {monday: 30, tuesday: 5}


def test_weeks_by_hand():
    written = {date(2026, 11, 2): 2, date(2026, 11, 8): 1, date(2026, 11, 16): 4}
    verdicts = [DayVerdicts(date(2026, 11, 8), 2, 1, 1, 0), DayVerdicts(SUNDAY, 4, 4), DayVerdicts(date(2026, 1, 1), 9)]
    minutes = {date(2026, 11, 3): 30.0, date(2026, 11, 8): 15.0, date(2026, 10, 1): 60.0}
    newest, empty, oldest = sum_weeks(written, verdicts, minutes, SUNDAY)
    assert [week.monday.day for week in (newest, empty, oldest)] == [16, 9, 2]
    assert [(week.written, week.written_so_far) for week in (newest, empty, oldest)] == [(4, 7), (0, 3), (3, 3)]
    assert (newest.inspected, newest.accepted, newest.twice, newest.minutes) == (4, 4, 0, None)
    assert (oldest.inspected, oldest.accepted, oldest.twice, oldest.agreed, oldest.minutes) == (2, 1, 1, 0, 45)
    assert (empty.inspected, empty.minutes) == (0, None)


def test_there_are_only_so_many_weeks_and_the_first_ones_stay_in_the_sum():
    weeks = sum_weeks({date(2025, 1, 6): 5, SUNDAY: 1}, [], {}, SUNDAY)
    assert (len(weeks), weeks[0].written_so_far, weeks[-1].written_so_far) == (MOST_WEEKS, 6, 5)
    assert sum_weeks({}, [DayVerdicts(SUNDAY, 1)], {}, SUNDAY) == []


@pytest.mark.parametrize(("hits", "low", "high"), [(0, 0.0, 0.27753), (8, 0.49016, 0.94331), (10, 0.72247, 1.0)])
def test_a_share_of_ten_has_wilsons_interval(hits, low, high):
    assert wilson_bounds(hits, 10) == pytest.approx((low, high), abs=1e-5)


@pytest.fixture
def inspected(db):
    """Six summaries of two weeks; the first is accepted by both reviewers, the second by one of two, the third
    returned."""
    project, (annotator,), (first, second) = make_small_project(documents=3, groups=1, size=3)
    annotations = submit_summaries(project, annotator, 6)
    for place, annotation in enumerate(annotations):
        moment = datetime(2026, 11, 15 if place < 3 else 16, 11, 0, tzinfo=UTC)
        Annotation.objects.filter(pk=annotation.pk).update(created_at=moment, timings={"active_seconds": 600.0})
    for annotation in annotations[:2]:
        InspectionSample.objects.create(
            project=project, annotation=annotation, annotator=annotator, week=WEEK, seed="s", second=True
        )
    for annotation, reviewer, verdict in (
        (annotations[0], first, "accept"),
        (annotations[0], second, "accept"),
        (annotations[1], first, "accept"),
        (annotations[1], second, "reject"),
        (annotations[3], first, "revise"),
    ):
        save_inspection(annotation, reviewer, verdict=verdict)
    return project


@pytest.mark.db_engine
def test_verdicts_by_day_are_those_of_the_acceptance_page(inspected):
    days = count_verdicts_by_day(inspected)
    assert days == [
        DayVerdicts(date(2026, 11, 15), inspected=2, accepted=2, twice=2, agreed=1),
        DayVerdicts(date(2026, 11, 16), inspected=1),
    ]
    assert verdicts_by_day.from_json(verdicts_by_day.as_json(days)) == days
    tallies = {week: (tally.n, tally.accepted) for week, _who, tally in count_acceptance(inspected).rows}
    moments = [datetime(day.day.year, day.day.month, day.day.day, 12, tzinfo=UTC) for day in days]
    assert {week_of(at, inspected): (day.inspected, day.accepted) for at, day in zip(moments, days, strict=True)} == (
        tallies
    )
    assert (sum(day.agreed for day in days), sum(day.twice for day in days)) == count_agreement(inspected).overall


@pytest.mark.db_engine
def test_verdicts_fall_on_days_of_the_projects_zone(inspected):
    inspected.timezone = "Pacific/Kiritimati"  # UTC+14
    assert [day.day.day for day in count_verdicts_by_day(inspected)] == [16, 17]


def open_progress(project, role: Role = Role.ADMIN) -> str:
    (person,) = make_people(1, project, role, start=700)
    return read_progress(project, person)


def read_progress(project, person) -> str:
    client = Client()
    client.force_login(person)
    answer = client.get(reverse("progress", args=[project.slug]))
    assert answer.status_code == 200
    return answer.content.decode()


def read_rows(page: str, table: str) -> list[list[str]]:
    """The cells of a table's rows, in words."""
    body = page.split(f'id="t-{table}"')[1].split("<tbody>")[1].split("</tbody>")[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def test_hours_and_pay_so_far_and_to_come(inspected):
    Project.objects.filter(pk=inspected.pk).update(pay_per_hour=18, pay_currency="EUR", summary_minutes=12)
    page = open_progress(inspected)
    assert read_rows(page, "effort") == [
        ["So far", "6", "1.0", "18.00 EUR"],
        ["To come", "3", "0.5", "9.00 EUR"],
        ["Together", "9", "1.5", "27.00 EUR"],
    ]
    assert "for each that is left the mean active time so far (10.0 min, n = 6), with revisions" in page
    assert "The settings expect 12.0 min." in page


def test_hours_and_pay_that_are_unknown_say_why(inspected):
    Annotation.objects.filter(project=inspected).update(timings={"writing_seconds": 1800.0})
    page = open_progress(inspected)
    assert read_rows(page, "effort")[:2] == [["So far", "6", "3.0", "n/a"], ["To come", "3", "n/a", "n/a"]]
    assert "n/a: <bdi>the active time of too few was measured (fewer than 5), so the hours to come are unknown" in page
    assert "n/a: <bdi>no pay per hour is set in the project" in page
    assert "6 units have no active time: their minutes are wall time" in page


def test_weeks_are_listed_with_their_verdicts_and_drawn(inspected, monkeypatch):
    monkeypatch.setattr(progress, "project_today", lambda _project: SUNDAY)
    page = open_progress(inspected)
    newest, oldest = read_rows(page, "weeks")
    assert newest == ["16 Nov to 22 Nov 2026", "3", "6", "0 0–79 · n 1", "–", "0.5"]
    assert oldest == ["9 Nov to 15 Nov 2026", "3", "3", "100 34–100 · n 2", "50 9–91 · n 2", "0.5"]
    assert "9 Nov: 100 % n 2; 16 Nov: 0 % n 1" in page
    assert "Two reviewers gave the same verdict, by week" not in page  # of one week only
    days = read_rows(page, "days")
    assert (len(days), days[0]) == (14, ["22 Nov 2026", "0", "6", "66.7", "0"])
    assert days[6] == ["16 Nov 2026", "3", "6", "66.7", "0"]


def test_agreement_has_a_column_only_where_two_reviewers_inspected(inspected):
    assert "Reviewers agree, %" in open_progress(inspected)
    Inspection.objects.filter(second=True).delete()
    (admin,) = make_people(1, inspected, Role.ADMIN, start=850)
    assert "Reviewers agree" not in read_progress(inspected, admin)


def test_a_reviewer_sees_no_hours_and_no_pay(inspected):
    page = open_progress(inspected, Role.REVIEWER)
    assert read_rows(page, "weeks")
    assert "t-effort" not in page and "Hours" not in page and "/ledger/" not in page


def test_a_large_projects_page_reads_what_the_worker_stored(inspected, monkeypatch):
    (admin,) = make_people(1, inspected, Role.ADMIN, start=800)
    counted = read_progress(inspected, admin)
    monkeypatch.setattr(counts_cache, "LARGE", 1)
    assert counts_cache.refresh_counts() >= 1
    monkeypatch.setattr(ledger_daily, "count_days", None)  # nothing is counted now
    monkeypatch.setattr(verdicts_by_day, "count_verdicts_by_day", None)
    stored = read_progress(inspected, admin)
    assert [read_rows(stored, name) for name in ("days", "weeks", "effort")] == [
        read_rows(counted, name) for name in ("days", "weeks", "effort")
    ]


def test_before_the_first_summary_there_is_nothing_to_show(db):
    project, _annotators, _reviewers = make_small_project()
    assert "Nothing written yet" in open_progress(project)


def test_the_overview_leads_there(inspected):
    (admin,) = make_people(1, inspected, Role.ADMIN, start=900)
    client = Client()
    client.force_login(admin)
    page = client.get(reverse("project", args=[inspected.slug])).content.decode()
    assert f'<a href="{reverse("progress", args=[inspected.slug])}">Days, weeks and hours</a>' in page

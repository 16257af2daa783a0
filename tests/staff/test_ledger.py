"""The ledger: whose units fall into which days, and a file no spreadsheet runs."""

import csv
import io
from datetime import date, datetime

import pytest
from django.contrib.auth.models import User

from annotation.models import Annotation, Assignment
from annotation.services.core.pseudonyms import compute_pseudonym
from annotation.services.staff import counts_cache, ledger, ledger_daily
from annotation.services.staff.release_and_void import Period

pytestmark = pytest.mark.django_db
MARCH = Period(date(2026, 3, 1), date(2026, 3, 31))


def at(task: Assignment, moment: str, **timings: float) -> None:
    Annotation.objects.filter(assignment=task).update(created_at=datetime.fromisoformat(moment), timings=timings)


@pytest.fixture
def march(staff):
    """Of annotator1: 10 active minutes on 1 March in Tokyo, 5 wall minutes accepted on 31 March, one in April there;
    one skip. Of annotator2: one rejected without a time."""
    staff.project.timezone = "Asia/Tokyo"
    staff.project.save()
    first, second, third = staff.write(staff.one, 3)
    at(first, "2026-02-28T15:00:00+00:00", active_seconds=600.0, seconds=9000.0)
    at(second, "2026-03-31T14:59:59+00:00", writing_seconds=300.0, seconds=9000.0)
    at(third, "2026-03-31T15:00:00+00:00", active_seconds=60.0)
    Assignment.objects.filter(pk=second.pk).update(state="accepted")
    (remaining,) = staff.skip(staff.one)
    Assignment.objects.filter(pk=remaining.pk).update(finished_at=datetime.fromisoformat("2026-03-10T12:00:00+00:00"))
    (other,) = staff.write(staff.two)
    at(other, "2026-03-10T12:00:00+00:00")
    Assignment.objects.filter(pk=other.pk).update(state="rejected")
    return staff


def test_days_are_those_of_the_projects_zone(march):
    other_ledger = ledger.build_ledger(march.project, MARCH)

    first, second = other_ledger["", march.one.pk], other_ledger["", march.two.pk]
    assert (first.units, first.minutes, first.wall, first.accepted, first.skipped) == (2, 15.0, 1, 1, 1)
    assert (second.units, second.untimed, second.rejected, second.skipped) == (1, 1, 1, 0)


def test_per_month_and_per_week(march):
    months = ledger.build_ledger(march.project, Period(), "month")
    assert {when: line.units for (when, who), line in months.items() if who == march.one.pk} == {
        "2026-03": 2,
        "2026-04": 1,
    }
    weeks = {when for when, _who in ledger.build_ledger(march.project, Period(), "week")}
    assert weeks == {"2026-W09", "2026-W11", "2026-W14"}  # 1 March 2026 is a Sunday


def test_a_revision_adds_its_active_minutes_on_its_own_day(march):
    first = Annotation.objects.filter(assignment__annotator=march.one).order_by("pk")[0]
    Annotation.objects.create(
        project=march.project, sample=first.sample, assignment=first.assignment, revision=2, payload={},
        schema_version=first.schema_version, idempotency_key="r2", timings={"active_seconds": 120.0, "seconds": 9e5},
        created_at=datetime.fromisoformat("2026-03-20T12:00:00+00:00"),
    )  # fmt: skip
    other_ledger = ledger.build_ledger(march.project, MARCH)["", march.one.pk]
    assert (other_ledger.units, other_ledger.minutes, other_ledger.wall) == (2, 17.0, 1)


def test_a_large_projects_ledger_is_added_up_from_what_the_worker_stored(march, monkeypatch):
    live = {per: ledger.build_ledger(march.project, MARCH, per) for per in ledger.PER}
    monkeypatch.setattr(counts_cache, "LARGE", 1)
    assert counts_cache.refresh_counts() >= 1
    monkeypatch.setattr(ledger_daily, "count_days", None)  # nothing is counted now
    assert {per: ledger.build_ledger(march.project, MARCH, per) for per in ledger.PER} == live
    assert ledger.build_ledger(march.project, Period(date(2027, 1, 1))) == {}


def test_void_work_is_paid_to_nobody(march):
    Assignment.objects.filter(annotator=march.one, state__in=["submitted", "accepted"]).update(state="void")
    assert march.one.pk not in {
        who for (_when, who), line in ledger.build_ledger(march.project, MARCH).items() if line.units
    }


def test_the_file_names_pseudonyms_unless_asked_otherwise(march):
    User.objects.filter(pk=march.one.pk).update(username="=HYPERLINK(1)")
    text = "?since=2026-03-01&until=2026-03-31"
    answer = march.client.get(march.url("ledger/file/") + text)
    response = march.client.get(march.url("ledger/file/") + text + "&names=usernames")

    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    mine = next(row for row in rows if row["Units"] == "2")
    assert mine["Person"] == compute_pseudonym(salt=march.project.export_salt, user_id=march.one.pk)
    assert (mine["Minutes"], mine["Accepted"], mine["Skipped"]) == ("15", "1", "1")
    assert "annotator" not in answer.content.decode() and "attachment" in answer["Content-Disposition"]
    assert "'=HYPERLINK(1)" in response.content.decode()
    assert next(row for row in rows if row["Units"] == "1")["Minutes"].startswith("n/a")


def test_the_page_says_what_wall_time_is_and_refuses_nonsense(march):
    page = march.client.get(march.url("ledger/?since=2026-03-01&until=2026-03-31")).content.decode()
    assert "1 unit has no active time" in page and "ledger/file/?since=2026-03-01" in page
    for wrong in ("?since=2026-03-31&until=2026-03-01", "?per=year", "?until=9999-12-31", "?since=x"):
        assert march.client.get(march.url("ledger/") + wrong).status_code == 400

"""Counts and days that are kept: a write that commits late is seen, and what an earlier version stored is not read."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from annotation.models import Annotation, SourceDocument, StoredCounts
from annotation.services.core import list_pages
from annotation.services.sources import damaged
from annotation.services.staff import counts_cache, ledger, ledger_daily
from annotation.services.staff.ledger_daily import Day
from annotation.services.staff.release_and_void import Period
from annotation.services.tasks import submit
from tests.staff.conftest import Staff, make_staff
from tests.tasks.factories import payload

pytestmark = pytest.mark.db_engine
on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="on SQLite one transaction writes at a time: none commits late"
)


@pytest.fixture
def large(db, monkeypatch) -> Staff:
    """A project whose counts and days are stored, and are never used unless they are exact."""
    monkeypatch.setattr(counts_cache, "LARGE", 1)
    monkeypatch.setattr(counts_cache, "FRESH", timedelta(0))
    monkeypatch.setattr(list_pages, "LARGE", 1)
    return make_staff()


@contextmanager
def commits_late(write: Callable[[], object]) -> Iterator[None]:
    """Write in a transaction of another connection, which commits at the end of the block."""
    is_written, may_commit = threading.Event(), threading.Event()

    def write_and_wait() -> None:
        with transaction.atomic():
            write()
            is_written.set()
            may_commit.wait(20)
        connection.close()

    thread = threading.Thread(target=write_and_wait)
    thread.start()
    assert is_written.wait(20)
    yield
    may_commit.set()
    thread.join(20)
    assert not thread.is_alive()


def count_paid(staff: Staff) -> int:
    return sum(line.units for line in ledger.build_ledger(staff.project, Period()).values())


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_counts_are_counted_again_after_a_source_that_was_flagged_late(large):
    early, late = SourceDocument.objects.filter(project=large.project).order_by("pk")[:2]
    with commits_late(lambda: damaged.flag_damaged(document=late, reason="cut", by=large.admin)):
        damaged.flag_damaged(document=early, reason="cut", by=large.admin)
        assert counts_cache.refresh_counts() == 1
        assert counts_cache.counts_of(large.project).pipeline.damaged == 1
    assert counts_cache.counts_of(large.project).pipeline.damaged == 2


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_the_ledger_pays_a_summary_that_was_submitted_late(large):
    early, late = large.claim(large.one), large.claim(large.two)
    rows = Annotation.objects.filter(project=large.project)
    with commits_late(lambda: submit.submit_task(assignment=late, payload=payload(), idempotency_key="late")):
        submit.submit_task(assignment=early, payload=payload(), idempotency_key="early")
        assert counts_cache.refresh_counts() == 1
        assert (count_paid(large), list_pages.count_rows(rows, large.project)) == (1, 1)
    assert (count_paid(large), list_pages.count_rows(rows, large.project)) == (2, 2)
    assert counts_cache.recorded_work_of(large.project).time.n_wall == 2
    assert counts_cache.refresh_counts() == 1
    assert counts_cache.refresh_counts() == 0


@pytest.mark.django_db
def test_claims_accounts_and_extracted_sources_are_counted_although_they_leave_no_event(large):
    counts_cache.refresh_counts()
    large.claim(large.one)
    assert counts_cache.counts_of(large.project).pipeline.taken == 1
    User.objects.filter(pk=large.two.pk).update(is_active=False)
    assert counts_cache.counts_of(large.project).pipeline.annotators == 1
    SourceDocument.objects.filter(project=large.project).update(extractor="yake@1")
    assert counts_cache.counts_of(large.project).pipeline.to_extract == 0


@pytest.mark.django_db
def test_what_was_stored_under_another_layout_is_counted_anew(large, monkeypatch):
    large.write(large.one, 2)
    monkeypatch.setattr(counts_cache, "FRESH", timedelta(hours=1))
    assert counts_cache.refresh_counts() == 1
    expected = counts_cache.counts_of(large.project), count_paid(large), counts_cache.recorded_work_of(large.project)
    stored = StoredCounts.objects.get()
    fewer = {**counts_cache.LAYOUT, "Day": counts_cache.LAYOUT["Day"][:-1]}
    stored.counts |= {"layout": fewer, "unfillable": 99}
    rows = [row[:-1] for row in stored.ledger["days"]]
    stored.ledger |= {"layout": fewer, "days": rows, "work": {**stored.ledger["work"], "layout": fewer, "minutes": {}}}
    stored.save()
    assert count_paid(large) == 2
    assert counts_cache.recorded_work_of(large.project) == expected[2]
    assert counts_cache.refresh_counts() == 1
    assert counts_cache.counts_of(large.project).unfillable == expected[0].unfillable
    monkeypatch.setattr(ledger_daily, "count_days", None)  # stored again
    assert count_paid(large) == 2


@pytest.mark.django_db
def test_the_worker_stores_the_ledger_although_a_page_stored_the_counts(large, monkeypatch):
    large.write(large.one, 2)
    counts_cache.counts_of(large.project)
    assert not StoredCounts.objects.get().ledger
    assert counts_cache.refresh_counts() == 1
    monkeypatch.setattr(ledger_daily, "count_days", None)  # stored from now on
    assert count_paid(large) == 2
    assert counts_cache.refresh_counts() == 0


@pytest.mark.django_db
def test_the_stored_layout_names_every_field_in_the_order_of_the_rows(large):
    large.write(large.one)
    counts_cache.refresh_counts()
    ledger_json = StoredCounts.objects.get().ledger
    (row,) = ledger_json["days"]
    by_key = dict(zip(ledger_json["layout"]["Day"], row, strict=True))
    assert ledger_daily.count_days(large.project) == [Day(**{**by_key, "day": date.fromisoformat(by_key["day"])})]
    assert (by_key["n"], by_key["n_wall"]) == (1, 1)

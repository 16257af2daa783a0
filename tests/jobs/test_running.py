"""A job is done once, whatever stops the worker; how it went stands on its row."""

import errno
import threading
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.db.models import F
from django.utils import timezone

from annotation import jobs, tasks
from annotation.extension_points import ExtensionPoint
from annotation.jobs import registry, renewing
from annotation.jobs.running import claim_job
from annotation.models import Job, JobState

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]


@pytest.fixture
def kinds(monkeypatch):
    """An empty register of handlers, filled by the test."""
    known = ExtensionPoint("job handlers", key=lambda handler: handler.kind)
    monkeypatch.setattr(registry, "HANDLERS", known)
    for module in ("creating", "priorities", "running"):
        monkeypatch.setattr(f"annotation.jobs.{module}.HANDLERS", known)
    return known


def add(kinds, kind, work):
    kinds.register(registry.Handler(kind, "Test job", "default", work))


def test_a_job_stores_its_result_and_progress(kinds):
    def work(job, progress):
        progress.set(3, 3)
        return {"counted": 3}

    add(kinds, "count", work)
    job = jobs.create_job(kind="count", project=None, by=None)

    assert jobs.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.result, job.progress_done, job.attempts) == ("done", {"counted": 3}, 3, 1)
    assert job.lease_until is None


def test_a_finished_job_is_not_done_again(kinds):
    calls = []
    add(kinds, "once", lambda job, progress: calls.append(1) or {})
    job = jobs.create_job(kind="once", project=None, by=None)

    assert jobs.run_job(job.pk)
    assert not jobs.run_job(job.pk)

    assert calls == [1]


def test_the_same_key_makes_one_job(kinds):
    add(kinds, "once", lambda job, progress: {})
    first = jobs.create_job(kind="once", project=None, by=None, idempotency_key="k")
    second = jobs.create_job(kind="once", project=None, by=None, idempotency_key="k")

    assert first.pk == second.pk
    assert Job.objects.count() == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "The server is out of disk space."),
        (OperationalError("server closed the connection"), "The database did not respond."),
    ],
)
def test_an_outage_is_said_on_the_job_which_is_tried_again(kinds, error, words):
    def work(job, progress):
        raise error

    add(kinds, "count", work)
    job = jobs.create_job(kind="count", project=None, by=None)
    jobs.run_job(job.pk)

    job.refresh_from_db()
    assert job.state == "queued" and job.error.startswith(words) and str(error) in job.error


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no server that could end a connection")
def test_a_job_whose_connection_is_cut_says_so_at_once(kinds):
    def work(job, progress):
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    add(kinds, "count", work)
    job = jobs.create_job(kind="count", project=None, by=None)
    jobs.run_job(job.pk)

    job.refresh_from_db()
    assert job.state == "queued" and job.error.startswith("The database did not respond.")


def test_refused_input_is_not_tried_again_and_keeps_its_faults(kinds):
    def work(job, progress):
        raise jobs.JobRefused("2 lines cannot be used", faults=[{"line": 3}])

    add(kinds, "refuse", work)
    job = jobs.create_job(kind="refuse", project=None, by=None)
    jobs.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.error, job.faults) == ("failed", "2 lines cannot be used", [{"line": 3}])


def test_what_breaks_three_times_is_given_up_with_the_reason(kinds):
    def work(job, progress):
        raise ZeroDivisionError("by zero \x00")

    add(kinds, "break", work)
    job = jobs.create_job(kind="break", project=None, by=None)
    states = []
    for _ in range(4):
        jobs.run_job(job.pk)
        job.refresh_from_db()
        states.append(job.state)

    assert states == ["queued", "queued", "dead", "dead"]
    assert job.error == "ZeroDivisionError: by zero \\0"
    assert job.attempts == 3


def test_a_running_job_with_a_live_lease_is_left_alone(kinds):
    add(kinds, "slow", lambda job, progress: {})
    job = jobs.create_job(kind="slow", project=None, by=None)
    assert claim_job(job.pk) is not None

    assert jobs.list_open_jobs() == []
    assert not jobs.run_job(job.pk)


def test_a_job_whose_worker_died_is_found_and_finished(kinds):
    add(kinds, "slow", lambda job, progress: {"by": "the second worker"})
    job = jobs.create_job(kind="slow", project=None, by=None)
    claim_job(job.pk)
    Job.objects.update(
        started_at=F("started_at") - timedelta(hours=1), lease_until=F("lease_until") - timedelta(hours=1)
    )

    assert jobs.list_open_jobs() == [(job.pk, "default")]
    assert jobs.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts, job.result) == ("done", 2, {"by": "the second worker"})


def test_a_job_that_kills_every_worker_is_given_up(kinds):
    add(kinds, "poison", lambda job, progress: {})
    job = jobs.create_job(kind="poison", project=None, by=None)
    for _ in range(3):
        claim_job(job.pk)
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))

    assert not jobs.run_job(job.pk)

    job.refresh_from_db()
    assert job.state == JobState.DEAD
    assert "stopped each time" in job.error


def test_a_lease_is_renewed_though_the_database_failed_once(kinds, settings):
    settings.EPITOME_JOB_LEASE_SECONDS = 0.5
    tries, event = [], threading.Event()
    plain = renewing.extend_leases

    def keep(held_rows):
        tries.append(held_rows)
        if len(tries) == 1:
            raise OperationalError("the server closed the connection")
        settings.EPITOME_JOB_LEASE_SECONDS = 3600
        plain(held_rows)
        event.set()

    def work(job, progress):
        assert event.wait(60)
        return {"left": (Job.objects.get(pk=job.pk).lease_until - timezone.now()).total_seconds()}

    add(kinds, "long", work)
    job = jobs.create_job(kind="long", project=None, by=None)
    with patch.object(renewing, "extend_leases", keep):
        assert jobs.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.attempts) == ("done", 1) and job.result["left"] > 3000


def test_a_worker_that_lost_its_lease_stores_nothing(kinds):
    def work(job, progress):
        Job.objects.filter(pk=job.pk).update(worker="somebody else")
        progress.written = 0.0
        progress.set(1)
        return {"stale": True}

    add(kinds, "lost", work)
    job = jobs.create_job(kind="lost", project=None, by=None)
    jobs.run_job(job.pk)

    job.refresh_from_db()
    assert (job.state, job.worker, job.result) == ("running", "somebody else", {})


def test_a_dead_broker_keeps_no_job_from_being_stored(kinds, settings, monkeypatch):
    import kombu.exceptions

    def refuse(*args, **kwargs):
        raise kombu.exceptions.OperationalError("connection refused")

    settings.EPITOME_BROKER_SHARED = True
    monkeypatch.setattr("annotation.jobs.creating.current_app.send_task", refuse)
    add(kinds, "once", lambda job, progress: {})
    job = jobs.create_job(kind="once", project=None, by=None)

    assert jobs.list_open_jobs() == [(job.pk, "default")]


def test_a_worker_without_redis_hints_what_is_due_to_itself_once(kinds):
    """Web processes and a worker's children send nothing; what was hinted is not hinted again before it is taken."""
    add(kinds, "once", lambda job, progress: {})
    jobs.create_job(kind="once", project=None, by=None, queue="self")
    assert tasks.count_hints("self") == 0

    tasks.hint_due_jobs(["self"])
    tasks.hint_due_jobs(["self"])
    assert tasks.count_hints("self") == 1

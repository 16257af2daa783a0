"""A real worker process is killed with SIGKILL in the middle of a job; another finds the job and finishes it."""

import os
import signal
import subprocess
import sys

import pytest

from tests.jobs.machine import PATIENCE, ROOT, Machine

NEEDLESS = {"annotation.views", "annotation.api", "rest_framework.views", "django.test", "jinja2", "requests", "redis"}
"""What web processes, tests or another broker need."""
BROKERS = [
    "memory",
    pytest.param(
        "redis",
        marks=[
            pytest.mark.redis,
            pytest.mark.skipif(
                not os.environ.get("EPITOME_TEST_REDIS_URL"), reason="EPITOME_TEST_REDIS_URL names no Redis server"
            ),
        ],
    ),
]


def test_a_worker_is_known_while_it_runs_and_gone_once_it_stopped(tmp_path, migrated):
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, "memory")
    machine.env["EPITOME_WORKER_QUEUES"] = "default,text"
    worker = machine.worker()
    try:
        assert machine.workers(1) == [["default", "text"]]
        worker.terminate()
        assert worker.wait(timeout=PATIENCE) == 0
    finally:
        worker.kill()
        worker.wait()
    assert machine.workers(0) == []


@pytest.mark.parametrize("concurrency", ["1", "2"])
def test_a_worker_knows_its_queues_and_loads_nothing_of_the_pages(tmp_path, migrated, concurrency):
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, "memory")
    machine.python("jobs.create_job(kind='describe', project=None, by=None)")
    worker = machine.worker("--queues", "text,gpu", "--concurrency", concurrency)
    try:
        result = machine.until(lambda row: row["state"] == "done")["result"]
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    assert result["queues"] == ["gpu", "text"]
    assert "annotation.services.sources.importing" in result["loaded"]
    assert NEEDLESS & set(result["loaded"]) == set()


def test_processes_of_a_worker_share_what_was_loaded_before_the_fork():
    code = "import gc, django; django.setup(); from celery.signals import worker_before_create_process as fork; "
    code += "import annotation.tasks; fork.send(None); print(gc.get_freeze_count() > 10_000)"
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.jobs.worker_settings"}
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    assert completed.stdout.strip() == "True"


def test_a_worker_without_redis_looks_for_jobs_several_times_a_second():
    """What a person waits for at the start of a job: both intervals, of the table and of the worker's own queues."""
    code = "import django; django.setup(); from django.conf import settings; "
    code += "print(settings.EPITOME_JOB_POLL_SECONDS, settings.CELERY_BROKER_TRANSPORT_OPTIONS['polling_interval'])"
    env = {**os.environ, "EPITOME_BROKER_URL": "", "DJANGO_SETTINGS_MODULE": "tests.jobs.worker_settings"}
    command = [sys.executable, "-c", code]
    completed = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert sum(map(float, completed.stdout.split())) < 0.5


@pytest.mark.parametrize("broker", BROKERS)
def test_a_killed_workers_job_is_finished_by_the_next(tmp_path, migrated, broker):
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, broker)
    machine.python("jobs.create_job(kind='linger', project=None, by=None)")
    first = machine.worker()
    try:
        machine.until(lambda row: row["progress_done"] == 1)
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    second = machine.worker()
    try:
        row = machine.until(lambda row: row["state"] == "done")
    finally:
        os.killpg(second.pid, signal.SIGKILL)
        second.wait()

    assert row == {"state": "done", "attempts": 2, "progress_done": 2, "result": {"finished_in_attempt": 2}}


def test_an_idle_worker_gives_the_memory_of_ended_jobs_back(tmp_path, migrated):
    """It begins again under the same process id, and does the next job."""
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, "memory")
    machine.env |= {"EPITOME_WORKER_IDLE_SECONDS": "1", "EPITOME_WORKER_SPARE_MB": "0"}
    machine.python("jobs.create_job(kind='hoard', project=None, by=None)")
    worker = machine.worker()
    try:
        machine.until(lambda row: row["state"] == "done")
        machine.until_megabytes(worker.pid, below=150)
        machine.python("jobs.create_job(kind='describe', project=None, by=None)")
        machine.until(lambda row: row["state"] == "done", number=2)
        assert worker.poll() is None
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

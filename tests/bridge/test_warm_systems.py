"""A worker says which systems it has loaded, and work for these goes to it first, without starving the rest."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

from annotation.jobs import heartbeats, name_process, running
from annotation.models import Job, JobState
from modelbridge.models import WarmSystem
from modelbridge.services.runs import runs, warm_systems
from modelbridge.services.runs.system_processes import HOSTS
from modelbridge.services.systems import systems
from tests.bridge.conftest import fake_toml

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
ELSEWHERE = "other-machine:7"


@pytest.fixture
def cold(project):
    text = fake_toml(batch_size=5).replace('"echo"', '"cold"')
    return systems.register_system(project=project, toml_text=text, by=None)


@pytest.fixture
def loaded(echo):
    HOSTS.close()
    HOSTS.get(echo.config, lambda: True)
    return echo


def job_of(run):
    return runs.jobs_of(run).get()


def choose(job):
    with patch.object(warm_systems, "PAUSE", 0):
        return warm_systems.prefer_loaded(job.pk, ["text"])


def say_loaded(revision, seconds_ago=0):
    seen = timezone.now() - timedelta(seconds=seconds_ago)
    WarmSystem.objects.create(worker=ELSEWHERE, config_hash=revision.config_hash, since=seen, seen_at=seen)


def test_what_is_loaded_here_is_done_first(start_run, loaded, cold):
    first, second = job_of(start_run(cold)), job_of(start_run(loaded))
    assert choose(first) == second.pk
    assert choose(second) == second.pk


def test_a_job_that_has_waited_long_is_passed_over_no_more(start_run, loaded, cold):
    first, _second = job_of(start_run(cold)), job_of(start_run(loaded))
    Job.objects.filter(pk=first.pk).update(created_at=timezone.now() - 2 * warm_systems.PASSED_OVER)
    assert choose(first) == first.pk


def test_only_jobs_of_queues_that_this_worker_serves_are_done_first(start_run, loaded, cold):
    first, _second = job_of(start_run(cold)), job_of(start_run(loaded))
    assert warm_systems.prefer_loaded(first.pk, ["gpu"]) == first.pk


def test_a_new_job_is_left_to_an_idle_worker_that_has_its_system_loaded(start_run, cold):
    HOSTS.close()
    say_loaded(cold)
    job = job_of(start_run(cold))
    assert choose(job) is None
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - 2 * warm_systems.LEFT_TO_OTHERS)
    assert choose(job) == job.pk


def test_it_is_not_left_to_a_worker_that_is_busy_or_gone(start_run, cold):
    HOSTS.close()
    job = job_of(start_run(cold))
    assert choose(job) == job.pk
    say_loaded(cold, seconds_ago=60)
    assert choose(job) == job.pk
    WarmSystem.objects.update(seen_at=timezone.now())
    lease = timezone.now() + timedelta(seconds=60)
    Job.objects.create(kind="export", state=JobState.RUNNING, worker=f"{ELSEWHERE}:abc", lease_until=lease)
    assert choose(job) == job.pk


def test_the_announced_job_is_announced_again_when_another_went_first(start_run, loaded, cold):
    first, second = job_of(start_run(cold)), start_run(loaded)
    with (
        patch.object(running, "close_old_connections"),
        patch.object(running, "send_hint") as hinted,
    ):
        assert running.run_hinted_job(first.pk, ["text"])
    second.refresh_from_db()
    first.refresh_from_db()
    assert (second.state, first.state) == ("done", "queued")
    hinted.assert_called_once_with(first.pk, "text")


def test_each_heartbeat_says_what_is_loaded_and_the_last_one_that_nothing_is(loaded):
    heartbeat = heartbeats.Heartbeat(["text"], None)
    heartbeat._report(is_ending=False)
    assert list(WarmSystem.objects.values_list("worker", "config_hash")) == [(name_process(), loaded.config_hash)]
    assert warm_systems.list_warm_workers(loaded.config_hash) == [name_process()]
    HOSTS.loaded[loaded.config_hash].close()
    heartbeat._report(is_ending=False)
    assert not WarmSystem.objects.exists()
    warm_systems.store_loaded(name_process(), [loaded.config_hash])
    heartbeat._report(is_ending=True)
    assert not WarmSystem.objects.exists()


def test_a_worker_says_at_once_what_it_has_loaded_for_a_run(start_run, echo, work_off):
    HOSTS.close()
    work_off(start_run(echo))
    assert warm_systems.list_warm_workers(echo.config_hash) == [name_process()]

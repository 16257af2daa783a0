"""Several workers share a run; the next batch is prepared while one is generated; each worker says how busy it was."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

from annotation.jobs import JobLost, JobPaused, NoProgress, name_process
from annotation.models import Job, JobState
from annotation.services.core.errors import BadInput
from modelbridge.models import RunMeter, SystemOutput
from modelbridge.services.runs import output_leases, run_worker, runs
from modelbridge.services.runs.run_meters import read_meters
from modelbridge.services.runs.system_processes import HOSTS, Host
from modelbridge.services.systems import systems
from tests.bridge.conftest import count_states, fake_toml, find_swapped_outputs, write_into_source

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]


@pytest.fixture
def small(project):
    """A system that takes four requests at once."""
    return systems.register_system(project=project, toml_text=fake_toml(batch_size=4), by=None)


def make_worker(run):
    return run_worker.RunWorker(run, NoProgress())


def leases_of(run):
    """(attempts) of the leased outputs, in the order of work."""
    rows = SystemOutput.objects.filter(run=run, state="leased").order_by("work_order")
    return list(rows.values_list("attempts", flat=True))


def test_a_second_worker_takes_part_in_a_run_under_way_and_nothing_is_done_twice(start_run, small):
    run = start_run(small)
    first, second = make_worker(run), make_worker(run)
    assert first.work_batch() == 4
    assert second.work_batch() == 4
    assert first.work_batch() == 4
    assert second.work_batch() == 0

    owners = SystemOutput.objects.filter(run=run).values_list("worker", flat=True)
    assert sorted(map(list(owners).count, {first.token, second.token})) == [4, 8]
    assert find_swapped_outputs(run) == [] and count_states(run) == {"done": 12}


def test_the_next_batch_is_with_the_system_before_the_first_is_done(start_run, small, monkeypatch):
    run, seen = start_run(small), []
    receive = Host.receive

    def look(host, is_wanted):
        seen.append((len(host.sent), leases_of(run)))
        return receive(host, is_wanted)

    monkeypatch.setattr(Host, "receive", look)
    assert make_worker(run).work()

    # The last batch has none after it. What is prepared counts as an attempt once it is begun.
    assert seen == [(2, [1] * 4 + [0] * 4), (2, [1] * 4 + [0] * 4), (1, [1] * 4)]
    assert set(SystemOutput.objects.filter(run=run).values_list("state", "attempts")) == {("done", 1)}
    assert find_swapped_outputs(run) == []


def test_behind_a_slow_batch_none_is_prepared_for_which_other_jobs_would_wait(start_run, small, monkeypatch):
    run, seen = start_run(small), []
    receive = Host.receive

    def look(host, is_wanted):
        seen.append(len(host.sent))
        return receive(host, is_wanted)

    monkeypatch.setattr(run_worker, "TURN_SECONDS", 0)  # every batch takes longer than a turn
    monkeypatch.setattr(Host, "receive", look)
    assert make_worker(run).work()

    assert seen == [1, 1, 1] and find_swapped_outputs(run) == []


def test_a_system_that_dies_takes_no_attempt_from_the_batch_prepared_behind(project, start_run, small):
    write_into_source(project, 0, "[crash]")
    project.documents.filter(position=0).update(n_words=900)  # the first of all
    run = start_run(small)
    assert make_worker(run).work_batch(prepares_next=True) == 8

    tried = SystemOutput.objects.filter(run=run).order_by("work_order").values_list("state", "attempts", "error")
    died = ("waiting", 1, "The system's process crashed (SIGSEGV).")
    assert list(tried) == [died] * 4 + [("waiting", 0, "")] * 8


def test_a_worker_killed_with_a_prepared_batch_leaves_that_one_untried(start_run, echo):
    run = start_run(echo)
    output_leases.claim_batch(run, "here:1:killed", 4)
    prepared = output_leases.claim_batch(run, "here:1:killed", 4, ahead=True)
    SystemOutput.objects.filter(run=run, state="leased").update(lease_until=timezone.now() - timedelta(seconds=1))

    again = output_leases.claim_batch(run, "here:1:next", 12)
    assert {row.pk for row in prepared} <= {row.pk for row in again} and len(again) == 8
    assert {row.attempts for row in again} == {1}


def test_nothing_that_was_tried_before_is_prepared_ahead(start_run, echo):
    run = start_run(echo)
    SystemOutput.objects.filter(run=run).update(attempts=1)
    assert output_leases.claim_batch(run, "here:1:a", 4, ahead=True) == []


def test_a_worker_that_loses_its_job_leaves_no_answer_for_the_next(start_run, small):
    run = start_run(small)
    lost = make_worker(run)
    with patch.object(lost, "report_progress", side_effect=JobLost("gone")), pytest.raises(JobLost):
        lost.work_batch(prepares_next=True)
    assert count_states(run) == {"done": 4, "waiting": 8}

    assert make_worker(run).work()
    assert find_swapped_outputs(run) == [] and count_states(run) == {"done": 12}


def test_a_cancelled_run_ends_the_system_that_still_has_a_batch(start_run, small):
    run = start_run(small)
    worker = make_worker(run)
    with patch.object(worker, "is_wanted", side_effect=lambda: not run.outputs.filter(state="done").exists()):
        worker.work()
    assert count_states(run) == {"done": 4, "waiting": 8}
    assert not HOSTS.loaded[small.config_hash].alive


def test_the_last_rows_are_shared_evenly(start_run, small, monkeypatch):
    monkeypatch.setattr(run_worker, "SMALLEST_SHARE", 1)
    run = start_run(small)
    worker = make_worker(run)
    assert worker._count_rows(8) == 8
    fields = {"project": run.project, "kind": runs.KIND, "arguments": {"run": run.pk}, "state": JobState.RUNNING}
    Job.objects.bulk_create(Job(**fields) for _ in range(3))
    assert worker._count_rows(8) == 4


def test_a_worker_goes_on_while_nothing_else_waits_and_gives_way_otherwise(start_run, small, settings):
    settings.EPITOME_RUN_SLICE_SECONDS = 1
    run = start_run(small)
    job = runs.jobs_of(run).get()
    Job.objects.exclude(pk=job.pk).delete()
    worker = run_worker.RunWorker(run, NoProgress(), job)
    assert not worker._gives_way(0.5, 1) and not worker._gives_way(5, 1)
    assert worker._gives_way(run_worker.MOST_SLICES, 1)
    Job.objects.create(project=run.project, kind="export", queue="default")
    assert worker._gives_way(5, 1)


def test_each_worker_says_how_busy_it_was(start_run, small, work_off, settings):
    settings.EPITOME_WORKER_HOUR_PRICE = (3600.0, "EUR")  # one a second
    run = work_off(start_run(small))

    (meter,) = read_meters(run)
    assert (meter.worker, meter.device, meter.outputs, meter.batches) == (name_process(), "CPU", 12, 3)
    assert meter.busy_seconds > 0 and meter.idle_share is not None and 0 <= meter.idle_share < 1
    assert meter.peak_memory > 2**20
    seconds = meter.busy_seconds + meter.idle_seconds + meter.load_seconds
    assert meter.cost == pytest.approx(seconds, abs=0.01) and meter.currency == "EUR"
    assert (meter.tokens_out, meter.tokens_per_second) == (0, None)  # it counts none


def test_without_a_stated_price_there_is_no_cost(start_run, small, work_off):
    (meter,) = read_meters(work_off(start_run(small)))
    assert (meter.cost, meter.currency) == (None, "")


def test_a_batch_that_is_not_stored_is_not_metered(start_run, small):
    run = start_run(small)
    with patch.object(output_leases, "store_results", side_effect=RuntimeError), pytest.raises(RuntimeError):
        make_worker(run).work_batch()
    assert not RunMeter.objects.exists()


def test_a_run_stops_once_its_budget_is_spent_and_goes_on_with_a_larger_one(start_run, small, monkeypatch, work_off):
    monkeypatch.setattr(runs, "has_price", lambda revision: True)
    run = start_run(small, budget=1.0)
    make_worker(run).work_batch()
    SystemOutput.objects.filter(run=run, state="done").update(cost=0.3)
    work_off(run)
    assert (run.state, count_states(run)) == ("failed", {"done": 4, "waiting": 8})
    assert run.error.startswith("The budget of 1.00 is spent.")

    runs.resume_run(run=run, by=None, budget=2.0)
    assert (work_off(run).state, count_states(run)) == ("done", {"done": 12})


@pytest.mark.parametrize(("text", "budget"), [("", None), (" 2.5 ", 2.5)])
def test_a_budget_is_an_amount(text, budget):
    assert runs.read_budget(text) == budget


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "much"])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(BadInput, match="above 0"):
        runs.read_budget(text)


def test_a_budget_needs_a_price(start_run, echo):
    with pytest.raises(BadInput, match="states no price"):
        start_run(echo, budget=1.0)


class Turn(NoProgress):
    """Of a job of which a run is a part: others wait from the second look on."""

    looks = 0

    def is_turn_over(self):
        self.looks += 1
        return self.looks > 1

    def checkpoint(self):
        raise JobPaused("gives way")


def test_a_run_that_is_part_of_a_job_gives_way_between_two_batches_and_goes_on(start_run, small):
    run = start_run(small)
    with pytest.raises(JobPaused):
        run_worker.work_in_process(run, Turn())
    n_done = count_states(run)["done"]
    assert 0 < n_done < 12 and count_states(run) == {"done": n_done, "waiting": 12 - n_done}

    run_worker.work_in_process(run)
    assert count_states(run) == {"done": 12} and find_swapped_outputs(run) == []

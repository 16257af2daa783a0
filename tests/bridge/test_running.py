"""A run gives every sample its own output once; what a system does wrong stays with the sample it did it to."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.utils import timezone

from annotation.jobs import STOPPING
from annotation.models import Job
from annotation.services.core.errors import BadInput, Conflict
from epitome.systems.batching import TO_FIT
from epitome.systems.protocol import Output
from modelbridge.models import Run, SystemOutput
from modelbridge.services.runs import output_leases, run_worker, runs
from modelbridge.services.runs.run_progress import progress_of
from modelbridge.services.runs.system_processes import HOSTS
from modelbridge.services.systems import systems
from tests.bridge.conftest import count_states, fake_toml, find_swapped_outputs, write_into_source

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]


def outputs(run):
    return SystemOutput.objects.filter(run=run)


def test_every_sample_gets_its_own_output_with_all_it_takes_to_repeat_it(start_run, echo, work_off):
    run = work_off(start_run(echo))

    assert (run.state, count_states(run)) == ("done", {"done": 12})
    assert find_swapped_outputs(run) == []
    for row in outputs(run):
        assert row.told and row.versions["epitome"] and row.weights == "none" and row.attempts == 1
        assert row.seed is not None and row.finished_at and row.seconds >= 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("[crash]", "The system's process crashed (SIGSEGV)."),
        ("[raise]", "this source cannot be summarized"),
        ("[exhaust]", f"Out of memory, even alone: this source does not fit. {TO_FIT}"),
    ],
)
def test_a_poisonous_source_fails_alone_and_says_why(project, start_run, echo, work_off, words, reason):
    write_into_source(project, 2, words)
    run = work_off(start_run(echo))

    assert count_states(run) == {"done": 10, "failed": 2} and run.state == "done"
    assert find_swapped_outputs(run) == []
    assert {(row.attempts, row.error) for row in outputs(run).filter(state="failed")} == {(3, reason)}
    progress = progress_of(run)
    assert (progress.done, progress.failed, progress.errors) == (10, 2, [{"error": reason, "n": 2}])


def test_a_system_that_never_ends_is_stopped_and_its_samples_go_back(project, start_run, echo, settings):
    settings.EPITOME_BATCH_SECONDS = 1
    write_into_source(project, 0, "[endless]")
    project.documents.filter(position=0).update(split="test")
    run = start_run(echo, split="test")
    assert run_worker.RunWorker(run, run_worker.NoProgress()).work_batch() == 2
    text = "The system gave no answer within 1 seconds and was stopped."
    assert set(outputs(run).values_list("state", "attempts", "error")) == {("waiting", 1, text)}


def test_odd_characters_of_a_model_are_cleaned_and_flagged(project, start_run, echo, work_off):
    write_into_source(project, 0, "[unclean]")
    run = work_off(start_run(echo))

    assert [(row.text, row.flags) for row in outputs(run).exclude(flags=[])] == [("ab�c", ["nul", "surrogate"])] * 2
    assert progress_of(run).flagged == 2


def test_a_wrong_number_of_outputs_never_moves_one_to_a_neighbour(project, start_run, work_off):
    revision = systems.register_system(project=project, toml_text=fake_toml(counts="fewer"), by=None)
    run = work_off(start_run(revision))

    assert (run.state, count_states(run)) == ("failed", {"waiting": 12})
    assert set(outputs(run).values_list("text", flat=True)) == {""}


def test_out_of_memory_halves_the_batch_and_goes_on(project, start_run, work_off):
    revision = systems.register_system(project=project, toml_text=fake_toml(batch_size=8, fits=2), by=None)
    run = work_off(start_run(revision))

    assert count_states(run) == {"done": 12} and find_swapped_outputs(run) == []
    assert set(outputs(run).values_list("attempts", flat=True)) == {1}


def test_a_worker_that_was_away_too_long_stores_nothing(start_run, echo):
    run = start_run(echo)
    late = output_leases.claim_batch(run, "here:1:late", 4)
    outputs(run).update(lease_until=timezone.now() - timedelta(seconds=1))
    pks = {row.pk for _ in range(12) for row in output_leases.claim_batch(run, "here:1:quick", 4)}

    assert output_leases.store_results(run, "here:1:late", [(row, Output("late")) for row in late]) == 0
    assert {row.pk for row in late} <= pks
    assert not outputs(run).filter(text="late").exists()


def test_no_sample_is_in_two_hands(start_run, echo):
    run = start_run(echo)
    batches = [output_leases.claim_batch(run, f"here:1:{n}", 5) for n in range(4)]
    ids = [row.pk for batch in batches for row in batch]

    assert sorted(map(len, batches)) == [0, 2, 5, 5] and len(set(ids)) == 12


def test_the_longest_sources_go_first(project, start_run, echo):
    write_into_source(project, 4, "a much longer source than all of the others here " * 9)
    project.documents.filter(position=4).update(n_words=900)
    run = start_run(echo)
    first = output_leases.claim_batch(run, "here:1:a", 2)
    assert {row.sample.document.n_words for row in first} == {900}


def test_what_stops_its_worker_three_times_is_given_up(start_run, echo):
    run = start_run(echo)
    for number in range(3):
        outputs(run).filter(state="leased").update(lease_until=timezone.now() - timedelta(seconds=1))
        outputs(run).exclude(work_order=0).update(attempts=3, state="failed", error="x", finished_at=timezone.now())
        assert len(output_leases.claim_batch(run, f"here:1:{number}", 1)) == 1
    outputs(run).filter(state="leased").update(lease_until=timezone.now() - timedelta(seconds=1))

    assert output_leases.claim_batch(run, "here:1:fourth", 1) == []
    assert output_leases.fail_exhausted_outputs(run) == 1
    assert outputs(run).get(work_order=0).error == output_leases.STOPPED


def test_a_cancelled_run_stops_and_a_resumed_one_goes_on_with_the_same_samples(start_run, echo, work_off):
    run = start_run(echo)
    batch = output_leases.claim_batch(run, "here:1:a", 4)
    output_leases.store_results(run, "here:1:a", [(row, Output("kept", versions={"a": "1"})) for row in batch])
    runs.cancel_run(run=run, by=None)
    assert (work_off(run).state, count_states(run)) == ("cancelled", {"done": 4, "waiting": 8})
    assert set(Job.objects.filter(kind="run").values_list("state", flat=True)) == {"cancelled"}

    runs.resume_run(run=run, by=None)
    assert (work_off(run).state, count_states(run)) == ("done", {"done": 12})
    assert outputs(run).filter(text="kept").count() == 4


def test_only_what_is_under_way_is_cancelled_and_only_what_lacks_something_resumed(start_run, echo, work_off):
    run = start_run(echo)
    with pytest.raises(Conflict):
        runs.resume_run(run=run, by=None)
    work_off(run)
    with pytest.raises(Conflict):
        runs.cancel_run(run=run, by=None)
    with pytest.raises(Conflict):
        runs.resume_run(run=run, by=None)


def test_failed_samples_are_tried_anew_when_a_run_is_resumed(project, start_run, echo, work_off):
    write_into_source(project, 1, "[raise]")
    run = work_off(start_run(echo))
    assert count_states(run) == {"done": 10, "failed": 2}
    text = project.documents.order_by("pk")[1].source_text
    type(text).objects.filter(pk=text.pk).update(segments_json=text.segments_json.replace("[raise]", ""))

    runs.resume_run(run=run, by=None)
    assert (work_off(run).state, count_states(run)) == ("done", {"done": 12})


def test_a_cancel_ends_a_batch_that_would_never_end(project, start_run, echo):
    write_into_source(project, 0, "[endless]")
    run = start_run(echo)
    worker = run_worker.RunWorker(run, run_worker.NoProgress())
    with patch.object(worker, "is_wanted", side_effect=[True, False]):
        assert worker.work_batch() == 0
    assert count_states(run) == {"waiting": 12} and set(outputs(run).values_list("attempts", flat=True)) == {0}


def test_a_system_that_cannot_be_loaded_fails_the_run_and_leaves_the_samples(project, start_run, echo, work_off):
    with patch("modelbridge.services.runs.system_processes.Host.load", side_effect=run_worker.HostFault("needs torch")):
        HOSTS.close()
        run = work_off(start_run(echo))
    assert (run.state, run.error, count_states(run)) == ("failed", "needs torch", {"waiting": 12})
    assert Job.objects.get(kind="run").state == "failed"


def test_others_in_the_queue_have_their_turn(start_run, echo, settings, work_off):
    settings.EPITOME_RUN_SLICE_SECONDS = 0.000001
    run = start_run(echo)
    assert (work_off(run, times=1).state, count_states(run)) == ("running", {"done": 8, "waiting": 4})
    job = Job.objects.get(kind="run")
    assert (job.state, job.attempts) == ("queued", 0)
    assert work_off(run).state == "done"


def test_a_worker_that_is_asked_to_end_leaves_the_rest_to_others(start_run, echo, work_off):
    run = start_run(echo)
    STOPPING.set()
    try:
        work_off(run, times=1)
    finally:
        STOPPING.clear()
    assert count_states(run) == {"waiting": 12} and Job.objects.get(kind="run").state == "queued"


def test_the_sweeper_queues_what_nobody_works_on(start_run, echo, work_off, settings):
    settings.EPITOME_JOB_LEASE_SECONDS = 0
    run = start_run(echo)
    Job.objects.all().delete()
    assert run_worker.restart_stalled_runs() == 1
    assert run_worker.restart_stalled_runs() == 0
    assert work_off(run).state == "done"


def test_the_sweeper_ends_a_run_that_stops_its_worker_each_time(start_run, echo, settings):
    settings.EPITOME_JOB_LEASE_SECONDS = 0
    run = start_run(echo)
    Job.objects.update(state="dead", error="The worker stopped each time.")
    run_worker.restart_stalled_runs()
    run.refresh_from_db()
    assert (run.state, run.error) == ("failed", "The worker stopped each time.")


def test_a_large_run_is_shared_by_several_jobs(start_run, echo, monkeypatch, work_off):
    monkeypatch.setattr(runs, "SAMPLES_PER_WORKER", 4)
    run = start_run(echo)
    assert runs.jobs_of(run).count() == 3
    assert work_off(run).state == "done" and find_swapped_outputs(run) == []


def test_only_ready_samples_are_taken_and_the_others_are_told(project, start_run, echo):
    first = project.groups.order_by("pk")[0]
    project.groups.filter(pk=first.pk).update(frozen_at=None)
    project.documents.filter(position=5).update(damaged=True)
    run = start_run(echo)
    assert (run.n_samples, run.left_out) == (8, {"not chosen yet": 2, "damaged": 2})


def test_a_split_takes_its_own_samples(project, start_run, echo):
    project.documents.filter(position__lt=2).update(split="test")
    assert start_run(echo, split="test").n_samples == 4
    with pytest.raises(BadInput, match="no sample in the split"):
        start_run(echo, split="dev")


def test_the_same_text_is_the_same_revision_and_another_the_next(project, echo):
    assert systems.register_system(project=project, toml_text=fake_toml(), by=None).pk == echo.pk
    other = systems.register_system(project=project, toml_text=fake_toml(batch_size=3), by=None)
    assert (other.number, other.system_id) == (2, echo.system_id)
    assert Run.objects.count() == 0


def test_one_system_is_loaded_at_a_time_and_the_least_used_makes_room(project, echo, monkeypatch):
    monkeypatch.setattr(HOSTS, "capacity", 1)
    HOSTS.close()
    other = systems.register_system(project=project, toml_text=fake_toml(batch_size=3), by=None)
    first = HOSTS.get(echo.config, lambda: True)
    assert HOSTS.get(echo.config, lambda: True) is first
    second = HOSTS.get(other.config, lambda: True)
    assert (first.alive, second.alive, list(HOSTS.loaded)) == (False, True, [other.config.hash])

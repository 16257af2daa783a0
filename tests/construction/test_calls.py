"""Leases of calls: who stores, who is told, what is asked again, and what is not."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import InterfaceError, OperationalError
from django.utils import timezone

from annotation.jobs import STOPPING, new_token, run_job
from epitome.systems.protocol import Output
from modelbridge.models import ConstructionStep, Rewrite
from modelbridge.services.construction import calls, overview, step_jobs, step_worker, steps
from modelbridge.services.systems import systems
from tests.chat.stub import refusal
from tests.construction.conftest import TOML

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
TOKEN, OTHER = "here:1:first", "here:2:second"


@pytest.fixture
def step(project, rewriter):
    return steps.start_step(project=project, key="readability", revision=rewriter, options={"n": 4}, by=None)


def expire(step):
    step.rewrites.filter(state="leased").update(lease_until=timezone.now() - timedelta(seconds=1))


def test_two_workers_never_claim_the_same_call(step, rewriter):
    first, second = calls.claim_calls(step, rewriter, TOKEN, 3), calls.claim_calls(step, rewriter, OTHER, 3)
    assert (len(first), len(second)) == (3, 1) and not {row.pk for row in first} & {row.pk for row in second}
    assert calls.claim_calls(step, rewriter, OTHER, 3) == []


def test_a_worker_whose_lease_has_gone_to_another_stores_nothing(step, rewriter):
    (call,) = calls.claim_calls(step, rewriter, TOKEN, 1)
    expire(step)
    calls.claim_calls(step, rewriter, OTHER, 1)
    assert calls.store_answer(call, OTHER, Output("The second."), [])
    assert not calls.store_answer(call, TOKEN, Output("The first."), [])
    stored = Rewrite.objects.get(pk=call.pk)
    assert (stored.raw_answer, stored.interrupted, stored.state) == ("The second.", 1, "done")


def test_an_answered_call_is_never_claimed_again(step, rewriter):
    (call,) = calls.claim_calls(step, rewriter, TOKEN, 1)
    calls.store_answer(call, TOKEN, Output("Put simply."), [])
    assert call.pk not in {row.pk for row in calls.claim_calls(step, rewriter, OTHER, 100)}


def test_a_call_at_which_workers_always_end_is_given_up(step, rewriter):
    step.rewrites.update(interrupted=calls.MAX_INTERRUPTED)
    assert calls.claim_calls(step, rewriter, TOKEN, 4) == []
    assert set(step.rewrites.values_list("state", "error")) == {("failed", calls.STOPPED)}


def test_calls_of_a_dead_process_are_given_back_at_once(step, rewriter):
    import socket
    import subprocess
    import sys

    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    calls.claim_calls(step, rewriter, f"{socket.gethostname()[:60]}:{dead.stdout.strip()}:x", 2)
    calls.claim_calls(step, rewriter, new_token(), 1)  # of this process, which is alive
    assert calls.release_dead_calls(step) == 2
    assert sorted(step.rewrites.values_list("state", "interrupted")) == [
        ("leased", 0),
        ("waiting", 0),
        ("waiting", 1),
        ("waiting", 1),
    ]


def test_every_attempt_at_a_call_has_the_same_idempotency_key(run_step, server):
    run_step("readability", n=3)
    keys = {headers["Idempotency-Key"] for headers in server.headers}
    assert keys == {str(key) for key in Rewrite.objects.values_list("public_id", flat=True)}


def test_answers_keep_tokens_cost_model_and_decoding(run_step):
    call = run_step("readability", n=1).rewrites.get()
    assert call.usage["prompt_tokens"] > 50 and call.usage["attempts"] == 1
    assert call.cost == pytest.approx((call.usage["prompt_tokens"] * 2 + call.usage["completion_tokens"] * 8) / 1e6)
    assert call.versions == {"model": "tiny-1", "system_fingerprint": "fp1"}
    assert call.decoding["temperature"] == 0.0 and call.decoding["currency"] == "EUR"


def test_a_server_that_is_away_stops_the_step_and_resuming_asks_for_the_rest_only(run_step, server, project):
    n_before = 3
    server.answer = lambda request, headers: (
        server.reply(request, headers) if len(server.answered) < n_before else refusal(401, "no such key")
    )
    with pytest.raises(step_worker.StepFault, match="refused"):
        run_step("readability", n=10)
    step = ConstructionStep.objects.get()
    n_stored = step.rewrites.done().count()
    assert step.state == "failed" and "refused" in step.error and n_stored == len(server.answered)
    assert not step.rewrites.filter(state="leased").exists()

    server.answer = server.reply
    step = run_step("readability")
    assert step.state == "done" and len(server.answered) == 10 == step.rewrites.done().count()


def test_a_call_that_the_server_refuses_fails_alone(run_step, server):
    server.answer = lambda request, headers: (
        refusal(400, "too long") if "sorted array" in str(request) else server.reply(request, headers)
    )
    step = run_step("readability")
    assert step.rewrites.failed().count() == 1 and step.result["stored"] == 38
    assert "too long" in step.rewrites.failed().get().error


def test_stopping_stores_what_is_under_way_and_asks_for_nothing_more(project, rewriter, server):
    step = steps.start_step(project=project, key="readability", revision=rewriter, by=None, queue_it=False)

    def stop_at_once(request, headers):
        if step_is_under_way():
            steps.stop_step(step=step, by=None)
        return server.reply(request, headers)

    def step_is_under_way():
        return ConstructionStep.objects.under_way().filter(pk=step.pk).exists()

    import threading

    lock = threading.Lock()
    server.answer = lambda request, headers: _locked(lock, stop_at_once, request, headers)
    step_worker.work_in_process(step)
    step.refresh_from_db()
    assert step.state == "cancelled" and step.rewrites.done().count() == len(server.answered) <= 2 * 3
    assert step.rewrites.filter(state="waiting").count() == 20 - len(server.answered)


def _locked(lock, function, *arguments):
    from django.db import connections

    with lock:
        try:
            return function(*arguments)
        finally:
            connections.close_all()


def test_an_answer_outlives_a_database_that_is_away(step, server, monkeypatch):
    store, troubles = calls.store_answer, [OperationalError("gone"), InterfaceError("closed"), OperationalError("gone")]

    def store_later(*arguments):
        if troubles:
            raise troubles.pop()
        return store(*arguments)

    monkeypatch.setattr(calls, "store_answer", store_later)
    monkeypatch.setattr(step_worker, "POLL_SECONDS", 0.01)
    step_worker.work_in_process(step)
    assert not troubles and len(server.answered) == 4 == step.rewrites.done().count()


def test_an_orderly_stop_leaves_the_step_for_the_next_worker(project, rewriter, server):
    step = steps.start_step(project=project, key="readability", revision=rewriter, by=None, queue_it=False)
    server.answer = lambda request, headers: (STOPPING.set(), server.reply(request, headers))[1]
    try:
        step_worker.work_in_process(step)
    finally:
        STOPPING.clear()
    step.refresh_from_db()
    assert step.state == "running" and step.rewrites.done().count() == len(server.answered) < 20
    server.answer = server.reply
    step_worker.work_in_process(step)
    assert len(server.answered) == 20


def test_an_orderly_stop_does_not_wait_for_further_attempts(project, server):
    patient = systems.register_system(project=project, toml_text=TOML.replace("attempts = 1", "attempts = 9"), by=None)
    step = steps.start_step(project=project, key="readability", revision=patient, by=None, queue_it=False)
    server.answer = lambda request, headers: (STOPPING.set(), refusal(500, "later", Retry_After="250"))[1]
    try:
        step_worker.work_in_process(step)
    finally:
        STOPPING.clear()
    step.refresh_from_db()
    assert (step.state, step.error) == ("running", "") and len(server.asked) <= 3
    assert set(step.rewrites.values_list("state", "interrupted")) == {("waiting", 0)}


def test_a_job_works_on_the_step_that_a_page_started(step, server):
    assert step.job is not None and run_job(step.job.pk)
    step.refresh_from_db()
    assert step.state == "done" and step.job.kind == "construction" and len(server.answered) == 4


def test_a_step_that_nobody_works_on_gets_a_job(step):
    steps.jobs_of_step(step).update(state="cancelled")
    assert step_jobs.restart_stalled_steps() == 0  # it was active within the last lease
    ConstructionStep.objects.update(created_at=timezone.now() - timedelta(days=1))
    assert step_jobs.restart_stalled_steps() == 1
    assert steps.jobs_of_step(step).under_way().count() == 1


def test_the_overview_tells_calls_tokens_and_cost(run_step, project):
    run_step("readability", n=2)
    row = overview.list_steps(project)[0]
    assert (row.key, row.state, row.done, row.failed, row.open, row.stored) == ("readability", "done", 2, 0, 0, 4)
    assert row.tokens_in > 100 and row.cost > 0 and row.currency == "EUR"
    assert [step.key for step in overview.list_steps(project) if step.needs] == ["length", "compositional"]


def test_the_command_goes_on_with_a_step_whose_worker_was_killed(project, rewriter, server, capsys):
    step = steps.start_step(project=project, key="readability", revision=rewriter, by=None, queue_it=False)
    calls.claim_calls(step, rewriter, "elsewhere:1:gone", 2)
    expire(step)
    call_command("construct_ccsbench", "papers", "readability", "--system", "rewriter")
    assert "readability: done; 40 summaries; 20 calls done, 0 failed, 0 open" in capsys.readouterr().out
    assert sum(step.rewrites.values_list("interrupted", flat=True)) == 2

"""What is resumed: failed calls keep what they cost, ask under another key, and a step keeps its seed; verdicts that
come while a step stores its summaries are not lost."""

import threading

import pytest
from django.db import connections

from annotation.models import Sample
from annotation.services.core.errors import Conflict
from modelbridge.models import ConstructionStep, Rewrite
from modelbridge.services.construction import building, calls, overview, steps
from modelbridge.services.construction.rewrite_pairs import judge_rewrite
from tests.chat.stub import completion

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.db_engine]
COST_OF_15_TOKENS = (10 * 2.0 + 5 * 8.0) / 1e6


@pytest.fixture
def failed_step(run_step, server):
    """A step with one paper, whose call was answered twice with nothing."""
    server.answer = lambda _request, _headers: completion("", tokens=(10, 5))
    step = run_step("readability", n=1)
    server.answer = server.reply
    return step


def keys_of(server):
    return [headers["Idempotency-Key"] for headers in server.headers]


def test_answers_that_could_not_be_used_stay_paid_for(failed_step, run_step, project):
    assert sum(failed_step.rewrites.values_list("cost", flat=True)) == pytest.approx(2 * COST_OF_15_TOKENS)
    step = run_step("readability")
    call = step.rewrites.done().get()
    usage = {"prompt_tokens": call.usage["prompt_tokens"], "completion_tokens": call.usage["completion_tokens"]}
    assert call.usage["attempts"] == 2 and call.cost > COST_OF_15_TOKENS
    assert call.cost == pytest.approx((usage["prompt_tokens"] * 2 + usage["completion_tokens"] * 8) / 1e6)
    row = overview.list_steps(project)[0]
    assert row.cost == pytest.approx(call.cost + COST_OF_15_TOKENS)


def test_a_gateway_that_remembers_is_asked_under_another_key(failed_step, run_step, server):
    first_keys = set(keys_of(server))
    assert len(first_keys) == 2  # the call, and its second attempt
    run_step("readability")
    assert len(server.answered) == 1 and keys_of(server)[-1] not in first_keys


def test_a_call_given_up_because_workers_ended_keeps_its_key(project, rewriter):
    step = steps.start_step(
        project=project, key="readability", revision=rewriter, options={"n": 1}, by=None, queue_it=False
    )
    key = step.rewrites.get().public_id
    step.rewrites.update(interrupted=calls.MAX_INTERRUPTED)
    calls.claim_calls(step, rewriter, "here:1:x", 1)
    steps.fail_step(step, "stopped")
    steps.start_step(project=project, key="readability", revision=rewriter, by=None, queue_it=False)
    call = step.rewrites.get()
    assert (call.public_id, call.state, call.interrupted) == (key, "waiting", 0)


def test_interruptions_are_counted_over_a_resumption(failed_step, rewriter, project):
    failed_step.rewrites.failed().update(interrupted=2)
    steps.start_step(project=project, key="readability", revision=rewriter, by=None, queue_it=False)
    assert overview.list_steps(project)[0].interrupted == 2


def test_another_seed_than_the_first_is_refused(failed_step, rewriter, project):
    with pytest.raises(Conflict, match="another seed"):
        steps.start_step(project=project, key="readability", revision=rewriter, seed=8, by=None)
    assert ConstructionStep.objects.get().seed == 7 and not Rewrite.objects.filter(state="waiting").exists()


def test_a_verdict_that_comes_while_a_step_stores_its_summaries_counts(run_step, monkeypatch):
    """Without a lock the step would store the text as it was before the verdict, and the verdict find no sample."""
    store, judges = building._store_summaries, []

    def drop():
        try:
            call = Rewrite.objects.select_related("project").order_by("pk")[0]
            judge_rewrite(rewrite=call, aspect="summary", verdict="drop", by=None)
        finally:
            connections.close_all()

    def store_while_somebody_judges(step, summaries):
        judges.append(threading.Thread(target=drop))
        judges[0].start()
        judges[0].join(timeout=0.5)
        return store(step, summaries)

    monkeypatch.setattr(building, "_store_summaries", store_while_somebody_judges)
    step = run_step("readability", n=2)
    judges[0].join()
    dropped = Sample.objects.get(constructed__rewrite=step.rewrites.order_by("pk")[0])
    assert dropped.state == "void" and step.result["stored"] == 4

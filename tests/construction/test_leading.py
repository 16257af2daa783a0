"""A worker leads the process that sends calls; the system that rewrites also runs over any texts."""

from dataclasses import replace

import pytest

from annotation.jobs import STOPPING, NoProgress
from epitome.schema import load_preset
from epitome.systems.chat_rewrite import ChatRewrite
from epitome.systems.config import parse_config
from epitome.systems.protocol import Request, SystemFault
from epitome.systems.registry import make_system
from modelbridge.models import ConstructionStep
from modelbridge.services.construction import step_jobs, step_worker, steps
from tests.construction.conftest import TOML
from tests.construction.rule_server import simplify

pytestmark = pytest.mark.django_db(transaction=True)


class FakeProcess:
    """Ends with the next of some exit codes; at 0 it has done the work."""

    codes: list[int] = []
    started = dismissed = 0

    def __init__(self, step_id, seconds, paths):
        type(self).started += 1
        self.step_id, self.process = step_id, self
        self.returncode = self.codes.pop(0)

    def wait(self, seconds):
        if self.returncode == 0:
            step_worker.work_in_process(ConstructionStep.objects.get(pk=self.step_id))
        return self.returncode is not None

    def dismiss(self):
        type(self).dismissed += 1


@pytest.fixture
def process(monkeypatch, settings):
    settings.EPITOME_CALL_PROCESSES = True
    monkeypatch.setattr(step_jobs, "PAUSE_SECONDS", 0)
    fake = type("Fake", (FakeProcess,), {"codes": []})
    monkeypatch.setattr(step_jobs, "CallProcess", fake)
    return fake


@pytest.fixture
def step(project, rewriter):
    return steps.start_step(
        project=project, key="readability", revision=rewriter, options={"n": 3}, by=None, queue_it=False
    )


def test_a_process_that_was_killed_is_replaced_by_the_next(step, process, server):
    process.codes = [-9, -9, 0]
    step_jobs.lead_step(step, NoProgress())
    step.refresh_from_db()
    assert step.state == "done" and process.started == process.dismissed == 3 and len(server.answered) == 3


def test_a_process_that_breaks_fails_the_step_with_its_exit_code(step, process):
    process.codes = [1]
    with pytest.raises(step_worker.StepFault, match="exit code 1"):
        step_jobs.lead_step(step, NoProgress())
    step.refresh_from_db()
    assert step.state == "failed" and "exit code 1" in step.error


def test_a_fault_that_the_process_stored_is_told(step, process):
    process.codes = [step_jobs.FAILED]
    steps.fail_step(step, "the chat server lab refused a request without a key (401)")
    ConstructionStep.objects.update(state="running")
    with pytest.raises(step_worker.StepFault, match="refused"):
        step_jobs.lead_step(step, NoProgress())


def test_a_worker_that_is_stopped_dismisses_the_process_and_goes(step, process):
    process.codes = [None]
    progress = NoProgress()
    progress.set = lambda *_counts: STOPPING.set()
    try:
        step_jobs.lead_step(step, progress)
    finally:
        STOPPING.clear()
    assert process.started == process.dismissed == 1
    assert ConstructionStep.objects.get().state == "queued"


def test_steps_that_ask_nobody_need_no_process(project, process):
    step = steps.start_step(project=project, key="keywords", by=None, queue_it=False)
    step_jobs.lead_step(step, NoProgress())
    step.refresh_from_db()
    assert step.state == "done" and process.started == 0


def request_for(text):
    return Request(id="s1", segments=(), values={}, schema=load_preset("ccsbench"), seed=3, text=text)


def test_the_system_rewrites_any_text_for_lay_readers(server):
    system = make_system(parse_config(TOML))
    assert isinstance(system, ChatRewrite) and system.role == "transform"
    outputs = system.transform([request_for("We count 3 bridges. They stand. They fall.")])
    assert [output.text for output in outputs] == [simplify("We count 3 bridges. They stand. They fall.")]
    assert outputs[0].usage["cost"] > 0 and outputs[0].decoding["temperature"] == 0.0


def test_the_system_refuses_a_request_without_a_text(server):
    with pytest.raises(SystemFault, match="s1: there is no text"):
        make_system(parse_config(TOML)).transform([replace(request_for(""), text=None)])
    assert not server.asked

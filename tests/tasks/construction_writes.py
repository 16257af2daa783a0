"""Writes of a construction, by name: what each needs is made first, then comes the write."""

import tempfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotation.jobs import NoProgress, create_job, renewing, running
from annotation.models import Job, Project
from annotation.services.people.projects import create_project
from annotation.services.sources.papers import PaperOptions, import_papers
from epitome.systems.protocol import Output
from modelbridge.models import ConstructionStep, Rewrite
from modelbridge.services.construction import building, calls, step_jobs, step_worker, steps
from modelbridge.services.systems import systems
from tests.construction.conftest import TOML
from tests.construction.make_papers import list_papers, write_papers

Work = Callable[[], Any]
TOKEN = "here:1:token"


def papers_project() -> Project:
    project = create_project(slug="papers", schema="ccsbench")
    folder = Path(tempfile.mkdtemp(dir=settings.DATA_DIR))
    path = write_papers(folder / "papers.jsonl", list_papers(3))
    import_papers(project=project, files=[(path, path.name)], options=PaperOptions(), progress=NoProgress())
    return project


def started(key: str = "focus") -> ConstructionStep:
    project = papers_project()
    revision = systems.register_system(project=project, toml_text=TOML, by=None)
    return steps.start_step(project=project, key=key, revision=revision, by=None)


def claimed(step: ConstructionStep) -> list[Rewrite]:
    assert step.revision is not None
    return calls.claim_calls(step, step.revision, TOKEN, 2)


def step_started(_world: Any) -> Work:
    project = papers_project()
    revision = systems.register_system(project=project, toml_text=TOML, by=None)
    return lambda: steps.start_step(project=project, key="focus", revision=revision, by=None)


def step_resumed(_world: Any) -> Work:
    """With a call that failed."""
    step = started()
    calls.fail_call(claimed(step)[0], TOKEN, "refused")
    steps.stop_step(step=step, by=None)
    return lambda: steps.start_step(project=step.project, key="focus", revision=step.revision, by=None)


def step_failed(_world: Any) -> Work:
    step = started()
    return lambda: steps.fail_step(step, "why")


def calls_claimed(_world: Any) -> Work:
    step = started()
    return lambda: claimed(step)


def calls_kept(_world: Any) -> Work:
    step = started()
    claimed(step)
    return lambda: renewing.extend_leases(step.rewrites.held_by(TOKEN))


def call_answered(_world: Any) -> Work:
    """The answer and the call that follows from it come together."""
    call = claimed(started())[0]
    output = Output('{"Empirical Content": "data", "Conceptual Content": "ideas"}')
    return lambda: calls.store_answer(call, TOKEN, output, [])


def call_failed(_world: Any) -> Work:
    call = claimed(started())[0]
    return lambda: calls.fail_call(call, TOKEN, "why")


def calls_released(_world: Any) -> Work:
    step = started()
    claimed(step)
    return lambda: calls.release_calls(step, TOKEN, interrupted=True)


def step_finished(_world: Any) -> Work:
    step = started("readability")
    step.rewrites.update(state="done", texts={"summary": "Put simply."})
    return lambda: building.finish_step(step)


def step_begun(_world: Any) -> Work:
    return step_worker.StepWorker(started(), NoProgress())._mark_running


def step_progress(_world: Any) -> Work:
    job = running.claim_job(create_job(kind="count_tokens", project=started().project, by=None).pk)
    assert job is not None
    Job.objects.filter(pk=job.pk).update(attempts=2)
    return lambda: step_jobs.reset_attempts(job)


def step_restarted(_world: Any) -> Work:
    """Alone: the world's own step is stalled as well once the world is older than a lease."""
    step = started()
    steps.jobs_of_step(step).delete()
    ConstructionStep.objects.exclude(pk=step.pk).update(state="done")
    ConstructionStep.objects.filter(pk=step.pk).update(started_at=timezone.now() - timedelta(days=1))
    return step_jobs.restart_stalled_steps


CONSTRUCTION_WRITES: dict[str, Callable[[Any], Work]] = {
    "construction started": step_started,
    "construction resumed": step_resumed,
    "construction failed": step_failed,
    "construction begun": step_begun,
    "construction's progress": step_progress,
    "construction started again": step_restarted,
    "construction finished": step_finished,
    "calls claimed": calls_claimed,
    "calls' leases": calls_kept,
    "call answered": call_answered,
    "call failed": call_failed,
    "calls released": calls_released,
}

"""Steps of filling the finished example that several of its jobs take: runs of systems, and rounds over them."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from annotation.jobs import JobPaused, Progress, create_job, run_job
from annotation.models import Job, Project
from annotation.services.scores import score_jobs
from annotation.transactions import write_transaction
from evaluation.models import Round, RoundState
from evaluation.services.example import rating
from evaluation.services.example.clock import work_in_the_past
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs
from modelbridge.models import Run, RunState, SystemOutput
from modelbridge.services.runs import run_worker, runs
from modelbridge.services.systems import systems

Step = tuple[Callable[[], bool], Callable[[], object]]
"""Whether it is done, and what does it."""
STEPS_KEPT = gettext_lazy("The steps done so far stay; the next start of the demo does the rest.")


def do_steps(steps: Sequence[Step], progress: Progress) -> dict[str, Any]:
    """Do the steps that are not done yet; returns how many were."""
    counts = progress.carry({"steps": 0})
    for index, (is_done, work) in enumerate(steps):
        progress.set(index, len(steps))
        progress.checkpoint()
        if not is_done():
            work()
            counts["steps"] += 1
    progress.set(len(steps), len(steps))
    return counts


def find_person(name: str) -> User:
    return User.objects.get(username=name)


def ensure_job(project: Project, kind: str) -> Job:
    """The job of a kind that is under way in the project, or a new one."""
    return Job.objects.under_way().filter(project=project, kind=kind).first() or create_job(
        kind=kind, project=project, by=find_person("admin")
    )


def has_run(project: Project, key: str) -> bool:
    """Whether a run of the system is done."""
    return Run.objects.done().filter(project=project, revision__system__key=key).exists()


def run_system(project: Project, key: str, progress: Progress | None = None) -> None:
    """Run a system now, or go on with a run that gave way, and date it to the Monday after the writing: leases of a run
    need the real time. Raises JobPaused where the worker is to stop meanwhile."""
    researcher = find_person("researcher")
    revision = systems.register_shipped(project=project, key=key, by=researcher)
    unfinished = Run.objects.filter(project=project, revision=revision).exclude(state=RunState.DONE)
    run = unfinished.under_way().first()
    if run is None:
        unfinished.delete()
        run = runs.start_run(project=project, revision=revision, by=researcher, queue_it=False)
    run_worker.work_in_process(run, progress)
    if Run.objects.under_way().filter(pk=run.pk).exists():
        raise JobPaused("the worker stops before the run has ended")
    date_back(run)


def date_back(run: Run) -> None:
    """Move the times of a run and its outputs to the Monday after the writing; what they took stays."""
    run.refresh_from_db()
    with work_in_the_past() as clock:
        clock.set(week=3, hour=12)
        earlier = clock.now - run.created_at
    shifted = {
        name: getattr(run, name) + earlier for name in ("created_at", "started_at", "finished_at") if getattr(run, name)
    }
    with write_transaction():
        Run.objects.filter(pk=run.pk).update(**shifted)
        outputs = list(run.outputs.all())
        for output in outputs:
            output.created_at += earlier
            if output.finished_at is not None:
                output.finished_at += earlier
        SystemOutput.objects.bulk_update(outputs, ["created_at", "finished_at"])


def has_round(project: Project, plan: rating.RoundPlan) -> bool:
    round_ = Round.objects.filter(project=project, name=plan.name).first()
    if round_ is None:
        return False
    return (
        round_.state == RoundState.OPEN if plan.name == rating.OPEN else report_jobs.stored_report(round_) is not None
    )


def hold_round(project: Project, plan: rating.RoundPlan) -> None:
    """Launch, rate, close, unblind and report a round; the open one is rated in part."""
    researcher = find_person("researcher")
    score_jobs.score_project(project=project)
    round_ = Round.objects.filter(project=project, name=plan.name).first()
    with work_in_the_past() as clock:
        clock.set(week=3, day=plan.day, hour=9)
        if round_ is None:
            run_ids = {
                key: str(Run.objects.done().filter(project=project, revision__system__key=key)[0].public_id)
                for key in plan.runs
            }
            round_ = rating.launch_round(project=project, plan=plan, run_ids=run_ids, by=researcher)
        is_open = plan.name == rating.OPEN
        for name in sorted(rating.judging.HABITS):
            clock.advance(15)
            if round_.state == RoundState.OPEN:
                rating.rate(round_, find_person(name), clock, rating.LEFT_FOR_VISITORS if is_open else None)
        if is_open:
            return
        for action in ("close", "unblind"):
            clock.advance(10)
            if action in round_control.allowed_actions(round_):
                round_control.apply_action(round_=round_, action=action, by=researcher)
    run_now(report_jobs.start_report(round_=round_, by=researcher))


def run_now(job: Job) -> None:
    """Work on a job of this project in this process. Raises RuntimeError if it fails."""
    run_job(job.pk)
    job.refresh_from_db()
    if job.error:
        raise RuntimeError(f"{job.kind}: {job.error}")

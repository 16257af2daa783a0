"""The finished example project: three weeks of writing, inspection, runs, rounds, statistics and a release.

Everything is stored by the services that pages and API call, and every number is computed by them. `ensure_project`
takes a moment; `fill_project` takes tens of seconds, so that the demo leaves it to a job.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, create_job, register_handler, run_job
from annotation.models import InspectionWeek, Job, Project, Release, Role, SourceDocument
from annotation.services import example
from annotation.services.contrastives.example import add_example_set
from annotation.services.contrastives.sets import find_current_set
from annotation.services.exports import exporting
from annotation.services.people import members, projects
from annotation.services.sampling import draw
from annotation.services.scores import score_jobs
from annotation.services.sources import candidates, importing
from annotation.services.statistics import stored
from annotation.transactions import write_transaction
from epitome.formats.options import ImportOptions
from evaluation.models import Round, RoundState
from evaluation.services.example import aggregating, content, inspecting, local_model_run, rating, writing
from evaluation.services.example.clock import work_in_the_past
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_jobs
from modelbridge.models import Run, RunState, SystemOutput
from modelbridge.services.runs import run_worker, runs
from modelbridge.services.runs.system_processes import HOSTS
from modelbridge.services.systems import systems

KIND = "example-finish"
SLUG = "example-finished"
NAME = "Example: a finished project"
WRITERS = ("annotator1", "annotator2", "annotator3", "annotator4")
SYSTEMS = ("lead", "textrank", "controlled-extract")
TAG = "v1"
SEED = 7
WEEKS = 3
UNITS_OF_WEEK = (12, 12)
"""Groups written in the first weeks, in all; the last week has the rest."""


def ensure_project() -> Project:
    """The project with its members, created if it is missing; what it lacks is added by `fill_project`."""
    example.ensure_people()
    ensure_writers()
    project = Project.objects.filter(slug=SLUG).first()
    if project is None:
        with work_in_the_past():
            project = projects.create_project(
                slug=SLUG,
                name=NAME,
                schema=content.PRESET,
                created_by=_person("admin"),
                overlap=2,
            )
            example.ensure_members(project)
            for name in WRITERS:
                members.add_member(project=project, username=name, role=Role.ANNOTATOR, by=_person("admin"))
                writing.confirm_guideline(project, _person(name))
    return project


def is_finished(project: Project) -> bool:
    """Whether the last step is done."""
    return Release.objects.filter(project=project, tag=TAG).exists()


def start_filling(project: Project) -> Job | None:
    """Queue the job that fills the project; None if it is finished. Idempotent."""
    if is_finished(project):
        return None
    waiting = Job.objects.under_way().filter(project=project, kind=KIND).first()
    return waiting or create_job(kind=KIND, project=project, by=_person("admin"))


STEPS_KEPT = gettext_lazy("The steps done so far stay; the next start of the demo does the rest.")


@register_handler(
    KIND, gettext_lazy("Fill the example"), queue="text", takes_turns=True, page="project", kept=STEPS_KEPT
)
def run_filling(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None or job.project.slug != SLUG:
        raise JobRefused("The project was deleted.")
    try:
        return fill_project(job.project, progress)
    finally:
        HOSTS.close()  # the systems were loaded for this job


def fill_project(project: Project, progress: Progress | None = None) -> dict[str, Any]:
    """Do the steps that are not done yet; returns how many were. An interrupted step resumes where it stopped."""
    steps: list[tuple[Callable[[], bool], Callable[[], object]]] = [
        (partial(_is_written, project), partial(_write_three_weeks, project)),
        *[(partial(has_run, project, key), partial(_run_system, project, key)) for key in SYSTEMS],
        *[(partial(_has_round, project, plan), partial(_hold_round, project, plan)) for plan in rating.PLANS],
        (partial(_has_samples, project, content.OPEN), partial(_add_open_sources, project)),
        (lambda: stored.stored_splits(project) is not None, partial(_compute_statistics, project)),
        (lambda: find_current_set(project) is not None, partial(_add_contrastives, project)),
        (aggregating.is_written, aggregating.write_aggregations),
        (partial(is_finished, project), partial(_freeze_release, project)),
        (partial(_has_or_needs_no_model_run, project), partial(local_model_run.queue_run, project)),
    ]
    progress = progress or NoProgress()
    counts = progress.carry({"steps": 0})
    for index, (is_done, work) in enumerate(steps):
        progress.set(index, len(steps))
        progress.checkpoint()
        if not is_done():
            work()
            counts["steps"] += 1
    progress.set(len(steps), len(steps))
    return counts


def _has_or_needs_no_model_run(project: Project) -> bool:
    return local_model_run.is_queued(project) or not local_model_run.is_served()


def _person(name: str) -> User:
    return User.objects.get(username=name)


def ensure_writers() -> None:
    """The annotators beside annotator1: accounts without a password, which nobody can sign in to."""
    for name in WRITERS:
        if not User.objects.filter(username=name).exists():
            user = User(username=name)
            user.set_unusable_password()
            with write_transaction():
                user.save()


def _has_samples(project: Project, batch: content.Batch) -> bool:
    drawn = SourceDocument.objects.filter(project=project, external_id__in=batch.names, samples__isnull=False)
    return drawn.distinct().count() == len(batch.names)


def _add_sources(project: Project, batch: content.Batch) -> None:
    """Import sources, list their candidates and draw their samples."""
    projects.change_settings(project=project, by=_person("admin"), overlap=batch.overlap)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sources.jsonl"
        content.write_import_file(batch.names, path)
        importing.import_file(
            project=project,
            path=path,
            file_name=path.name,
            options=ImportOptions(format="jsonl"),
            by=_person("researcher"),
        )
    candidates.extract_candidates(project=project)
    options = draw.default_options(
        project, seed=batch.seed, per_2000_words=batch.per_2000_words, algorithm=content.ALGORITHM
    )
    draw.sample_attributes(project=project, options=options, by=_person("researcher"))


def _is_written(project: Project) -> bool:
    """Whether the last week was inspected."""
    return InspectionWeek.objects.filter(project=project).count() >= WEEKS


def _write_three_weeks(project: Project) -> None:
    """All the writing and inspecting, on the example's clock."""
    with work_in_the_past() as clock:
        desk = writing.Desk(project, clock, Random(SEED), _person("researcher"))
        writers = [_person(name) for name in WRITERS]
        clock.set(week=0, day=0, hour=8)
        _add_sources(project, content.OVERLAPPING)
        for day, writer in ((0, writers[0]), (0, writers[1])):
            clock.set(week=0, day=day, hour=9)
            while writing.write_next_unit(desk, writer):
                clock.advance(20)
        clock.set(week=0, day=1, hour=8)
        _add_sources(project, content.WRITTEN)
        for week in range(WEEKS):
            _write_week(desk, writers, week)
            _inspect_after(desk, writers, week)


def _write_week(desk: writing.Desk, writers: list[User], week: int) -> None:
    """Some groups each, on four days; the last week continues until nothing is left."""
    left = UNITS_OF_WEEK[week] if week < len(UNITS_OF_WEEK) else None
    for day in range(1, 5):
        for turn, writer in enumerate(writers):
            if left == 0:
                return
            desk.clock.set(week=week, day=day, hour=9 + 2 * turn, minute=desk.random.randint(0, 40))
            if writing.write_next_unit(desk, writer) and left is not None:
                left -= 1
    n_written = 1 if left is None else 0
    while n_written:
        n_written = sum(writing.write_next_unit(desk, writer) for writer in writers)
        desk.clock.advance(30)


def _inspect_after(desk: writing.Desk, writers: list[User], week: int) -> None:
    """The Monday after: inspection; then revisions and a second look at them. The last week keeps some open."""
    is_last = week == WEEKS - 1
    desk.clock.set(week=week + 1, hour=9)
    inspecting.inspect_week(
        desk,
        week_of_example=week,
        reviewer=_person("reviewer"),
        second=_person("researcher"),
        leave=inspecting.LEFT_OPEN if is_last else 0,
    )
    if is_last:
        return
    desk.clock.set(week=week + 1, hour=15)
    for writer in writers:
        writing.revise_returned(desk, writer)
    desk.clock.set(week=week + 1, day=1, hour=8)
    inspecting.inspect_revised(desk, _person("reviewer"))
    if week == 0:
        inspecting.mark_overlaps(desk, desk.researcher)


def has_run(project: Project, key: str) -> bool:
    """Whether a run of the system is done."""
    return Run.objects.done().filter(project=project, revision__system__key=key).exists()


def _run_system(project: Project, key: str) -> None:
    """Run a system now, and date it to the Monday after the writing: leases of a run need the real time."""
    researcher = _person("researcher")
    revision = systems.register_shipped(project=project, key=key, by=researcher)
    Run.objects.filter(project=project, revision=revision).exclude(state=RunState.DONE).delete()
    run = runs.start_run(project=project, revision=revision, by=researcher, queue_it=False)
    run_worker.work_in_process(run)
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


def _has_round(project: Project, plan: rating.RoundPlan) -> bool:
    round_ = Round.objects.filter(project=project, name=plan.name).first()
    if round_ is None:
        return False
    return (
        round_.state == RoundState.OPEN if plan.name == rating.OPEN else report_jobs.stored_report(round_) is not None
    )


def _hold_round(project: Project, plan: rating.RoundPlan) -> None:
    """Launch, rate, close, unblind and report a round; the open one is rated in part."""
    researcher = _person("researcher")
    if plan.name == rating.PLANS[0].name:
        score_jobs.score_project(project=project)
    round_ = Round.objects.filter(project=project, name=plan.name).first()
    with work_in_the_past() as clock:
        clock.set(week=3, day=1 + rating.PLANS.index(plan), hour=9)
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
                rating.rate(round_, _person(name), clock, rating.LEFT_FOR_VISITORS if is_open else None)
        if is_open:
            return
        for action in ("close", "unblind"):
            clock.advance(10)
            if action in round_control.allowed_actions(round_):
                round_control.apply_action(round_=round_, action=action, by=researcher)
    _run_now(report_jobs.start_report(round_=round_, by=researcher))


def _add_contrastives(project: Project) -> None:
    add_example_set(project)


def _add_open_sources(project: Project) -> None:
    """A text that came last and waits for its annotators."""
    with work_in_the_past() as clock:
        clock.set(week=3, day=4, hour=9)
        _add_sources(project, content.OPEN)


def _compute_statistics(project: Project) -> None:
    score_jobs.score_project(project=project)
    _run_now(stored.start_statistics(project=project, by=_person("researcher")))


def _freeze_release(project: Project) -> None:
    options = exporting.ExportOptions(format="jsonl", state="accepted", release=TAG)
    _run_now(exporting.start_export(project=project, options=options, by=_person("researcher")))


def _run_now(job: Job) -> None:
    """Work on a job of this project in this process. Raises RuntimeError if it fails."""
    run_job(job.pk)
    job.refresh_from_db()
    if job.error:
        raise RuntimeError(f"{job.kind}: {job.error}")

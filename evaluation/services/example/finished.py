"""The finished example project: three weeks of writing, inspection, runs, rounds, statistics and a release.

Everything is stored by the services that pages and API call, and every number is computed by them. `ensure_project`
takes a moment; `fill_project` takes tens of seconds, so that the demo leaves it to a job.
"""

from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, NoProgress, Progress, register_handler
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
from evaluation.services.example import aggregating, content, inspecting, local_model_run, rating, writing
from evaluation.services.example.clock import work_in_the_past
from evaluation.services.example.steps import (
    STEPS_KEPT,
    Step,
    do_steps,
    ensure_job,
    find_person,
    has_round,
    has_run,
    hold_round,
    run_now,
    run_system,
)
from modelbridge.services.runs.system_processes import HOSTS

KIND = "example-finish"
SLUG = content.SLUG
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
                created_by=find_person("admin"),
                overlap=2,
            )
            example.ensure_members(project)
            for name in WRITERS:
                members.add_member(project=project, username=name, role=Role.ANNOTATOR, by=find_person("admin"))
                writing.confirm_guideline(project, find_person(name))
    return project


def is_finished(project: Project) -> bool:
    """Whether the last step is done."""
    return Release.objects.filter(project=project, tag=TAG).exists()


def start_filling(project: Project) -> Job | None:
    """Queue the job that fills the project; None if it is finished. Idempotent."""
    if is_finished(project):
        return None
    return ensure_job(project, KIND)


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
    steps: list[Step] = [
        (partial(_is_written, project), partial(_write_three_weeks, project)),
        *[(partial(has_run, project, key), partial(run_system, project, key)) for key in SYSTEMS],
        *[(partial(has_round, project, plan), partial(hold_round, project, plan)) for plan in rating.PLANS],
        (partial(_has_samples, project, content.OPEN), partial(_add_open_sources, project)),
        (lambda: stored.stored_splits(project) is not None, partial(_compute_statistics, project)),
        (lambda: find_current_set(project) is not None, partial(_add_contrastives, project)),
        (aggregating.is_written, aggregating.write_aggregations),
        (partial(is_finished, project), partial(_freeze_release, project)),
        (partial(_has_or_needs_no_model, project), partial(local_model_run.start_job, project)),
    ]
    return do_steps(steps, progress or NoProgress())


def _has_or_needs_no_model(project: Project) -> bool:
    return local_model_run.is_done(project) or not local_model_run.is_served()


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
    projects.change_settings(project=project, by=find_person("admin"), overlap=batch.overlap)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sources.jsonl"
        content.write_import_file(batch.names, path)
        importing.import_file(
            project=project,
            path=path,
            file_name=path.name,
            options=ImportOptions(format="jsonl"),
            by=find_person("researcher"),
        )
    candidates.extract_candidates(project=project)
    options = draw.default_options(
        project, seed=batch.seed, per_2000_words=batch.per_2000_words, algorithm=content.ALGORITHM
    )
    draw.sample_attributes(project=project, options=options, by=find_person("researcher"))


def _is_written(project: Project) -> bool:
    """Whether the last week was inspected."""
    return InspectionWeek.objects.filter(project=project).count() >= WEEKS


def _write_three_weeks(project: Project) -> None:
    """All the writing and inspecting, on the example's clock."""
    with work_in_the_past() as clock:
        desk = writing.Desk(project, clock, Random(SEED), find_person("researcher"))
        writers = [find_person(name) for name in WRITERS]
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
        reviewer=find_person("reviewer"),
        second=find_person("researcher"),
        leave=inspecting.LEFT_OPEN if is_last else 0,
    )
    if is_last:
        return
    desk.clock.set(week=week + 1, hour=15)
    for writer in writers:
        writing.revise_returned(desk, writer)
    desk.clock.set(week=week + 1, day=1, hour=8)
    inspecting.inspect_revised(desk, find_person("reviewer"))
    if week == 0:
        inspecting.mark_overlaps(desk, desk.researcher)


def _add_contrastives(project: Project) -> None:
    add_example_set(project)


def _add_open_sources(project: Project) -> None:
    """A text that came last and waits for its annotators."""
    with work_in_the_past() as clock:
        clock.set(week=3, day=4, hour=9)
        _add_sources(project, content.OPEN)


def _compute_statistics(project: Project) -> None:
    score_jobs.score_project(project=project)
    run_now(stored.start_statistics(project=project, by=find_person("researcher")))


def _freeze_release(project: Project) -> None:
    options = exporting.ExportOptions(format="jsonl", state="accepted", release=TAG)
    run_now(exporting.start_export(project=project, options=options, by=find_person("researcher")))

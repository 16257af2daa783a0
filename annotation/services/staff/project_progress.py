"""How far projects are and what waits in them for their team, for Home: as many queries for a hundred as for one."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import (
    AuditEvent,
    Inspection,
    InspectionSample,
    Job,
    JobState,
    Project,
    Question,
    Sample,
    Slot,
    SlotState,
    SourceDocument,
    StoredCounts,
)
from annotation.services.inspection.queue import select_resubmitted
from annotation.services.staff.header_counts import REMEMBERED, UNATTENDED, build_count

STORED_COLUMNS = ("project_id", "counts__pipeline__filled", "counts__pipeline__slots", "counts__inspection", "at")
STALE = timedelta(minutes=10)
"""Older stored counts are shown with their time."""


class UndecidedRound(NamedTuple):
    """A round by its public id and number, and how many disagreements of it are to be decided."""

    public_id: str
    number: int
    n: int


@dataclass
class RoundTotals:
    """Launched rounds of one project: all, unblinded ones, open ones, those of these with nothing left to rate; and
    their ratings. undecided: unblinded rounds with disagreements that nobody has decided."""

    launched: int = 0
    unblinded: int = 0
    open: int = 0
    complete: int = 0
    rated: int = 0
    ratings: int = 0
    undecided: list[UndecidedRound] = field(default_factory=list)


@dataclass
class ProjectProgress:
    """Written of all slots, inspected of those drawn, ratings; and what waits. has_samples: without slots those of a
    benchmark that was imported with its summaries. counted_at: of stored counts that are not new. jobs_failed: of the
    last days. last_event: the newest audit event."""

    has_sources: bool = False
    has_samples: bool = False
    written: int = 0
    slots: int = 0
    counted_at: datetime | None = None
    inspected: int = 0
    to_inspect: int = 0
    questions: int = 0
    resubmitted: int = 0
    jobs_under_way: int = 0
    jobs_failed: int = 0
    rounds: RoundTotals = field(default_factory=RoundTotals)
    last_event: AuditEvent | None = None


ROUND_TOTALS = ExtensionPoint[Callable[[list[int]], Mapping[int, RoundTotals]]]("round totals", key=qualified_name)
"""Project ids -> totals by project. Registered by the evaluation app."""


def load_progress(projects: list[int]) -> dict[int, ProjectProgress]:
    """The progress of each of these projects. Nine queries at most."""
    progress = {key: ProjectProgress() for key in projects}
    if not projects:
        return progress
    _add_written(progress)
    _add_waiting(progress)
    for read_totals in ROUND_TOTALS:
        for key, totals in read_totals(projects).items():
            progress[key].rounds = totals
    return progress


def _add_written(progress: dict[int, ProjectProgress]) -> None:
    """Large projects by their stored counts, which a sweeper refreshes; the others are counted."""
    counted = set(progress)
    stored = StoredCounts.objects.filter(project__in=progress).values_list(*STORED_COLUMNS)
    for key, filled, slots, inspection, at in stored:
        if filled is None or slots is None or inspection is None:
            continue
        counted.remove(key)
        row = progress[key]
        row.written, row.slots = filled, slots
        row.to_inspect, row.inspected = inspection
        row.counted_at = at if timezone.now() - at > STALE else None
    if not counted:
        return
    slots_by_state = Slot.objects.filter(project__in=counted, sample__isnull=False).order_by()
    for key, state, n in slots_by_state.values_list("project", "state").annotate(n=Count("pk")):
        progress[key].slots += n
        progress[key].written += n if state == SlotState.FILLED else 0
    for key, (n_drawn, n_inspected) in count_inspections(counted).items():
        progress[key].to_inspect, progress[key].inspected = n_drawn, n_inspected


def count_inspections(projects: Collection[int]) -> dict[int, tuple[int, int]]:
    """Project -> summaries drawn for inspection, and inspected ones of these. One query."""
    looks = Inspection.objects.filter(annotation=OuterRef("annotation"), second=False)
    drawn = InspectionSample.objects.filter(project__in=projects, second=False).annotate(looked=Exists(looks))
    counts = drawn.order_by().values_list("project").annotate(n=Count("pk"), done=Count("pk", filter=Q(looked=True)))
    return {key: (n_drawn, n_inspected) for key, n_drawn, n_inspected in counts}


def _select_waiting(projects: Collection[int]) -> "QuerySet[Project, Any]":
    """What waits in projects, whether there is any source and sample, and the newest event: all by indexes, for each
    project."""
    of_project = {"project": OuterRef("pk")}
    jobs = Job.objects.filter(**of_project)
    failed = jobs.filter(state__in=JobState.UNSUCCESSFUL, finished_at__gt=timezone.now() - REMEMBERED)
    return Project.objects.filter(pk__in=projects).values_list(
        "pk",
        Exists(SourceDocument.objects.filter(**of_project)),
        Exists(Sample.objects.filter(**of_project)),
        build_count(Question.objects.filter(answered_at=None, **of_project)),
        build_count(select_resubmitted().filter(**of_project)),
        build_count(jobs.under_way().exclude(kind__in=UNATTENDED)),
        build_count(failed),
        Subquery(AuditEvent.objects.filter(**of_project).order_by("-id").values("pk")[:1]),
    )


def _add_waiting(progress: dict[int, ProjectProgress]) -> None:
    newest = []
    for key, has_sources, has_samples, *counts, newest_event in _select_waiting(progress):
        row = progress[key]
        row.has_sources, row.has_samples = bool(has_sources), bool(has_samples)
        row.questions, row.resubmitted, row.jobs_under_way, row.jobs_failed = counts
        newest += [newest_event] if newest_event else []
    for event in AuditEvent.objects.filter(pk__in=newest).select_related("actor"):
        if event.project_id is not None:
            progress[event.project_id].last_event = event

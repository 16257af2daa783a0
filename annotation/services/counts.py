"""The counts of a dashboard. For large projects they are stored, so that the page need not count again at every look.

Stored counts are exact as long as nothing was written since: every write leaves an audit event. After that they count
as fresh for a few minutes; the sweeper makes new ones every minute, and without a worker the page makes them itself.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone

from annotation.jobs.registry import register_sweeper
from annotation.models import (
    Assignment,
    AssignmentState,
    AuditEvent,
    Membership,
    Project,
    Role,
    SampleState,
    Slot,
    SlotState,
    StoredCounts,
)
from annotation.services import ledger_days, overview
from annotation.services.overview import Cell, Pipeline

LARGE = 20_000
"""Places from which on counts are stored."""
FRESH = timedelta(seconds=150)
AGAIN = (AssignmentState.EXPIRED, AssignmentState.RELEASED)
# Attempts that use up a person for a sample and leave its place empty.
SPENT = (AssignmentState.SKIPPED, AssignmentState.REJECTED, AssignmentState.SURPLUS, AssignmentState.VOID)


@dataclass(frozen=True, slots=True)
class Counts:
    """states: (user id, state, how many attempts). unfillable: samples with more empty places than people left.
    at: when it was counted."""

    pipeline: Pipeline
    coverage: Sequence[Cell]
    states: Sequence[tuple[int, str, int]]
    unfillable: int
    at: datetime

    def as_json(self) -> dict[str, Any]:
        return {
            "pipeline": asdict(self.pipeline),
            "coverage": [asdict(cell) for cell in self.coverage],
            "states": [list(row) for row in self.states],
            "unfillable": self.unfillable,
        }


def counts_of(project: Project) -> Counts:
    """Exact, or at most `FRESH` old for a large project."""
    stored = StoredCounts.objects.filter(project=project).defer("ledger").first()
    if stored is not None and (_is_exact(stored) or timezone.now() - stored.at < FRESH):
        return _read_stored(stored)
    return _count_and_store(project)


def _is_exact(stored: StoredCounts) -> bool:
    return stored.counts.get("event") == _last_event(stored.project_id)


def _last_event(project_id: int) -> int:
    newest = AuditEvent.objects.filter(project=project_id).order_by("-id").values_list("id", flat=True).first()
    return newest or 0


def _read_stored(stored: StoredCounts) -> Counts:
    data = stored.counts
    return Counts(
        pipeline=Pipeline(**data["pipeline"]),
        coverage=[Cell(**cell) for cell in data["coverage"]],
        states=[(user, state, n) for user, state, n in data["states"]],
        unfillable=data["unfillable"],
        at=stored.at,
    )


def _count_and_store(project: Project) -> Counts:
    event = _last_event(project.pk)
    counts = count_project(project)
    if counts.pipeline.slots >= LARGE:
        StoredCounts.objects.update_or_create(
            project=project, defaults={"counts": {**counts.as_json(), "event": event}, "at": counts.at}
        )
    return counts


def stored_ledger(project: Project) -> list[list[Any]] | None:
    """The days of a ledger as the worker stored them: exact, or at most `FRESH` old. None: they are to be counted."""
    ledger = StoredCounts.objects.filter(project=project).values_list("ledger", flat=True).first()
    if not ledger:
        return None
    fresh = timezone.now() - datetime.fromisoformat(ledger["at"]) < FRESH
    rows: list[list[Any]] = ledger["days"]
    return rows if fresh or ledger["event"] == _last_event(project.pk) else None


def _store_ledger(project: Project) -> None:
    """For the worker: no page waits for it."""
    event, at = _last_event(project.pk), timezone.now()
    days = ledger_days.as_json(ledger_days.count_days(project))
    ledger = {"event": event, "at": at.isoformat(), "days": days}
    StoredCounts.objects.filter(project=project).update(ledger=ledger)


def count_project(project: Project) -> Counts:
    """Count now. The same number of queries at any size."""
    at = timezone.now()
    attempts = Assignment.objects.filter(project=project).order_by()
    states = attempts.values_list("annotator_id", "state").annotate(n=Count("pk"))
    return Counts(
        overview.count_pipeline(project), overview.count_coverage(project), list(states), _count_unfillable(project), at
    )


def _count_unfillable(project: Project) -> int:
    """How many samples have more empty places than annotators who can still take one.

    Where nobody left a place empty for good, the people who had a sample stand in its other places: it can be filled
    as long as there are as many people as places. So only samples with such an attempt are looked at.
    """
    people = Membership.objects.filter(project=project, role=Role.ANNOTATOR, user__is_active=True).values("user_id")
    n_people = people.count()
    empty = Slot.objects.filter(
        project=project, state__in=[SlotState.OPEN, SlotState.WAITING], sample__state=SampleState.ACTIVE
    )
    if n_people < project.overlap:
        return empty.values("sample_id").distinct().count()
    touched = Assignment.objects.filter(project=project, state__in=SPENT, sample__isnull=False).values("sample_id")
    places = dict(empty.filter(sample_id__in=touched).values_list("sample_id").annotate(n=Count("pk")))
    if not places:
        return 0
    had = Q(annotator_id__in=people, sample_id__in=touched)
    rows = Assignment.objects.filter(had, project=project).exclude(state__in=AGAIN).order_by()
    spent = dict(rows.values_list("sample_id").annotate(n=Count("annotator_id")))
    return sum(n > n_people - spent.get(sample, 0) for sample, n in places.items())


@register_sweeper
def refresh_counts() -> int:
    """Count large projects anew in which something was written; returns how many were counted."""
    n_counted = 0
    for project in (
        Project.objects.filter(archived_at=None)
        .select_related("stored_counts")
        .defer("stored_counts__ledger")
        .order_by("pk")
    ):
        stored = getattr(project, "stored_counts", None)
        if stored is None:
            is_due = Slot.objects.filter(project=project).order_by("pk")[LARGE : LARGE + 1].exists()
        else:
            is_due = not _is_exact(stored)
        if is_due:
            _count_and_store(project)
            _store_ledger(project)
            n_counted += 1
    return n_counted

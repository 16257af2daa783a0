"""The counts of a dashboard, cached in the database for large projects.

Stored counts are exact as long as nothing was written since: every write leaves an audit event. After a write they are
used for a few more minutes; the sweeper recounts every minute, and without a worker the page recounts itself.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Count, Q
from django.utils import timezone

from annotation.jobs.registry import register_sweeper
from annotation.models import (
    Assignment,
    AssignmentState,
    AuditEvent,
    Membership,
    Project,
    SampleState,
    Slot,
    SlotState,
    StoredCounts,
)
from annotation.services.inspection import verdicts_by_day
from annotation.services.inspection.weekly_sample import project_zone
from annotation.services.staff import ledger_daily, pipeline_counts, project_progress
from annotation.services.staff.pipeline_counts import Cell, Pipeline
from annotation.services.staff.written_by_day import WrittenByDay, count_written_by_day

LARGE = 20_000
"""Number of slots from which on counts are stored."""
FRESH = timedelta(seconds=150)
# States in which an annotator cannot take the sample again but its slot stays empty.
SPENT = (AssignmentState.SKIPPED, AssignmentState.REJECTED, AssignmentState.SURPLUS, AssignmentState.VOID)


@dataclass(frozen=True, slots=True)
class Counts:
    """states: (user id, state, number of attempts). unfillable: samples with more empty slots than available
    annotators. at: when it was counted."""

    pipeline: Pipeline
    coverage: Sequence[Cell]
    states: Sequence[tuple[int, str, int]]
    unfillable: int
    by_day: WrittenByDay
    at: datetime

    def as_json(self) -> dict[str, Any]:
        return {
            "pipeline": asdict(self.pipeline),
            "coverage": [asdict(cell) for cell in self.coverage],
            "states": [list(row) for row in self.states],
            "unfillable": self.unfillable,
            "by_day": self.by_day.as_json(),
        }


def counts_of(project: Project) -> Counts:
    """Exact counts, or for a large project at most `FRESH` old."""
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
        by_day=WrittenByDay.from_json(data.get("by_day", {})),
        at=stored.at,
    )


def _count_and_store(project: Project) -> Counts:
    event = _last_event(project.pk)
    counts = count_project(project)
    if counts.pipeline.slots >= LARGE:
        inspection = project_progress.count_inspections([project.pk]).get(project.pk, (0, 0))
        StoredCounts.objects.update_or_create(
            project=project,
            defaults={"counts": {**counts.as_json(), "inspection": inspection, "event": event}, "at": counts.at},
        )
    return counts


class StoredDays(NamedTuple):
    """ledger: the days of a ledger; verdicts: the days of inspections, None in counts of an earlier version. Rows as
    their modules write them."""

    ledger: list[list[Any]]
    verdicts: list[list[Any]] | None


def stored_days(project: Project) -> StoredDays | None:
    """The stored days: exact, or at most `FRESH` old. None: they must be counted."""
    ledger = StoredCounts.objects.filter(project=project).values_list("ledger", flat=True).first()
    if not ledger:
        return None
    fresh = timezone.now() - datetime.fromisoformat(ledger["at"]) < FRESH
    rows = StoredDays(ledger["days"], ledger.get("verdicts"))
    return rows if fresh or ledger["event"] == _last_event(project.pk) else None


def _store_days(project: Project) -> None:
    """Runs in the worker only; no page waits for it."""
    event, at = _last_event(project.pk), timezone.now()
    days = ledger_daily.as_json(ledger_daily.count_days(project))
    verdicts = verdicts_by_day.as_json(verdicts_by_day.count_verdicts_by_day(project))
    ledger = {"event": event, "at": at.isoformat(), "days": days, "verdicts": verdicts}
    StoredCounts.objects.filter(project=project).update(ledger=ledger)


def count_project(project: Project) -> Counts:
    """Count now. The same number of queries at any size."""
    at = timezone.now()
    attempts = Assignment.objects.filter(project=project).order_by()
    states = attempts.values_list("annotator_id", "state").annotate(n=Count("pk"))
    return Counts(
        pipeline_counts.count_pipeline(project),
        pipeline_counts.count_coverage(project),
        list(states),
        _count_unfillable(project),
        count_written_by_day(project, at.astimezone(project_zone(project)).date()),
        at,
    )


def _count_unfillable(project: Project) -> int:
    """Number of samples with more empty slots than annotators who can still take one.

    Without spent attempts, everyone who had the sample occupies another slot of it, so it can be filled as long as
    there are as many annotators as slots. Therefore only samples with spent attempts are checked.
    """
    people = Membership.objects.active_annotators().filter(project=project).values("user_id")
    n_people = people.count()
    empty = Slot.objects.filter(project=project, state__in=SlotState.FREE, sample__state=SampleState.ACTIVE)
    if n_people < project.overlap:
        return empty.values("sample_id").distinct().count()
    touched = Assignment.objects.filter(project=project, state__in=SPENT, sample__isnull=False).values("sample_id")
    places = dict(empty.filter(sample_id__in=touched).values_list("sample_id").annotate(n=Count("pk")))
    if not places:
        return 0
    had = Q(annotator_id__in=people, sample_id__in=touched)
    rows = Assignment.objects.filter(had, project=project).exclude(state__in=AssignmentState.LATE).order_by()
    spent = dict(rows.values_list("sample_id").annotate(n=Count("annotator_id")))
    return sum(n > n_people - spent.get(sample, 0) for sample, n in places.items())


@register_sweeper
def refresh_counts() -> int:
    """Recount large projects with new writes; returns how many were counted."""
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
            _store_days(project)
            n_counted += 1
    return n_counted

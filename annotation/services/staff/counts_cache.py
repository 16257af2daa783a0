"""The counts of a dashboard, cached in the database for large projects.

Stored counts are exact as long as nothing was written since: every write leaves an audit event. After a write they are
used for a few more minutes; the sweeper recounts every minute, and without a worker the page recounts itself.
"""

from collections.abc import Mapping, Sequence
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
    SampleState,
    Slot,
    SlotState,
    StoredCounts,
)
from annotation.services.core.prepared_queries import IntParam, Prepared
from annotation.services.inspection.weekly_sample import project_zone
from annotation.services.staff import ledger_daily, pipeline_counts, project_progress, recorded_work
from annotation.services.staff.pipeline_counts import Cell, Pipeline
from annotation.services.staff.recorded_work import RecordedWork
from annotation.services.staff.written_by_day import WrittenByDay, count_written_by_day

LARGE = 20_000
"""Number of slots from which on counts are stored."""
FRESH = timedelta(seconds=150)
# States in which an annotator cannot take the sample again but its slot stays empty.
SPENT = (AssignmentState.SKIPPED, AssignmentState.REJECTED, AssignmentState.SURPLUS, AssignmentState.VOID)
STORED: Prepared[StoredCounts] = Prepared(
    lambda: StoredCounts.objects.filter(project=IntParam("project")).defer("ledger")
)
STORED_WORK: Prepared[tuple[dict[str, Any] | None]] = Prepared(
    lambda: StoredCounts.objects.filter(project=IntParam("project")).values_list("ledger__work")
)
LAST_EVENT: Prepared[tuple[int]] = Prepared(
    lambda: AuditEvent.objects.filter(project=IntParam("project")).order_by("-id").values_list("id")[:1]
)


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
    stored = STORED.first(project=project.pk)
    if stored is not None and (_is_exact(stored) or timezone.now() - stored.at < FRESH):
        return _read_stored(stored)
    return _count_and_store(project)


def _is_exact(stored: StoredCounts) -> bool:
    return stored.counts.get("event") == _last_event(stored.project_id)


def _last_event(project_id: int) -> int:
    newest = LAST_EVENT.first(project=project_id)
    return newest[0] if newest else 0


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


def stored_days(project: Project) -> list[list[Any]] | None:
    """The stored days of a ledger, as their module writes them: exact, or at most `FRESH` old. None: they must be
    counted."""
    ledger = StoredCounts.objects.filter(project=project).values_list("ledger", flat=True).first()
    return ledger["days"] if ledger and _is_current(project, ledger) else None


def recorded_work_of(project: Project) -> RecordedWork:
    """Exact, or for a large project at most `FRESH` old."""
    stored = STORED_WORK.first(project=project.pk)
    if stored is not None and stored[0] and _is_current(project, stored[0]):
        return recorded_work.from_json(stored[0])
    rows = stored_days(project)  # of an earlier version, without their sums
    days = ledger_daily.count_days(project) if rows is None else ledger_daily.from_json(rows, None, None)
    return recorded_work.count_recorded_work(project, days)


def _is_current(project: Project, stored: Mapping[str, Any]) -> bool:
    fresh = timezone.now() - datetime.fromisoformat(stored["at"]) < FRESH
    return fresh or stored["event"] == _last_event(project.pk)


def _store_days(project: Project) -> None:
    """Runs in the worker only; no page waits for it. The work summed from the days has an event and a time of its own:
    whoever needs only the sums reads nothing else."""
    of = {"event": _last_event(project.pk), "at": timezone.now().isoformat()}
    days = ledger_daily.count_days(project)
    work = recorded_work.as_json(recorded_work.count_recorded_work(project, days))
    ledger = {**of, "days": ledger_daily.as_json(days), "work": {**of, **work}}
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

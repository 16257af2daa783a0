"""The counts of a dashboard, cached in the database for large projects.

Stored counts are exact as long as their input is the same: the newest audit events (see kept_results), and what changes
without an event of the project: the open claims, the annotators whose accounts are open, and the sources whose
candidates are not extracted. After a write they are used for a few more minutes; the sweeper recounts every minute, and
without a worker the page recounts itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q
from django.utils import timezone

from annotation.jobs.registry import register_sweeper
from annotation.models import (
    Assignment,
    AssignmentState,
    Claim,
    Membership,
    Project,
    SampleState,
    Slot,
    SlotState,
    SourceDocument,
    StoredCounts,
)
from annotation.services.core.kept_results import newest_events
from annotation.services.inspection.verdicts_by_day import DayVerdicts
from annotation.services.inspection.weekly_sample import project_zone
from annotation.services.staff import ledger_daily, pipeline_counts, project_progress, recorded_work
from annotation.services.staff.effort import RecordedTime
from annotation.services.staff.ledger_daily import Day
from annotation.services.staff.pipeline_counts import Cell, Pipeline
from annotation.services.staff.recorded_work import RecordedWork
from annotation.services.staff.written_by_day import WrittenByDay, count_written_by_day

LARGE = 20_000
"""Number of slots from which on counts are stored."""
FRESH = timedelta(seconds=150)
# States in which an annotator cannot take the sample again but its slot stays empty.
SPENT = (AssignmentState.SKIPPED, AssignmentState.REJECTED, AssignmentState.SURPLUS, AssignmentState.VOID)
VERSION = 2
"""Of what is stored; raised when something is counted otherwise."""
LAYOUT = {"version": VERSION} | {
    stored_class.__name__: [field.name for field in fields(stored_class)]
    for stored_class in (Pipeline, Cell, WrittenByDay, Day, RecordedTime, DayVerdicts)
}
"""The fields of what is stored, in the order of its rows. Stored under another layout, it is counted again."""


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
    if stored is None or not _is_readable(stored.counts):
        return _count_and_store(project)
    if timezone.now() - stored.at < FRESH or _is_exact(stored):
        return _read_stored(stored)
    return _count_and_store(project)


def _is_readable(stored: Mapping[str, Any]) -> bool:
    return bool(stored.get("layout") == LAYOUT)


def _is_exact(stored: StoredCounts) -> bool:
    return bool(stored.counts.get("input") == _read_input(stored.project_id))


def _read_input(project_id: int) -> dict[str, Any]:
    claims = Claim.objects.filter(project=project_id, closed_at=None).aggregate(n=Count("pk"), newest=Max("pk"))
    n_annotators = Membership.objects.active_annotators().filter(project=project_id).count()
    n_to_extract = SourceDocument.objects.filter(project=project_id, extractor="").usable().count()
    events = [*newest_events(project_id)]
    return {"events": events, "claims": claims, "annotators": n_annotators, "to_extract": n_to_extract}


def _read_stored(stored: StoredCounts) -> Counts:
    data = stored.counts
    return Counts(
        pipeline=Pipeline(**data["pipeline"]),
        coverage=[Cell(**cell) for cell in data["coverage"]],
        states=[(user, state, n) for user, state, n in data["states"]],
        unfillable=data["unfillable"],
        by_day=WrittenByDay.from_json(data["by_day"]),
        at=stored.at,
    )


def _count_and_store(project: Project) -> Counts:
    if not _is_large(project):
        return count_project(project)
    state = {"layout": LAYOUT, "input": _read_input(project.pk)}
    counts = count_project(project)
    inspection = project_progress.count_inspections([project.pk]).get(project.pk, (0, 0))
    StoredCounts.objects.update_or_create(
        project=project, defaults={"counts": {**counts.as_json(), "inspection": inspection, **state}, "at": counts.at}
    )
    return counts


def _is_large(project: Project) -> bool:
    return Slot.objects.filter(project=project).order_by("pk")[LARGE - 1 : LARGE].exists()


def stored_days(project: Project) -> list[list[Any]] | None:
    """The stored days of a ledger, as their module writes them: exact, or at most `FRESH` old. None: they must be
    counted."""
    ledger = StoredCounts.objects.filter(project=project).values_list("ledger", flat=True).first()
    return ledger["days"] if ledger and _is_current(project, ledger) else None


def recorded_work_of(project: Project) -> RecordedWork:
    """Exact, or for a large project at most `FRESH` old."""
    stored = StoredCounts.objects.filter(project=project).values_list("ledger__work").first()
    if stored is not None and stored[0] and _is_current(project, stored[0]):
        return recorded_work.from_json(stored[0])
    return recorded_work.count_recorded_work(project, ledger_daily.count_days(project))


def _is_current(project: Project, stored: Mapping[str, Any]) -> bool:
    if not _is_readable(stored):
        return False
    fresh = timezone.now() - datetime.fromisoformat(stored["at"]) < FRESH
    return fresh or stored["events"] == [*newest_events(project.pk)]


def _store_days(project: Project) -> None:
    """Runs in the worker only; no page waits for it. The work summed from the days has events and a time of its own:
    code that needs only the sums reads nothing else."""
    state: dict[str, Any] = {"layout": LAYOUT, "events": [*newest_events(project.pk)], "at": timezone.now().isoformat()}
    days = ledger_daily.count_days(project)
    work = recorded_work.as_json(recorded_work.count_recorded_work(project, days))
    ledger = {**state, "days": ledger_daily.as_json(days), "work": {**state, **work}}
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
        if _is_due(project):
            _count_and_store(project)
            _store_days(project)
            n_counted += 1
    return n_counted


def _is_due(project: Project) -> bool:
    """Whether a project is large and its counts or its ledger are not those of its newest writes. A page that found
    the counts outdated stores them, but never the ledger."""
    stored = getattr(project, "stored_counts", None)
    if stored is None:
        return _is_large(project)
    if not (_is_readable(stored.counts) and _is_exact(stored)):
        return True
    work = StoredCounts.objects.filter(project=project).values_list("ledger__work", flat=True).first()
    return not (work and _is_readable(work) and work["events"] == [*newest_events(project.pk)])

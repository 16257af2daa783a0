"""Daily counts and sums per person: the rows from which a ledger is built.

They are read from the summaries' timings. At 100,000 summaries this takes seconds, so for large projects the worker
stores them with the counts of the dashboard (annotation.services.staff.counts_cache) and a ledger sums the stored rows.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Count, F, FloatField, Q, QuerySet, Sum, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, NullIf, TruncDate

from annotation.models import Annotation, Assignment, AssignmentState, Project
from annotation.services.inspection.weekly_sample import project_zone

LATER = "later revision"
"""Used instead of a state for rows that only have the active time of later revisions."""


@dataclass(frozen=True, slots=True)
class Day:
    """One person's summaries of one day in one state. active: seconds; wall: seconds of the n_wall summaries without
    active time; untimed: summaries without any."""

    day: date
    who: int
    state: str
    n: int
    active: float = 0.0
    wall: float = 0.0
    n_wall: int = 0
    untimed: int = 0


def count_days(project: Project, start: datetime | None = None, end: datetime | None = None) -> list[Day]:
    """Days from `start` to before `end`, in no order. Three queries."""
    rows = Annotation.objects.filter(
        project=project, surplus=False, sample__isnull=False, assignment__isnull=False
    ).exclude(assignment__state=AssignmentState.VOID)
    first = _sum_by_day(_filter_period(rows.filter(revision=1), "created_at", start, end), project)
    later = _sum_by_day(_filter_period(rows.filter(revision__gt=1), "created_at", start, end), project)
    skipped_attempts = Assignment.objects.skipped_samples().filter(project=project)
    skipped = _filter_period(skipped_attempts, "finished_at", start, end).annotate(
        day=TruncDate("finished_at", tzinfo=project_zone(project))
    )
    skips = skipped.values("day", who=F("annotator_id")).annotate(n=Count("pk")).order_by()
    return [
        *(_build_day(row, row["state"]) for row in first),
        *(Day(row["day"], row["who"], LATER, 0, row["active"] or 0.0) for row in later),
        *(Day(row["day"], row["who"], AssignmentState.SKIPPED.value, row["n"]) for row in skips),
    ]


def _build_day(row: dict[str, Any], state: str) -> Day:
    sums = (row["active"] or 0.0, row["wall"] or 0.0, row["n_wall"], row["untimed"])
    return Day(row["day"], row["who"], state, row["n"], *sums)


def _filter_period(rows: QuerySet[Any], name: str, start: datetime | None, end: datetime | None) -> QuerySet[Any]:
    if start is not None:
        rows = rows.filter(**{f"{name}__gte": start})
    return rows.filter(**{f"{name}__lt": end}) if end is not None else rows


def _sum_by_day(rows: QuerySet[Any], project: Project) -> Any:
    annotated = rows.annotate(
        day=TruncDate("created_at", tzinfo=project_zone(project)),
        active_s=_timing_seconds("active_seconds"),
        wall_s=Coalesce(NullIf(_timing_seconds("writing_seconds"), Value(0.0)), _timing_seconds("seconds")),
    )
    without_active = Q(active_s__isnull=True)
    return (
        annotated.values("day", who=F("assignment__annotator_id"), state=F("assignment__state"))
        .annotate(
            n=Count("pk"),
            active=Sum("active_s"),
            wall=Sum("wall_s", filter=without_active),
            n_wall=Count("pk", filter=without_active & Q(wall_s__isnull=False)),
            untimed=Count("pk", filter=without_active & Q(wall_s__isnull=True)),
        )
        .order_by()
    )


def _timing_seconds(name: str) -> Cast:
    """A number in the timings; null if absent."""
    return Cast(KeyTextTransform(name, "timings"), FloatField())


def as_json(days: Iterable[Day]) -> list[list[Any]]:
    """Rows in the order of the fields, which counts_cache stores with them (`LAYOUT`): there are many."""
    return [[day.day.isoformat(), *astuple(day)[1:]] for day in days]


def from_json(rows: Iterable[list[Any]], since: date | None, until: date | None) -> list[Day]:
    """Stored days of a period, both ends included."""
    low, high = since.isoformat() if since else "", until.isoformat() if until else "9999-12-31"
    return [Day(date.fromisoformat(row[0]), *row[1:]) for row in rows if low <= row[0] <= high]

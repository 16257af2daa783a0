"""How many summaries were written on each day, for the overview's burn-up and the small bars beside each annotator."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import Count, F
from django.db.models.functions import TruncDate

from annotation.models import Annotation, AssignmentState, Inspection, Project
from annotation.services.inspection.weekly_sample import project_zone

RECENT_DAYS = 14


@dataclass(frozen=True, slots=True)
class WrittenByDay:
    """written, inspected: (ISO day, number) of the days with any, in order; recent: (ISO day, user id, number) of the
    last days. Written are the first revisions of live summaries, so that they add up to the filled slots."""

    written: Sequence[tuple[str, int]] = ()
    inspected: Sequence[tuple[str, int]] = ()
    recent: Sequence[tuple[str, int, int]] = ()

    def as_json(self) -> dict[str, Any]:
        return {name: [list(row) for row in getattr(self, name)] for name in ("written", "inspected", "recent")}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "WrittenByDay":
        return cls(**{name: [tuple(row) for row in rows] for name, rows in stored.items()})


def count_written_by_day(project: Project, today: date) -> WrittenByDay:
    """Days are those of the project's time zone. Two queries."""
    live = Annotation.objects.filter(
        project=project, revision=1, sample__isnull=False, assignment__state__in=AssignmentState.LIVE_SUBMITTED
    )
    day = TruncDate("created_at", tzinfo=project_zone(project))
    by_person = live.annotate(day=day, who=F("assignment__annotator_id")).order_by("day", "who")
    counted = by_person.values_list("day", "who").annotate(n=Count("pk"))
    rows = [(written_on.isoformat(), who, n) for written_on, who, n in counted]
    looks = Inspection.objects.filter(project=project, second=False).annotate(
        day=TruncDate("created_at", tzinfo=project_zone(project))
    )
    inspected = looks.values_list("day").annotate(n=Count("annotation", distinct=True)).order_by("day")
    since = first_recent_day(today).isoformat()
    return WrittenByDay(
        written=_sum_days((written_on, n) for written_on, _who, n in rows),
        inspected=[(inspected_on.isoformat(), n) for inspected_on, n in inspected],
        recent=[row for row in rows if row[0] >= since],
    )


def first_recent_day(today: date) -> date:
    return today - timedelta(days=RECENT_DAYS - 1)


def _sum_days(rows: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    totals: dict[str, int] = {}
    for written_on, n in rows:
        totals[written_on] = totals.get(written_on, 0) + n
    return list(totals.items())


def read_days(rows: Iterable[tuple[str, int]]) -> list[tuple[date, int]]:
    return [(date.fromisoformat(day), n) for day, n in rows]


def recent_by_person(by_day: WrittenByDay, today: date) -> dict[int, list[int]]:
    """User id -> numbers of the last `RECENT_DAYS` days, today last; who wrote nothing then is left out."""
    first = first_recent_day(today)
    counts: dict[int, list[int]] = {}
    for written_on, who, n in by_day.recent:
        index = (date.fromisoformat(written_on) - first).days
        if 0 <= index < RECENT_DAYS:
            counts.setdefault(who, [0] * RECENT_DAYS)[index] = n
    return counts

"""Verdicts by day, for acceptance and agreement over time: what *Acceptance* counts, for all annotators together."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import TruncDate

from annotation.models import Inspection, Project, Verdict
from annotation.services.inspection.weekly_sample import project_zone


@dataclass(slots=True)
class DayVerdicts:
    """Summaries by the day on which the inspected revision was submitted. inspected, accepted: by the first reviewer;
    twice: inspected by two reviewers; agreed: of these with the same verdict."""

    day: date
    inspected: int = 0
    accepted: int = 0
    twice: int = 0
    agreed: int = 0


def count_verdicts_by_day(project: Project) -> list[DayVerdicts]:
    """Days with any verdict, in the project's time zone, in order. Two queries."""
    submitted_on = TruncDate("annotation__created_at", tzinfo=project_zone(project))
    looks = Inspection.objects.filter(project=project).annotate(day=submitted_on).order_by()
    accepted = Count("pk", filter=Q(verdict=Verdict.ACCEPT))
    by_day = {
        day: DayVerdicts(day, n, n_accepted)
        for day, n, n_accepted in looks.filter(second=False).values_list("day").annotate(n=Count("pk"), ok=accepted)
    }
    first = Inspection.objects.filter(annotation=OuterRef("annotation"), second=False)
    pairs = looks.filter(second=True).annotate(first=Subquery(first.values("verdict")[:1])).exclude(first=None)
    agreed = Count("pk", filter=Q(first=F("verdict")))
    for day, n, n_agreed in pairs.values_list("day").annotate(n=Count("pk"), same=agreed):
        by_day[day].twice, by_day[day].agreed = n, n_agreed
    return [by_day[day] for day in sorted(by_day)]


def as_json(days: Iterable[DayVerdicts]) -> list[dict[str, Any]]:
    return [{**asdict(day), "day": day.day.isoformat()} for day in days]


def from_json(rows: Iterable[Mapping[str, Any]]) -> list[DayVerdicts]:
    return [DayVerdicts(**{**row, "day": date.fromisoformat(row["day"])}) for row in rows]

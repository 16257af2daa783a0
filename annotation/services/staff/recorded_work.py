"""The time and the verdicts recorded in a project so far, for the page of its progress."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from annotation.models import AssignmentState, Project
from annotation.services.inspection import verdicts_by_day
from annotation.services.inspection.verdicts_by_day import DayVerdicts
from annotation.services.staff.effort import RecordedTime
from annotation.services.staff.ledger_daily import LATER, Day


@dataclass(frozen=True, slots=True)
class RecordedWork:
    """time: of all submitted summaries that count for the ledger. minutes: day -> minutes, without days on which
    nothing was timed. verdicts: by day of submission."""

    time: RecordedTime
    minutes: Mapping[date, float]
    verdicts: Sequence[DayVerdicts]


def count_recorded_work(project: Project, days: Sequence[Day]) -> RecordedWork:
    """days: all of the project. Three queries, for the verdicts."""
    return RecordedWork(sum_time(days), sum_minutes(days), verdicts_by_day.count_verdicts_by_day(project))


def as_json(work: RecordedWork) -> dict[str, Any]:
    minutes = {day.isoformat(): n for day, n in work.minutes.items()}
    return {"time": asdict(work.time), "minutes": minutes, "verdicts": verdicts_by_day.as_json(work.verdicts)}


def from_json(stored: Mapping[str, Any]) -> RecordedWork:
    minutes = {date.fromisoformat(day): n for day, n in stored["minutes"].items()}
    return RecordedWork(RecordedTime(**stored["time"]), minutes, verdicts_by_day.from_json(stored["verdicts"]))


def sum_time(days: Iterable[Day]) -> RecordedTime:
    """Skips count nothing; later revisions add their active time, but no summary."""
    active = wall = 0.0
    n_active = n_wall = n_untimed = 0
    for day in days:
        active += day.active / 60
        wall += day.wall / 60
        if day.state not in (LATER, AssignmentState.SKIPPED):
            n_active += day.n - day.n_wall - day.untimed
            n_wall += day.n_wall
            n_untimed += day.untimed
    return RecordedTime(active, wall, n_active, n_wall, n_untimed)


def sum_minutes(days: Iterable[Day]) -> dict[date, float]:
    minutes: dict[date, float] = {}
    for day in days:
        if day.active or day.wall:
            minutes[day.day] = minutes.get(day.day, 0.0) + (day.active + day.wall) / 60
    return minutes

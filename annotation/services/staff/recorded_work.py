"""The time and the verdicts recorded in a project so far, for the page of its progress."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from annotation.models import AssignmentState, Project
from annotation.services.inspection import verdicts_by_day
from annotation.services.inspection.verdicts_by_day import DayVerdicts
from annotation.services.staff import counts_cache, ledger_daily
from annotation.services.staff.effort import RecordedTime
from annotation.services.staff.ledger_daily import LATER, Day


@dataclass(frozen=True, slots=True)
class RecordedWork:
    """time: of all submitted summaries that count for the ledger. minutes: day -> minutes, without days on which
    nothing was timed. verdicts: by day of submission."""

    time: RecordedTime
    minutes: Mapping[date, float]
    verdicts: Sequence[DayVerdicts]


def load_recorded_work(project: Project) -> RecordedWork:
    """One query where the worker has stored the days, else six."""
    stored = counts_cache.stored_days(project)
    days = ledger_daily.from_json(stored.ledger, None, None) if stored else ledger_daily.count_days(project)
    if stored is not None and stored.verdicts is not None:
        verdicts = verdicts_by_day.from_json(stored.verdicts)
    else:
        verdicts = verdicts_by_day.count_verdicts_by_day(project)
    return RecordedWork(sum_time(days), sum_minutes(days), verdicts)


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

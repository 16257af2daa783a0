"""What was written and accepted week by week, and how much time it took. Pure; days in, weeks out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Protocol

MOST_WEEKS = 26


class Verdicts(Protocol):
    """Counts of verdicts of one day."""

    day: date
    inspected: int
    accepted: int
    twice: int
    agreed: int


@dataclass(slots=True)
class Week:
    """From Monday to Sunday. written_so_far: at its end; minutes: None where nothing was timed. The others as in
    `verdicts_by_day`."""

    monday: date
    written: int = 0
    written_so_far: int = 0
    inspected: int = 0
    accepted: int = 0
    twice: int = 0
    agreed: int = 0
    minutes: float | None = None


def first_day(day: date) -> date:
    """The Monday of the day's week."""
    return day - timedelta(days=day.weekday())


def sum_weeks(
    written: Mapping[date, int], verdicts: Iterable[Verdicts], minutes: Mapping[date, float], today: date
) -> list[Week]:
    """Every week from the first summary's to the current one, the newest first, `MOST_WEEKS` at most. written: day ->
    number; minutes: day -> minutes, without days on which nothing was timed."""
    if not written:
        return []
    first, last = first_day(min(written)), first_day(max(today, *written))
    weeks = [Week(first + timedelta(days=days)) for days in range(0, (last - first).days + 1, 7)]
    end = last + timedelta(days=7)
    for day, n in written.items():
        weeks[(day - first).days // 7].written += n
    for tally in verdicts:
        if first <= tally.day < end:
            _add_verdicts(weeks[(tally.day - first).days // 7], tally)
    for day, spent in minutes.items():
        if first <= day < end:
            week = weeks[(day - first).days // 7]
            week.minutes = (week.minutes or 0.0) + spent
    return _cumulate(weeks)[: -MOST_WEEKS - 1 : -1]


def _add_verdicts(week: Week, tally: Verdicts) -> None:
    week.inspected += tally.inspected
    week.accepted += tally.accepted
    week.twice += tally.twice
    week.agreed += tally.agreed


def _cumulate(weeks: list[Week]) -> list[Week]:
    total = 0
    for week in weeks:
        total += week.written
        week.written_so_far = total
    return weeks

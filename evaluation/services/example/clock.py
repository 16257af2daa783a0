"""The clock of the finished example, so that three weeks of work can be stored within seconds.

Every service reads the time as `timezone.now()`. Inside `work_in_the_past` that name answers with the clock's moment,
for the calling thread only: leases that other threads renew, and those that the database's own clock sets, stay real.
This is the only place where a time of the example is made up.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.utils import timezone

WEEKS_AGO = 4
"""The first week of the example, counted back from the current one."""

_moment: ContextVar[datetime | None] = ContextVar("moment of the example", default=None)
_real_now = timezone.now


def _now() -> datetime:
    return _moment.get() or _real_now()


@dataclass(slots=True)
class Clock:
    """A moment that only its user moves."""

    monday: datetime

    @property
    def now(self) -> datetime:
        return _moment.get() or _real_now()

    def set(self, *, week: int, day: int = 0, hour: int = 9, minute: int = 0) -> None:
        """Go to an hour; week and day count from 0, and hours beyond 24 go on into the next day."""
        _moment.set(self.monday + timedelta(weeks=week, days=day, hours=hour, minutes=minute))

    def monday_of(self, week: int) -> datetime:
        return self.monday + timedelta(weeks=week)

    def advance(self, minutes: float) -> None:
        _moment.set(self.now + timedelta(minutes=minutes))


def first_monday() -> datetime:
    """Midnight, in UTC, of the Monday on which the example begins."""
    today = _real_now().date()
    monday = today - timedelta(days=today.weekday(), weeks=WEEKS_AGO)
    return datetime.combine(monday, time(), tzinfo=_real_now().tzinfo)


@contextmanager
def work_in_the_past() -> Iterator[Clock]:
    """For this thread, the time is what the clock says; it begins on the first Monday."""
    clock = Clock(first_monday())
    token = _moment.set(clock.monday)
    timezone.now = _now
    try:
        yield clock
    finally:
        _moment.reset(token)
        timezone.now = _real_now

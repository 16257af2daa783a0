"""The work of each person in a period: for payment, and to see pace and rejections.

A unit counts on the day of its first submission, in the project's time zone; its state is the current one. Active
minutes of a later revision count on the day of its submission. A skip counts on the day of the skip.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AssignmentState, Project
from annotation.services.core.errors import BadInput
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.word_patterns import join_names
from annotation.services.inspection.weekly_sample import project_zone, week_of
from annotation.services.staff import counts_cache, ledger_daily
from annotation.services.staff.ledger_daily import Day
from annotation.services.staff.release_and_void import Period
from epitome.figures.tables import Cell, Column, Table

PER = ("all", "month", "week")
NAMES = ("pseudonyms", "usernames")


@dataclass(slots=True)
class Line:
    """One person in one period. minutes: None if nothing was timed; untimed: units without a time; wall: units
    whose minutes are wall time from first draft to submission, because no active time was recorded."""

    units: int = 0
    minutes: float = 0.0
    untimed: int = 0
    wall: int = 0
    accepted: int = 0
    rejected: int = 0
    returned: int = 0
    skipped: int = 0


def build_ledger(project: Project, period: Period, per: str = "all") -> dict[tuple[str, int], Line]:
    """(period, user id) -> line, in no order. Raises BadInput."""
    return _sum_days(project, days_of(project, period), per)


def days_of(project: Project, period: Period) -> list[Day]:
    """The days of a period: counted now, or for a large project as stored by the worker."""
    start, end = period.bounds(project)
    stored = counts_cache.stored_days(project)
    if stored is not None:
        return ledger_daily.from_json(stored, period.since, period.until)
    return ledger_daily.count_days(project, start, end)


def _sum_days(project: Project, days: Iterable[Day], per: str) -> dict[tuple[str, int], Line]:
    if per not in PER:
        raise BadInput(_("Group the ledger by one of: %(known)s.") % {"known": join_names(PER)}, field="per")
    lines: dict[tuple[str, int], Line] = defaultdict(Line)
    for day in days:
        _add_day(lines[_period_name(day.day, project, per), day.who], day)
    return dict(lines)


def _period_name(day: date, project: Project, per: str) -> str:
    if per == "all":
        return ""
    return week_of(datetime.combine(day, time(12), project_zone(project)), project) if per == "week" else f"{day:%Y-%m}"


def _add_day(line: Line, day: Day) -> None:
    line.minutes += (day.active + day.wall) / 60
    if day.state == AssignmentState.SKIPPED:
        line.skipped += day.n
        return
    line.units += day.n
    line.untimed += day.untimed
    line.wall += day.n_wall
    line.accepted += day.n * (day.state == AssignmentState.ACCEPTED)
    line.rejected += day.n * (day.state == AssignmentState.REJECTED)
    line.returned += day.n * (day.state == AssignmentState.RETURNED)


def build_table(project: Project, period: Period, *, per: str = "all", names: str = "pseudonyms") -> Table:
    """The ledger table for page and file. names: pseudonyms or usernames. Raises BadInput."""
    if names not in NAMES:
        raise BadInput(_("Show people by one of: %(known)s.") % {"known": join_names(NAMES)}, field="names")
    lines_by_key = build_ledger(project, period, per)
    user_names = _names_by_user(project, {user for _period, user in lines_by_key}, names)
    lines = sorted(
        ((when, user_names[user], line) for (when, user), line in lines_by_key.items()), key=lambda row: row[:2]
    )
    whole_period = _format_period(period)
    columns = [
        Column(_("Person"), kind="text"),
        Column(_("Period"), kind="text"),
        Column(_("Units"), digits=0),
        Column(_("Minutes"), digits=1),
        Column(_("of which by wall time, units"), digits=0, files_only=True),
        Column(_("Accepted"), digits=0),
        Column(_("Returned"), digits=0),
        Column(_("Rejected"), digits=0),
        Column(_("Skipped"), digits=0),
    ]
    rows = [_build_row(who, when or whole_period, line) for when, who, line in lines]
    return Table("ledger", _("Ledger"), columns, rows, notes=_build_notes(project, [line for *_key, line in lines]))


def _build_row(who: str, when: str, line: Line) -> list[Cell]:
    timed = line.units - line.untimed
    minutes = Cell(round(line.minutes, 2)) if timed or not line.units else Cell(undefined=_("no times recorded"))
    counts = (line.wall, line.accepted, line.returned, line.rejected, line.skipped)
    return [Cell(who), Cell(when), Cell(line.units), minutes, *map(Cell, counts)]


def _build_notes(project: Project, lines: list[Line]) -> list[str]:
    wall, untimed = sum(line.wall for line in lines), sum(line.untimed for line in lines)
    return [
        _("A unit counts on the day of its first submission (time zone %(zone)s). Its state is the current one.")
        % {"zone": project_zone(project).key},
        _("Void and surplus work is excluded."),
        *describe_unmeasured(wall, untimed),
    ]


def describe_unmeasured(wall: int, untimed: int) -> list[str]:
    """A sentence each on units with wall time only, and on those without any time, where there are any."""
    notes = []
    if wall:
        notes.append(
            ngettext(
                "%(n)d unit has no active time: its minutes are wall time, from first draft to submission.",
                "%(n)d units have no active time: their minutes are wall time, from first draft to submission.",
                wall,
            )
            % {"n": wall}
        )
    if untimed:
        message = ngettext(
            "%(n)d unit has no time at all and adds nothing to the minutes.",
            "%(n)d units have no time at all and add nothing to the minutes.",
            untimed,
        )
        notes.append(message % {"n": untimed})
    return notes


def _format_period(period: Period) -> str:
    """The period itself, as ISO days."""

    def format_day(day: date | None) -> str:
        return day.isoformat() if day else ""

    return f"{format_day(period.since)}/{format_day(period.until)}" if period.since or period.until else _("always")


def _names_by_user(project: Project, users: set[int], names: str) -> dict[int, str]:
    if names == "usernames":
        return dict(User.objects.filter(pk__in=users).values_list("pk", "username"))
    known = Pseudonyms(project)
    return {user: str(known.of(user)) for user in users}

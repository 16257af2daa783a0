"""What each person did in a period: for paying people, and for seeing who is slow or turned down.

A unit belongs to the day on which it was first handed in, in the project's time zone; whether it is accepted or
rejected is as of now. Active minutes of a later revision belong to the day that one was handed in. A skip belongs to
the day it was skipped.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, DateTimeField, F, FloatField, Q, Sum, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, NullIf, TruncMonth, TruncWeek
from django.utils.translation import gettext as _

from annotation.figures.tables import Cell, Column, Table
from annotation.models import Annotation, Assignment, AssignmentState, Project
from annotation.services.errors import BadInput
from annotation.services.inspection_weeks import week_of, zone
from annotation.services.pseudonyms import Pseudonyms
from annotation.services.steering import Period

PER = ("all", "month", "week")
NAMES = ("pseudonyms", "usernames")


@dataclass(slots=True)
class Line:
    """One person in one period. minutes: None where nothing was timed; untimed: units without a time; wall: units
    whose minutes run from the first draft to handing in, since no active time was kept."""

    units: int = 0
    minutes: float = 0.0
    untimed: int = 0
    wall: int = 0
    accepted: int = 0
    rejected: int = 0
    returned: int = 0
    skipped: int = 0


def ledger(project: Project, period: Period, per: str = "all") -> dict[tuple[str, int], Line]:
    """(period, user id) -> line, in no order. Three queries, summed up by the database. Raises BadInput."""
    if per not in PER:
        raise BadInput(_("A ledger is per %(known)s.") % {"known": ", ".join(PER)}, field="per")
    start, end = period.bounds(project)
    found: dict[tuple[str, int], Line] = defaultdict(Line)
    rows = Annotation.objects.filter(
        project=project, surplus=False, sample__isnull=False, assignment__isnull=False
    ).exclude(assignment__state=AssignmentState.VOID)
    for row in _summed(_within(rows.filter(revision=1), "created_at", start, end), "created_at", project, per):
        _add(found[_named(row, project, per), row["who"]], row)
    for row in _summed(_within(rows.filter(revision__gt=1), "created_at", start, end), "created_at", project, per):
        found[_named(row, project, per), row["who"]].minutes += (row["active"] or 0) / 60
    left = Assignment.objects.filter(project=project, state=AssignmentState.SKIPPED, sample__isnull=False)
    skipped = _by_period(_within(left, "finished_at", start, end), "finished_at", project, per)
    for row in skipped.values("when", who=F("annotator_id")).annotate(n=Count("pk")).order_by():
        found[_named(row, project, per), row["who"]].skipped += row["n"]
    return dict(found)


def _within(rows: Any, name: str, start: datetime | None, end: datetime | None) -> Any:
    if start is not None:
        rows = rows.filter(**{f"{name}__gte": start})
    return rows.filter(**{f"{name}__lt": end}) if end is not None else rows


def _by_period(rows: Any, name: str, project: Project, per: str) -> Any:
    """The rows with the first moment of their period, in the project's zone; of one long period where none is asked."""
    first = {"week": TruncWeek, "month": TruncMonth}.get(per)
    if first is None:
        return rows.annotate(when=Value(None, output_field=DateTimeField()))
    return rows.annotate(when=first(name, tzinfo=zone(project)))


def _summed(rows: Any, name: str, project: Project, per: str) -> Any:
    """Units by person, state and period, with active seconds and, where none were kept, wall seconds."""
    told = _by_period(rows, name, project, per).annotate(
        active_s=_seconds("active_seconds"), wall_s=_wall(_seconds("writing_seconds"), _seconds("seconds"))
    )
    no_active = Q(active_s__isnull=True)
    return (
        told.values("when", who=F("assignment__annotator_id"), state=F("assignment__state"))
        .annotate(
            n=Count("pk"),
            active=Sum("active_s"),
            wall=Sum("wall_s", filter=no_active),
            n_wall=Count("pk", filter=no_active & Q(wall_s__isnull=False)),
            untimed=Count("pk", filter=no_active & Q(wall_s__isnull=True)),
        )
        .order_by()
    )


def _seconds(name: str) -> Cast:
    """A number of the timings; null where it is absent or null."""
    return Cast(KeyTextTransform(name, "timings"), FloatField())


def _wall(writing: Cast, whole: Cast) -> Coalesce:
    """From the first draft to handing in; from the claim, where there was no draft before."""
    return Coalesce(NullIf(writing, Value(0.0)), whole)


def _named(row: dict[str, Any], project: Project, per: str) -> str:
    if row["when"] is None:
        return ""
    at = row["when"].astimezone(zone(project))
    return week_of(at, project) if per == "week" else f"{at:%Y-%m}"


def _add(line: Line, row: dict[str, Any]) -> None:
    line.units += row["n"]
    line.minutes += ((row["active"] or 0) + (row["wall"] or 0)) / 60
    line.untimed += row["untimed"]
    line.wall += row["n_wall"]
    line.accepted += row["n"] * (row["state"] == AssignmentState.ACCEPTED)
    line.rejected += row["n"] * (row["state"] == AssignmentState.REJECTED)
    line.returned += row["n"] * (row["state"] == AssignmentState.RETURNED)


def table(project: Project, period: Period, *, per: str = "all", names: str = "pseudonyms") -> Table:
    """The ledger for page and file. names: what people are called in it. Raises BadInput."""
    if names not in NAMES:
        raise BadInput(_("People are called by %(known)s.") % {"known": ", ".join(NAMES)}, field="names")
    found = ledger(project, period, per)
    called = _called(project, {user for _period, user in found}, names)
    lines = sorted(((when, called[user], line) for (when, user), line in found.items()), key=lambda row: row[:2])
    whole = _span(period)
    columns = [
        Column(_("Person"), kind="text"),
        Column(_("Period"), kind="text"),
        Column(_("Units"), digits=0),
        Column(_("Minutes"), digits=1),
        Column(_("of which wall time, units"), digits=0, files_only=True),
        Column(_("Accepted"), digits=0),
        Column(_("Returned"), digits=0),
        Column(_("Rejected"), digits=0),
        Column(_("Skipped"), digits=0),
    ]
    rows = [_row(who, when or whole, line) for when, who, line in lines]
    return Table("ledger", _("Ledger"), columns, rows, notes=_notes(project, [line for *_key, line in lines]))


def _row(who: str, when: str, line: Line) -> list[Cell]:
    timed = line.units - line.untimed
    minutes = Cell(round(line.minutes, 2)) if timed or not line.units else Cell(undefined=_("no times were kept"))
    counts = (line.wall, line.accepted, line.returned, line.rejected, line.skipped)
    return [Cell(who), Cell(when), Cell(line.units), minutes, *map(Cell, counts)]


def _notes(project: Project, lines: list[Line]) -> list[str]:
    wall, untimed = sum(line.wall for line in lines), sum(line.untimed for line in lines)
    notes = [
        _("A unit counts on the day it was first handed in, in the time zone %(zone)s; its state is that of now.")
        % {"zone": zone(project).key},
        _("Void work and surplus are left out."),
    ]
    if wall:
        notes.append(
            _("Of %(n)d units no active time was kept: their minutes are wall time, first draft to handing in.")
            % {"n": wall}
        )
    if untimed:
        notes.append(_("%(n)d units have no time at all; they add nothing to the minutes.") % {"n": untimed})
    return notes


def _span(period: Period) -> str:
    """The period itself, as ISO days."""

    def told(day: date | None) -> str:
        return day.isoformat() if day else ""

    return f"{told(period.since)}/{told(period.until)}" if period.since or period.until else _("always")


def _called(project: Project, users: set[int], names: str) -> dict[int, str]:
    if names == "usernames":
        return dict(User.objects.filter(pk__in=users).values_list("pk", "username"))
    known = Pseudonyms(project)
    return {user: str(known.of(user)) for user in users}

"""The tables of a project's progress: the last days, every week, and the hours and the pay so far and to come."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.day_words import write_day
from annotation.services.core.kind_words import name_finished
from annotation.services.staff.counts_cache import Counts
from annotation.services.staff.effort import FEWEST_TIMED, RecordedTime, price_minutes
from annotation.services.staff.ledger import describe_unmeasured
from annotation.services.staff.pipeline_counts import Pipeline
from annotation.services.staff.progress_weeks import MOST_WEEKS, Week
from annotation.services.staff.written_by_day import RECENT_DAYS
from annotation.views.staff.weeks import describe_week
from epitome.figures.numbers import format_count, format_decimal, format_money
from epitome.figures.tables import Cell, Column, Table
from epitome.measures.shares import wilson_bounds

NONE = "–"
_share_column = partial(Column, digits=0, interval=True, count=True, absent=NONE)


def build_days_table(counts: Counts, today: date) -> Table:
    """The last `RECENT_DAYS` days, today first."""
    written, inspected = dict(counts.by_day.written), dict(counts.by_day.inspected)
    target = counts.pipeline.slots
    last = today.isoformat()
    so_far = sum(n for written_on, n in written.items() if written_on <= last)
    rows = []
    for back in range(RECENT_DAYS):
        day = today - timedelta(days=back)
        on_day, looked_at = written.get(day.isoformat(), 0), inspected.get(day.isoformat(), 0)
        counted = (on_day, so_far, 100 * so_far / target, looked_at)
        rows.append([Cell(write_day(day)), *map(Cell, counted)])
        so_far -= on_day
    columns = [
        Column(_("Day"), kind="text"),
        Column(_("Written")),
        Column(_("Written so far")),
        Column(_("%% of %(n)s wanted") % {"n": format_count(target)}, digits=1, percent=True),
        Column(_("Inspected")),
    ]
    return Table("days", _("The last days"), columns, rows)


def build_weeks_table(weeks: Sequence[Week], *, with_hours: bool) -> Table:
    """Agreement has a column where any summary was inspected twice."""
    with_agreement = any(week.twice for week in weeks)
    columns = [
        Column(_("Week"), kind="text"),
        Column(_("Written")),
        Column(_("Written so far")),
        _share_column(_("Accepted, %")),
        *([_share_column(_("Reviewers agree, %"))] if with_agreement else []),
        *([Column(_("Hours"), absent=NONE)] if with_hours else []),
    ]
    notes = [
        _("Accepted: on first review, by the day of submission. n: how many were inspected. 95 % interval: Wilson's.")
    ]
    if with_agreement:
        notes.append(_("Reviewers agree: n were inspected by two, who gave the same verdict."))
    if len(weeks) == MOST_WEEKS:
        notes.append(_("Older weeks are left out."))
    rows = [_build_week_row(week, with_agreement, with_hours) for week in weeks]
    return Table("weeks", _("Week by week"), columns, rows, notes=notes)


def _build_week_row(week: Week, with_agreement: bool, with_hours: bool) -> list[Cell]:
    return [
        Cell(describe_week(week.monday)),
        Cell(week.written),
        Cell(week.written_so_far),
        _build_share(week.accepted, week.inspected),
        *([_build_share(week.agreed, week.twice)] if with_agreement else []),
        *([_build_hours(week.minutes, _("nothing in this week"))] if with_hours else []),
    ]


def _build_share(hits: int, n: int) -> Cell:
    if not n:
        return Cell(undefined=_("nothing in this week"))
    low, high = wilson_bounds(hits, n)
    return Cell(100 * hits / n, low=100 * low, high=100 * high, n=n)


def _build_hours(minutes: float | None, why: str) -> Cell:
    return Cell(undefined=why) if minutes is None else Cell(format_decimal(minutes / 60, 1))


def build_effort_table(project: Project, pipeline: Pipeline, recorded: RecordedTime) -> Table:
    """So far, to come, and together."""
    remaining = max(pipeline.slots - pipeline.filled, 0)
    so_far, to_come = recorded.minutes, recorded.forecast_minutes(remaining)
    together = None if so_far is None or to_come is None else so_far + to_come
    lines = [
        (_("So far"), pipeline.filled, so_far, _("no times recorded")),
        (_("To come"), remaining, to_come, _explain_unknown()),
        (_("Together"), pipeline.filled + remaining, together, _explain_unknown()),
    ]
    columns = [
        Column(_("When"), kind="text"),
        Column(capfirst(name_finished(project.kind, 2))),
        Column(_("Hours")),
        Column(_("Pay")),
    ]
    rows = [
        [Cell(label), Cell(n), _build_hours(minutes, why), _build_pay(project, minutes, why)]
        for label, n, minutes, why in lines
    ]
    return Table("effort", _("Hours and pay"), columns, rows, notes=_build_effort_notes(project, recorded, remaining))


def _explain_unknown() -> str:
    words = _("the active time of too few was measured (fewer than %(n)d), so the hours to come are unknown")
    return words % {"n": FEWEST_TIMED}


def _build_pay(project: Project, minutes: float | None, why: str) -> Cell:
    if project.pay_per_hour is None:
        return Cell(undefined=_("no pay per hour is set in the project's settings"))
    pay = price_minutes(minutes, project.pay_per_hour)
    return Cell(undefined=why) if pay is None else Cell(_format_pay(project, pay))


def _format_pay(project: Project, pay: float) -> str:
    """Nothing to pay is 0, not four decimals of it."""
    return format_money(pay, project.pay_currency) if pay else f"0 {project.pay_currency}".strip()


def _build_effort_notes(project: Project, recorded: RecordedTime, remaining: int) -> list[str]:
    notes = []
    if recorded.minutes_each is not None and remaining:
        words = _(
            "To come: for each that is left the mean active time so far (%(minutes)s min, n = %(n)s), with revisions. "
            "The settings expect %(expected)s min."
        )
        expected = format_decimal(project.summary_minutes, 1)
        each = format_decimal(recorded.minutes_each, 1)
        notes.append(words % {"minutes": each, "n": format_count(recorded.n_active), "expected": expected})
    if project.pay_per_hour is not None:
        pay = _format_pay(project, project.pay_per_hour)
        words = _("Pay: %(pay)s an hour, by the settings; what crowd links pay per task is left out.")
        notes.append(words % {"pay": pay})
    notes.append(_("So far: as in the ledger, with work on rejected texts. Void and surplus work is excluded."))
    return [*notes, *describe_unmeasured(recorded.n_wall, recorded.n_untimed)]

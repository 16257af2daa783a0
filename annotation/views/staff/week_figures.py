"""Acceptance and the agreement of reviewers week by week, as figures."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _

from annotation.services.core.day_words import write_day
from annotation.services.staff.progress_weeks import Week
from epitome.figures.charts import Dot, Dots
from epitome.figures.numbers import format_percent
from epitome.measures.shares import wilson_bounds

MOST_SHOWN = 12
"""Weeks of a figure; the table has more."""


def build_week_figures(weeks: Sequence[Week]) -> list[Dots]:
    """weeks: the newest first. A figure needs two weeks with verdicts; in it the oldest is first."""
    figures = (
        ("weeks-accepted", _("Accepted on first review, by week (%)"), lambda week: (week.accepted, week.inspected)),
        ("weeks-agreed", _("Two reviewers gave the same verdict, by week (%)"), lambda week: (week.agreed, week.twice)),
    )
    charts = [Dots(key, title, _build_dots(weeks, count)) for key, title, count in figures]
    return [chart for chart in charts if len(chart.rows) > 1]


def _build_dots(weeks: Sequence[Week], count: Callable[[Week], tuple[int, int]]) -> list[Dot]:
    """The newest weeks that have any verdict."""
    counted = [(week, *count(week)) for week in weeks]
    rows = [(week, hits, n) for week, hits, n in counted if n][:MOST_SHOWN]
    return [_build_dot(week, hits, n) for week, hits, n in reversed(rows)]


def _build_dot(week: Week, hits: int, n: int) -> Dot:
    low, high = wilson_bounds(hits, n)
    label = write_day(week.monday, "j M")
    return Dot(label, 100 * hits / n, format_percent(hits / n), f"n {n}", low=100 * low, high=100 * high)

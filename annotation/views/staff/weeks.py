"""Weeks in words, and the weeks in which summaries of a project were submitted, as choices of a filter."""

from datetime import date, timedelta
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Annotation, Project
from annotation.services.core.word_patterns import keep_together
from annotation.services.inspection.weekly_sample import week_of

MOST_WEEKS = 260


def week_choices(project: Project) -> list[tuple[str, str]]:
    """Each week from the first submitted summary to the newest, the newest first: the week's name, and its days."""
    times = Annotation.objects.filter(project=project, assignment__isnull=False).values_list("created_at", flat=True)
    oldest, newest = times.order_by("created_at").first(), times.order_by("-created_at").first()
    if oldest is None or newest is None:
        return []
    newest_monday, oldest_monday = _first_day(week_of(newest, project)), _first_day(week_of(oldest, project))
    return list(_describe_weeks(newest_monday, oldest_monday, get_language()))


@lru_cache(maxsize=100)
def _describe_weeks(newest: date, oldest: date, language: str | None) -> tuple[tuple[str, str], ...]:
    n_weeks = min((newest - oldest).days // 7 + 1, MOST_WEEKS)
    mondays = [newest - timedelta(days=7 * n) for n in range(n_weeks)]
    return tuple((f"{monday:%G-W%V}", _describe_week(monday, language)) for monday in mondays)


def _first_day(week: str) -> date:
    year, _dash, number = week.partition("-W")
    return date.fromisocalendar(int(year), int(number), 1)


def describe_week(monday: date) -> str:
    """Its first and its last day."""
    return _describe_week(monday, get_language())


@lru_cache(maxsize=2 * MOST_WEEKS)
def _describe_week(monday: date, _language: str | None) -> str:
    first, last = ("j M Y", "j M") if _begins_with_year(monday) else ("j M", "j M Y")
    days = {"first": date_format(monday, first), "last": date_format(monday + timedelta(days=6), last)}
    return _("%(first)s to %(last)s") % {name: keep_together(day) for name, day in days.items()}


def _begins_with_year(day: date) -> bool:
    """Whether the language writes the year first, as Chinese does."""
    return date_format(day, "j M Y").startswith(str(day.year))

"""Days and weeks in words, and the weeks in which summaries of a project were submitted, as choices of a filter."""

from datetime import date, timedelta
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.models import Annotation, Project
from annotation.services.core.list_pages import rows_of_project
from annotation.services.core.word_patterns import keep_together
from annotation.services.inspection.weekly_sample import week_of

MOST_WEEKS = 260


def week_choices(project: Project) -> list[tuple[str, str]]:
    """Each week from the first submitted summary to the newest, the newest first: the week's name, and its days."""
    rows = rows_of_project(Annotation.objects.filter(assignment__isnull=False), project).order_by("project_id", "pk")
    times = rows.values_list("created_at", flat=True)  # by the index of the list, which is in the order of time
    oldest, newest = times.first(), times.last()
    if oldest is None or newest is None:
        return []
    monday, first = _first_day(week_of(newest, project)), _first_day(week_of(oldest, project))
    choices: list[tuple[str, str]] = []
    while monday >= first and len(choices) < MOST_WEEKS:
        choices.append((f"{monday:%G-W%V}", describe_week(monday)))
        monday -= timedelta(days=7)
    return choices


def _first_day(week: str) -> date:
    year, _dash, number = week.partition("-W")
    return date.fromisocalendar(int(year), int(number), 1)


def write_day(day: date, form: str) -> str:
    """A day as the page's language writes it. form: of `date_format`, such as "j M". Cached, since tables and figures
    of one project share their days."""
    return _write_day(day, form, get_language())


@lru_cache(maxsize=4 * MOST_WEEKS)
def _write_day(day: date, form: str, _language: str | None) -> str:
    return date_format(day, form)


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

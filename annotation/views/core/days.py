"""Days and moments of the rows of lists, in the words of the page's language."""

from datetime import date, datetime
from functools import lru_cache

from django.utils.formats import date_format


@lru_cache(maxsize=1000)
def describe_day(day: date, _language: str | None) -> str:
    """3 Nov 2026. Kept, since rows share days. language: the active one, asked for once per page."""
    return date_format(day, "j M Y")


def describe_moment(moment: datetime, language: str | None) -> str:
    """3 Nov 2026 14:05, of a moment in the time zone of the page: in every language the day, a space and the time."""
    return f"{describe_day(moment.date(), language)} {moment:%H:%M}"


@lru_cache(maxsize=1000)
def describe_day_of_year(day: date, _language: str | None) -> str:
    """3 November."""
    return date_format(day, "j F")

"""Days and moments in the words of the page's language; kept, since rows, tables and figures share days."""

from datetime import date, datetime, time
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.translation import get_language

MIDNIGHT = "00:00"


def write_day(day: date, pattern: str = "j M Y") -> str:
    """3 Nov 2026. pattern: one of epitome.site.date_formats, without a time."""
    return _write_midnight(day, pattern, get_language())


def write_moment(moment: datetime, pattern: str = "j M Y H:i") -> str:
    """3 Nov 2026 14:05, of a moment in the time zone of the page. pattern: one of epitome.site.date_formats that
    ends in H:i, as it then does in every language."""
    return f"{_write_midnight(moment.date(), pattern, get_language()).removesuffix(MIDNIGHT)}{moment:%H:%M}"


@lru_cache(maxsize=4000)
def _write_midnight(day: date, pattern: str, _language: str | None) -> str:
    return date_format(datetime.combine(day, time.min), pattern)

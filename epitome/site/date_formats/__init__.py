"""How dates are written in each language of the interface (Django's FORMAT_MODULE_PATH).

Pages name a date by its English pattern (`|date:"j M Y"`), as messages are named by their English text; `formats.py` of
a language gives its own pattern for it. Numbers that templates write unformatted are for machines in every language:
form values, attributes, JSON. Those for people are written by epitome/figures/numbers.py.
"""

from collections.abc import Mapping
from typing import Any

MACHINE_READABLE: Mapping[str, Any] = {
    "DECIMAL_SEPARATOR": ".",
    "THOUSAND_SEPARATOR": "",
    "NUMBER_GROUPING": 0,
    "DATE_INPUT_FORMATS": ["%Y-%m-%d"],
    "TIME_INPUT_FORMATS": ["%H:%M:%S", "%H:%M:%S.%f", "%H:%M"],
    "DATETIME_INPUT_FORMATS": ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M"],
}
PATTERNS = (
    "H:i",
    "j M",
    "j M Y",
    "j M H:i",
    "j M, H:i",
    "j M Y H:i",
    "j M Y, H:i",
    "j M Y, H:i:s",
    "j F, H:i",
    "j F Y",
    "j F Y, H:i",
)
"""Every pattern that pages use; tests/languages/test_days.py compares."""


def build_patterns(*, day_month: str, short_day_month: str, year: str, short_year: str, comma: str) -> dict[str, str]:
    """English pattern -> pattern of a language. year: with the year; short: with the abbreviated month."""
    dates = {"j F Y": year, "j M Y": short_year, "j F": day_month, "j M": short_day_month}
    return {pattern: _translate_pattern(pattern, dates, comma) for pattern in PATTERNS}


def _translate_pattern(pattern: str, dates: Mapping[str, str], comma: str) -> str:
    date, has_time, time = pattern.rpartition("H:i")
    separator = comma if date.endswith(", ") else date[len(date.rstrip()) :]
    date = date.rstrip(", ")
    return f"{dates.get(date, date)}{separator}{has_time}{time}" if has_time else dates[pattern]

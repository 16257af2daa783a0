"""Measured numbers as people read them: each with its unit, and beside it the band that was asked for.

Lengths are words, as the writer's meter counts them. Tokens, which the measure `length` of the papers counts, are shown
in tables only, under that name.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from epitome.figures.numbers import format_count, format_score
from epitome.schema import Attribute

LENGTH = "length"
ONE_DIGIT = ("specificity", "readability")
"""Measures with one decimal; the others are shares of one and have two (DIGITS in static/js/meterrow.js)."""


class AskedBand(NamedTuple):
    """The range asked for, in the unit that is shown. high None: no upper bound."""

    low: float
    high: float | None


def measure_units() -> dict[str, str]:
    """measure -> how its value is written, with {value} for the number; the page's meters use the same words."""
    return {
        "extractiveness": _("{value} copied"),
        "topic": _("{value} found"),
        "specificity": _("{value} detail"),
        "speaker": _("{value} theirs"),
        "readability": _("grade {value}"),
        "keywords": _("{value} found"),
    }


def write_words(n: int) -> str:
    return ngettext("%(n)s word", "%(n)s words", n) % {"n": format_count(n)}


def _write_number(measure: str, value: float) -> str:
    return format_score(value, 1 if measure in ONE_DIGIT else 2)


def write_measured(measure: str, value: float) -> str:
    """.23 copied: a measured value with its unit. Lengths are written by `write_words`."""
    return measure_units().get(measure, "{value}").format(value=_write_number(measure, value))


def find_asked_band(attribute: Attribute, value: str, bands_shown: Mapping[str, Any]) -> AskedBand | None:
    """The band of an attribute's value: in words for a length, as its writer saw it (`band_shown` of the annotation),
    else in the unit of the measure. None where there is none, or where it depends on segments that nobody marked."""
    shown_band = bands_shown.get(attribute.key) or {}
    if shown_band.get("from") is not None:
        return AskedBand(shown_band["from"], shown_band.get("to"))
    band = attribute.band(value)
    if band is None or band.of == "relevant_words":
        return None
    return AskedBand(band.low, band.high)


def add_asked(measured: str, band: AskedBand | None, measure: str) -> str:
    """22 words, asked 17 to 25."""
    if band is None:
        return measured
    is_length = measure == LENGTH
    ends = [format_count(round(end)) if is_length else _write_number(measure, end) for end in band if end is not None]
    if len(ends) < 2:
        return _("%(measured)s, asked %(low)s or more") % {"measured": measured, "low": ends[0]}
    if ends[0] == ends[1]:
        return _("%(measured)s, asked about %(low)s") % {"measured": measured, "low": ends[0]}
    return _("%(measured)s, asked %(low)s to %(high)s") % {"measured": measured, "low": ends[0], "high": ends[1]}

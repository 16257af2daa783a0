"""What a request wants of each attribute's measure, as a range; from the schema's declaration, never from names."""

from collections.abc import Mapping
from dataclasses import dataclass

from epitome.measures import MEASURES, Value
from epitome.schema import Attribute
from epitome.schema.declaration import Band
from epitome.systems.protocol import Request
from epitome.systems.refine.options import ANY, Range
from epitome.systems.sentence_units import count_relevant_words

WORDS = "words"
ALL_PICKS = {"topic": 1.0, "keywords": 1.0, "speaker": 0.5}
"""The least share of a measure of picks that counts as following them: every requested word or keyword is there; half
of the content words are the speakers'."""


@dataclass(frozen=True)
class WantedRange:
    """The range of one requested attribute. unit: WORDS where words are counted, "" for its own measure. low, high:
    both inclusive; both None: there is no range, and `reason` says why the attribute is left to the model."""

    attribute: Attribute
    unit: str = ""
    low: float | None = None
    high: float | None = None
    reason: str = ""

    @property
    def has_range(self) -> bool:
        return self.low is not None or self.high is not None

    @property
    def is_measured(self) -> bool:
        return bool(self.unit) or self.attribute.measure in MEASURES


def list_wanted_ranges(request: Request, bands: Mapping[str, Mapping[str, Range]]) -> list[WantedRange]:
    """One per attribute that the request asks for, in the schema's order. bands: where the schema gives none. Raises
    epitome.schema.InvalidValue for a value that the schema does not have."""
    return [
        _find_range(attribute, request, bands.get(attribute.key, {}))
        for attribute in request.schema.attributes
        if request.picks(attribute.key)
    ]


def _find_range(attribute: Attribute, request: Request, ranges: Mapping[str, Range]) -> WantedRange:
    value = attribute.canonical(request.value(attribute.key)) if attribute.has_values else ANY
    if attribute.measure not in MEASURES:
        return WantedRange(attribute, reason="it has no measure")
    if limits := ranges.get(value) or ranges.get(ANY):
        return WantedRange(attribute, "", *limits)
    if attribute.edges:
        index = attribute.index(value)
        is_last = index + 1 == len(attribute.edges)
        low = attribute.edges[index - 1] + 1 if index else 0
        return WantedRange(attribute, WORDS, low, None if is_last else attribute.edges[index])
    if band := attribute.band(value):
        return _range_of_band(attribute, band, request)
    if attribute.candidate_kind and attribute.measure in ALL_PICKS:
        return WantedRange(attribute, "", ALL_PICKS[attribute.measure])
    return WantedRange(attribute, reason="neither the schema nor [options.bands] gives a range for its value")


def _range_of_band(attribute: Attribute, band: Band, request: Request) -> WantedRange:
    """Shares of the relevant words are taken of those that `count_relevant_words` finds: people's marks are not known
    to a system."""
    if band.of == "measure":
        return WantedRange(attribute, "", band.low, band.high)
    low, high = band.in_words(count_relevant_words(request)) or (1, None)
    return WantedRange(attribute, WORDS, low, high)


def distance_to_range(measured: Value, wanted: WantedRange) -> float:
    """How far a number is outside of its range: 0 inside, else in widths of the range, or, where it is open or a single
    number, in units of its limit. An undefined number is 1 away: the draft has to change."""
    if not wanted.has_range:
        return 0.0
    if not measured.defined:
        return 1.0
    number, low, high = float(measured), wanted.low, wanted.high
    gap = low - number if low is not None and number < low else number - high if high is not None else 0.0
    if gap <= 0:
        return 0.0
    width = high - low if low is not None and high is not None and high > low else (low or high or 1.0)
    return gap / width

"""Targets of a request, derived from the kinds and measures of the schema's attributes, never from their names."""

from collections.abc import Mapping
from dataclasses import dataclass

from epitome.schema import Attribute, Band, Schema
from epitome.systems.protocol import Follows, Request, RequestValue, followed_values

MEASURED = ("length", "extractiveness", "specificity", "readability")
PICKED = ("topic", "keywords", "speaker")
SHARES = (0.05, 0.15)
"""Of the relevant words, from the lowest to the highest value of a length without bands."""
DEFAULT_SHARE = 0.1
GRADES = (14.0, 10.0)
"""Flesch-Kincaid grades of the least and the most readable summaries (CCSBench's reference texts: about 14 and 10)."""


@dataclass(frozen=True)
class Range:
    """A range given by the schema: of words, or of the measure's values."""

    low: float
    high: float


@dataclass(frozen=True)
class RequestTargets:
    """share: of the relevant words. words: a range of plain words instead. levels: 0 (lowest value) to 1 (highest) by
    measure, absent if not requested. ranges: by measure, if the schema gives a range of the measure itself."""

    share: float
    words: Range | None
    levels: Mapping[str, float]
    ranges: Mapping[str, Range]
    topics: tuple[str, ...]
    keywords: tuple[str, ...]
    speakers: tuple[str, ...]


def attributes_from_schema(schema: Schema) -> Follows:
    """Attributes of a schema that can be followed: those with a known measure, topics, keywords and speakers."""
    known: dict[str, frozenset[str] | None] = {}
    for attribute in schema.attributes:
        if attribute.has_distance and attribute.measure in MEASURED:
            known[attribute.key] = frozenset(attribute.values)
        elif attribute.candidate_kind:
            known[attribute.key] = None
    return known


def followed_request_values(request: Request) -> dict[str, RequestValue]:
    """The requested values that this system follows."""
    return followed_values(attributes_from_schema(request.schema), request)


def read_request_targets(request: Request) -> RequestTargets:
    """The targets of a request. Raises epitome.schema.InvalidValue for a value the schema does not have."""
    share, words = DEFAULT_SHARE, None
    levels: dict[str, float] = {}
    ranges: dict[str, Range] = {}
    picks: dict[str, tuple[str, ...]] = {"topic": (), "keywords": (), "speaker": ()}
    for attribute in request.schema.attributes:
        if attribute.candidate_kind:
            place = "speaker" if attribute.traits.picks_speakers else _pick_kind(attribute)
            picks[place] += tuple(pick for pick in request.picks(attribute.key) if pick.strip())
        elif attribute.has_distance and attribute.measure in MEASURED and request.value(attribute.key):
            value = attribute.canonical(request.value(attribute.key))
            band = attribute.band(value)
            if attribute.measure == "length" and (band is None or band.of != "measure"):
                share, words = _length_target(attribute, value, band)
            elif band is not None and band.of == "measure":
                ranges[attribute.measure] = _range_of_band(band)
            levels[attribute.measure] = _relative_level(attribute, value)
    return RequestTargets(share, words, levels, ranges, picks["topic"], picks["keywords"], picks["speaker"])


def _pick_kind(attribute: Attribute) -> str:
    return "keywords" if attribute.measure == "keywords" else "topic"


def _relative_level(attribute: Attribute, value: str) -> float:
    return attribute.index(value) / max(1, len(attribute.values) - 1)


def _length_target(attribute: Attribute, value: str, band: Band | None) -> tuple[float, Range | None]:
    """(share of the relevant words, or a range of words). Bins are ranges of words by their edges."""
    index = attribute.index(value)
    if attribute.edges:
        return DEFAULT_SHARE, Range(1 + (attribute.edges[index - 1] if index else 0), attribute.edges[index])
    if band is None:
        return SHARES[0] + (SHARES[1] - SHARES[0]) * _relative_level(attribute, value), None
    return (_middle_of_band(band), None) if band.of == "relevant_words" else (DEFAULT_SHARE, _range_of_band(band))


def _range_of_band(band: Band) -> Range:
    return Range(band.low, band.low * 1.2 if band.high is None else band.high)


def _middle_of_band(band: Band) -> float:
    return max(1e-4, band.low if band.high is None else (band.low + band.high) / 2)

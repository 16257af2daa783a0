"""How systems without a conversation are adjusted: the range that they aim at is moved against the miss."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from epitome.measures import Value
from epitome.schema import Attribute, Band
from epitome.systems.protocol import Request
from epitome.systems.refine.options import Range
from epitome.systems.refine.ranges import WORDS, WantedRange


def move_aims(
    aims: Mapping[str, Range], wanted: Sequence[WantedRange], measured: Mapping[str, Value], asked: Sequence[str]
) -> dict[str, Range]:
    """The aims so far, those of `asked` moved by as much as the draft missed the middle of what is wanted."""
    moved = dict(aims)
    for row in wanted:
        key = row.attribute.key
        if key in asked and measured[key].defined:
            low, high = aims.get(key) or _closed_range(row)
            wanted_low, wanted_high = _closed_range(row)
            shift = max((wanted_low + wanted_high) / 2 - float(measured[key]), (1.0 if row.unit else 0.0) - low)
            moved[key] = (low + shift, high + shift)
    return moved


def _closed_range(row: WantedRange) -> Range:
    """The wanted range; an open end is the other one."""
    low = row.low if row.low is not None else row.high
    high = row.high if row.high is not None else row.low
    assert low is not None and high is not None  # it has a range
    return float(low), float(high)


def aim_request(request: Request, wanted: Sequence[WantedRange], aims: Mapping[str, Range]) -> Request:
    """The request with the moved ranges in its schema."""
    units = {row.attribute.key: row.unit for row in wanted}

    def aim_attribute(attribute: Attribute) -> Attribute:
        key = attribute.key
        if key not in aims:
            return attribute
        band = Band("words" if units[key] == WORDS else "measure", *aims[key])
        bands = {**attribute.bands, attribute.canonical(request.value(key)): band}
        return replace(attribute, bands=bands, edges=())

    attributes = tuple(map(aim_attribute, request.schema.attributes))
    return replace(request, schema=replace(request.schema, attributes=attributes))

"""Summary words / relevant words per requested length: beside the guideline's band, with modes and odd anchors.

A label that hides several requests shows as several modes; an anchor (the plain sample of a group with topics or
speakers) whose ratio is in another value's band was probably written to that value.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.statistics.records import Record
from epitome.figures.charts import Chart, Strip, Strips
from epitome.figures.numbers import format_share
from epitome.figures.tables import Cell, Column, Table
from epitome.schema import Attribute, Schema
from epitome.schema.declaration import Band

BINS = 50
LISTED = 200
"""Maximum number of anchors listed; a note gives the total."""


@dataclass(frozen=True)
class RatioGroup:
    """One group of summaries: key, label, and whether it has a figure (`drawn`)."""

    key: str
    label: str
    records: Sequence[Record]
    drawn: bool = True


def length_attribute(schema: Schema) -> Attribute | None:
    """The sampled attribute whose values are lengths: with bands of relevant words, else the one measured as length."""
    drawn = schema.sampled
    with_bands = [
        attribute for attribute in drawn if any(band.of == "relevant_words" for band in attribute.bands.values())
    ]
    return next(iter([*with_bands, *(attribute for attribute in drawn if attribute.measure == "length")]), None)


def group_records(records: Sequence[Record]) -> list[RatioGroup]:
    """Group by what a summary rests on: full source, all marked segments, and these split in variants and anchors."""
    usable = [record for record in records if record.ratio is not None]
    narrowed = [record for record in usable if record.sample.narrowed]
    groups = [
        RatioGroup(
            "source", _("Nothing chosen: the whole source"), [record for record in usable if not record.sample.narrowed]
        ),
        RatioGroup("marked", _("Topics or speakers: marked segments"), narrowed, drawn=False),
        RatioGroup(
            "variants", _("Marked segments, variants"), [record for record in narrowed if not record.sample.anchor]
        ),
        RatioGroup("anchors", _("Marked segments, anchors"), [record for record in narrowed if record.sample.anchor]),
    ]
    return [group for group in groups if group.records]


@dataclass
class Ratios:
    """All results about ratios: a table, figures, notable findings as text, and the anchors that do not fit."""

    table: Table | None
    charts: list[Chart]
    flags: list[str]
    anchors: Table | None


def build_ratios(records: Sequence[Record], schema: Schema) -> Ratios:
    attribute = length_attribute(schema)
    if attribute is None:
        return Ratios(None, [], [], None)
    groups = group_records(records)
    modes_by_group = {
        (group.key, value): _find_modes(_records_with_value(group, attribute, value))
        for group in groups
        for value in attribute.values
    }
    without = sum(record.ratio is None for record in records)
    table = _build_table(groups, attribute, modes_by_group, without)
    flags = [
        flag
        for group in groups
        for value in attribute.values
        if len(modes_by_group[group.key, value]) > 1
        and (flag := _describe_modes(group, attribute, value, modes_by_group[group.key, value]))
    ]
    axis_end = _axis_end(groups, attribute)
    charts: list[Chart] = [_build_chart(group, attribute, modes_by_group, axis_end) for group in groups if group.drawn]
    anchors = _build_anchors_table(next((group for group in groups if group.key == "anchors"), None), attribute)
    return Ratios(table, charts, flags, anchors)


def _records_with_value(group: RatioGroup, attribute: Attribute, value: str) -> list[Record]:
    return [record for record in group.records if record.sample.values.get(attribute.key) == value]


def _find_modes(records: Sequence[Record]) -> list[float]:
    from epitome.figures.modes import find_modes

    return find_modes([record.ratio for record in records if record.ratio is not None])


def format_percents(values: Sequence[float]) -> str:
    """Ratios as text: 4.9, 10.2 and 15.3 %."""
    texts = [format_share(value) for value in values]
    return (
        _("%(first)s and %(last)s") % {"first": ", ".join(texts[:-1]), "last": texts[-1]} if texts[1:] else texts[0]
    ) + " %"


def _describe_modes(group: RatioGroup, attribute: Attribute, value: str, modes: Sequence[float]) -> str:
    message = ngettext(
        "%(part)s: the label “%(value)s” has %(n)d mode, at %(at)s (n = %(count)d).",
        "%(part)s: the label “%(value)s” has %(n)d modes, at %(at)s (n = %(count)d).",
        len(modes),
    )
    return message % {
        "part": group.label,
        "value": attribute.value_label(value).lower(),
        "n": len(modes),
        "at": format_percents(modes),
        "count": len(_records_with_value(group, attribute, value)),
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    """By linear interpolation between the closest ranks, as numpy does it."""
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    return ordered[low] + (position - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def _build_table(
    groups: Sequence[RatioGroup], attribute: Attribute, modes: dict[Any, list[float]], without: int
) -> Table:
    columns = [
        Column(_("Relevant words"), kind="text"),
        Column(attribute.label, kind="text"),
        Column(_("n"), digits=0),
        Column(_("Guideline, %"), kind="text"),
        Column("p15", _("Ratio, %"), digits=1, percent=True),
        Column(_("median"), _("Ratio, %"), digits=1, percent=True),
        Column("p85", _("Ratio, %"), digits=1, percent=True),
        Column(_("Inside, %"), digits=0, percent=True),
        Column(_("Modes, %"), kind="text"),
    ]
    rows = [
        _build_row(group, attribute, value, modes[group.key, value])
        for group in groups
        for value in attribute.values
        if group.key != "anchors" or _records_with_value(group, attribute, value)  # an anchor asks for one length only
    ]
    notes = [
        _("Summary words / words of the segments it rests on; all segments where no topic and no speaker was chosen."),
        _("Modes are computed from 20 ratios on. Inside: word count within the guideline's range."),
    ]
    if without:
        notes.append(
            ngettext(
                "%(n)d summary has no ratio: it is empty, or no words are marked.",
                "%(n)d summaries have no ratio: they are empty, or no words are marked.",
                without,
            )
            % {"n": without}
        )
    return Table("ratios", _("Length against the guideline"), columns, rows, "", notes)


def _build_row(group: RatioGroup, attribute: Attribute, value: str, modes: Sequence[float]) -> list[Cell]:
    records, band = _records_with_value(group, attribute, value), attribute.band(value)
    head = [Cell(group.label), Cell(attribute.value_label(value)), Cell(len(records))]
    if band is None or band.of != "relevant_words":
        range_ = Cell(undefined=_("the guideline defines no share for it"))
    else:
        low = format_share(band.low)
        range_ = Cell(f"{low} – {format_share(band.high)}" if band.high is not None else f"≥ {low}")
    none = Cell(undefined=_("not requested by any summary"))
    if not records:
        return [*head, range_, none, none, none, none, none]
    ordered = sorted(record.ratio for record in records if record.ratio is not None)
    spread = [Cell(100 * _quantile(ordered, share)) for share in (0.15, 0.5, 0.85)]
    inside = range_ if band is None else Cell(100 * sum(_is_inside(record, band) for record in records) / len(records))
    return [*head, range_, *spread, inside, Cell(format_percents(modes).removesuffix(" %"))]


def _is_inside(record: Record, band: Band) -> bool:
    words = band.in_words(record.base)
    return words is not None and words[0] <= record.words and (words[1] is None or record.words <= words[1])


def _axis_end(groups: Sequence[RatioGroup], attribute: Attribute) -> float:
    """Where the axis ends: past the highest band and past 95 % of the ratios of the figures, in steps of 5 %."""
    bands = [band for value in attribute.values if (band := attribute.band(value)) and band.of == "relevant_words"]
    highest = max((band.high or band.low for band in bands), default=0.0)
    ordered = sorted(record.ratio or 0.0 for group in groups if group.drawn for record in group.records)
    usual = _quantile(ordered, 0.95) if ordered else 0.2
    return min(max(math.ceil(max(1.2 * highest, min(usual, 2 * highest or usual)) * 20) / 20, 0.05), 1.0)


def _build_chart(group: RatioGroup, attribute: Attribute, modes: dict[Any, list[float]], axis_end: float) -> Chart:
    strips = []
    for value in attribute.values:
        records = _records_with_value(group, attribute, value)
        if not records:
            continue
        counts, beyond = [0] * BINS, 0
        for record in records:
            index = int((record.ratio or 0.0) / axis_end * BINS)
            if index < BINS:
                counts[index] += 1
            else:
                beyond += 1
        band = attribute.band(value)
        band_range = (band.low, band.high) if band is not None and band.of == "relevant_words" else None
        at = modes[group.key, value]
        text = _("n %(n)d, mode %(at)s") if len(at) == 1 else _("n %(n)d, modes %(at)s")
        label = attribute.value_label(value)
        strips.append(
            Strip(label, text % {"n": len(records), "at": format_percents(at)}, counts, beyond, band_range, at)
        )
    return Strips(f"ratios-{group.key}", group.label, axis_end, strips)


def reads_as(ratio: float, label: str, attribute: Attribute) -> str:
    """The label where the ratio is in its band, else the value whose band is nearest on a log scale; "" without
    bands. ratio: above 0."""
    distances = {value: _band_distance(ratio, attribute.band(value)) for value in attribute.values}
    known = {value: far for value, far in distances.items() if far is not None}
    if known.get(label) == 0:
        return label
    return min(known, key=lambda value: known[value]) if known else ""


def _band_distance(ratio: float, band: Band | None) -> float | None:
    """How far a ratio is outside a band, in log units; 0 inside."""
    if band is None or band.of != "relevant_words":
        return None
    low = math.log(band.low / ratio) if band.low > 0 else 0.0
    high = math.log(ratio / band.high) if band.high else 0.0
    return max(low, high, 0.0)


def _build_anchors_table(group: RatioGroup | None, attribute: Attribute) -> Table | None:
    """The anchors whose ratio reads as another value than their label; None where nothing can be compared."""
    if group is None or not any(band.of == "relevant_words" for band in attribute.bands.values()):
        return None
    readings = [
        (record, reads_as(record.ratio or 0.0, record.sample.values.get(attribute.key, ""), attribute))
        for record in group.records
    ]
    odd = [(record, value) for record, value in readings if value != record.sample.values.get(attribute.key)]
    odd.sort(key=lambda pair: (pair[0].sample.source.pk, pair[0].sample.position, pair[0].pk))
    counted = Counter(value for _record, value in readings)
    spread = ", ".join(
        _("%(n)d read as %(value)s") % {"n": counted[value], "value": attribute.value_label(value).lower()}
        for value in attribute.values
    )
    notes = [
        ngettext(
            "%(odd)d of %(n)d anchor does not fit its label: %(spread)s.",
            "%(odd)d of %(n)d anchors do not fit their label: %(spread)s.",
            len(readings),
        )
        % {"odd": len(odd), "n": len(readings), "spread": spread}
    ]
    if len(odd) > LISTED:
        notes.append(_("Limited to the first %(n)d.") % {"n": LISTED})
    columns = [
        Column(_("Sample"), kind="text"),
        Column(_("Label"), kind="text"),
        Column(_("Reads as"), kind="text"),
        Column(_("Ratio, %"), digits=1, percent=True),
        Column(_("Words"), digits=0),
        Column(_("Relevant words"), digits=0),
        Column(_("source"), kind="text", files_only=True),
    ]
    rows = [
        [
            Cell(f"{record.sample.source.external_id}#{record.sample.position}"),
            Cell(attribute.value_label(record.sample.values[attribute.key])),
            Cell(attribute.value_label(value)),
            Cell(100 * (record.ratio or 0.0)),
            Cell(record.words),
            Cell(record.base),
            Cell(record.sample.source.public_id),
        ]
        for record, value in odd[:LISTED]
    ]
    return Table("anchors", _("Anchors whose ratio does not fit their label"), columns, rows, "", notes)

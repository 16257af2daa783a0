"""Summary words / relevant words per requested length: beside the guideline's band, with modes and odd anchors.

A label that hides several requests shows as several modes; an anchor (the plain sample of a group with topics or
speakers) whose ratio lies in another value's band was probably written to that value.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.figures.charts import Chart, Strip, Strips
from annotation.figures.tables import Cell, Column, Table
from annotation.schema import Attribute, Schema
from annotation.schema.declaration import Band
from annotation.services.statistics.records import Record

BINS = 50
LISTED = 200
"""Anchors that are listed; the count tells how many there are."""


@dataclass(frozen=True)
class Part:
    """Summaries of one kind: key and label, and whether it has a figure."""

    key: str
    label: str
    records: Sequence[Record]
    drawn: bool = True


def length_of(schema: Schema) -> Attribute | None:
    """The drawn attribute whose values are lengths: with bands of relevant words, else the one measured as length."""
    drawn = schema.sampled
    with_bands = [each for each in drawn if any(band.of == "relevant_words" for band in each.bands.values())]
    return next(iter([*with_bands, *(each for each in drawn if each.measure == "length")]), None)


def parts_of(records: Sequence[Record]) -> list[Part]:
    """Whole source, marked segments (variants and anchors apart), and all marked together."""
    usable = [one for one in records if one.ratio is not None]
    narrowed = [one for one in usable if one.sample.narrowed]
    found = [
        Part("source", _("Nothing chosen: the whole source"), [one for one in usable if not one.sample.narrowed]),
        Part("marked", _("Topics or speakers: marked segments"), narrowed, drawn=False),
        Part("variants", _("Marked segments, variants"), [one for one in narrowed if not one.sample.anchor]),
        Part("anchors", _("Marked segments, anchors"), [one for one in narrowed if one.sample.anchor]),
    ]
    return [part for part in found if part.records]


@dataclass
class Ratios:
    """Everything about ratios: a table, figures, what stands out in words, anchors that do not fit."""

    table: Table | None
    charts: list[Chart]
    flags: list[str]
    anchors: Table | None


def ratios(records: Sequence[Record], schema: Schema) -> Ratios:
    attribute = length_of(schema)
    if attribute is None:
        return Ratios(None, [], [], None)
    parts = parts_of(records)
    found = {(part.key, value): _modes(_of(part, attribute, value)) for part in parts for value in attribute.values}
    without = sum(one.ratio is None for one in records)
    table = _table(parts, attribute, found, without)
    flags = [
        flag
        for part in parts
        for value in attribute.values
        if len(found[part.key, value]) > 1 and (flag := _flag(part, attribute, value, found[part.key, value]))
    ]
    most = _most(parts, attribute)
    charts: list[Chart] = [_chart(part, attribute, found, most) for part in parts if part.drawn]
    anchors = _anchors(next((part for part in parts if part.key == "anchors"), None), attribute)
    return Ratios(table, charts, flags, anchors)


def _of(part: Part, attribute: Attribute, value: str) -> list[Record]:
    return [one for one in part.records if one.sample.values.get(attribute.key) == value]


def _modes(records: Sequence[Record]) -> list[float]:
    from annotation.figures.modes import modes

    return modes([one.ratio for one in records if one.ratio is not None])


def percents(values: Sequence[float]) -> str:
    """Ratios in words: 4.9, 10.2 and 15.3 %."""
    told = [f"{100 * value:.1f}".removesuffix(".0") for value in values]
    return (
        _("%(first)s and %(last)s") % {"first": ", ".join(told[:-1]), "last": told[-1]} if told[1:] else told[0]
    ) + " %"


def _flag(part: Part, attribute: Attribute, value: str, found: Sequence[float]) -> str:
    numbers = [_("no"), _("one"), _("two"), _("three"), _("four"), _("five")]
    n = numbers[len(found)] if len(found) < len(numbers) else str(len(found))
    return _("%(part)s: the label “%(value)s” has %(n)s modes, at %(at)s (n = %(count)d).") % {
        "part": part.label,
        "value": attribute.value_label(value).lower(),
        "n": n,
        "at": percents(found),
        "count": len(_of(part, attribute, value)),
    }


def _quantile(ordered: Sequence[float], share: float) -> float:
    """By linear interpolation between the closest ranks, as numpy does it."""
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def _table(parts: Sequence[Part], attribute: Attribute, modes: dict[Any, list[float]], without: int) -> Table:
    columns = [
        Column(_("Relevant words"), kind="text"),
        Column(attribute.label, kind="text"),
        Column(_("n"), digits=0),
        Column(_("Guideline, %"), kind="text"),
        Column("p15", _("Ratio, %"), digits=1),
        Column(_("median"), _("Ratio, %"), digits=1),
        Column("p85", _("Ratio, %"), digits=1),
        Column(_("Inside, %"), digits=0),
        Column(_("Modes, %"), kind="text"),
    ]
    rows = [
        _row(part, attribute, value, modes[part.key, value])
        for part in parts
        for value in attribute.values
        if part.key != "anchors" or _of(part, attribute, value)  # an anchor asks for one length only
    ]
    notes = [
        _("Summary words / words of the segments it rests on; all segments where no topic and no speaker was chosen."),
        _("Modes are looked for from 20 ratios on. Inside: word count within the guideline's range."),
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


def _row(part: Part, attribute: Attribute, value: str, modes: Sequence[float]) -> list[Cell]:
    records, band = _of(part, attribute, value), attribute.band(value)
    head = [Cell(part.label), Cell(attribute.value_label(value)), Cell(len(records))]
    if band is None or band.of != "relevant_words":
        range_ = Cell(undefined=_("the guideline gives no share for it"))
    else:
        range_ = Cell(f"{100 * band.low:g} – {100 * band.high:g}" if band.high is not None else f"≥ {100 * band.low:g}")
    none = Cell(undefined=_("no summary asks for it"))
    if not records:
        return [*head, range_, none, none, none, none, none]
    ordered = sorted(one.ratio for one in records if one.ratio is not None)
    spread = [Cell(100 * _quantile(ordered, share)) for share in (0.15, 0.5, 0.85)]
    inside = range_ if band is None else Cell(100 * sum(_inside(one, band) for one in records) / len(records))
    return [*head, range_, *spread, inside, Cell(percents(modes).removesuffix(" %"))]


def _inside(one: Record, band: Band) -> bool:
    words = band.in_words(one.base)
    return words is not None and words[0] <= one.words and (words[1] is None or one.words <= words[1])


def _most(parts: Sequence[Part], attribute: Attribute) -> float:
    """Where the axis ends: past the highest band and past 95 % of the ratios of the figures, in steps of 5 %."""
    bands = [band for value in attribute.values if (band := attribute.band(value)) and band.of == "relevant_words"]
    highest = max((band.high or band.low for band in bands), default=0.0)
    ordered = sorted(one.ratio or 0.0 for part in parts if part.drawn for one in part.records)
    usual = _quantile(ordered, 0.95) if ordered else 0.2
    return min(max(math.ceil(max(1.2 * highest, min(usual, 2 * highest or usual)) * 20) / 20, 0.05), 1.0)


def _chart(part: Part, attribute: Attribute, modes: dict[Any, list[float]], most: float) -> Chart:
    strips = []
    for value in attribute.values:
        records = _of(part, attribute, value)
        if not records:
            continue
        counts, beyond = [0] * BINS, 0
        for one in records:
            place = int((one.ratio or 0.0) / most * BINS)
            if place < BINS:
                counts[place] += 1
            else:
                beyond += 1
        band = attribute.band(value)
        shown = (band.low, band.high) if band is not None and band.of == "relevant_words" else None
        at = modes[part.key, value]
        told = _("n %(n)d, mode %(at)s") if len(at) == 1 else _("n %(n)d, modes %(at)s")
        label = attribute.value_label(value)
        strips.append(Strip(label, told % {"n": len(records), "at": percents(at)}, counts, beyond, shown, at))
    return Strips(f"ratios-{part.key}", part.label, most, strips)


def reads_as(ratio: float, label: str, attribute: Attribute) -> str:
    """The label where the ratio lies in its band, else the value whose band is nearest on a log scale; "" without
    bands. ratio: above 0."""
    distances = {value: _distance(ratio, attribute.band(value)) for value in attribute.values}
    known = {value: far for value, far in distances.items() if far is not None}
    if known.get(label) == 0:
        return label
    return min(known, key=lambda value: known[value]) if known else ""


def _distance(ratio: float, band: Band | None) -> float | None:
    """How far a ratio lies outside a band, in log units; 0 inside."""
    if band is None or band.of != "relevant_words":
        return None
    low = math.log(band.low / ratio) if band.low > 0 else 0.0
    high = math.log(ratio / band.high) if band.high else 0.0
    return max(low, high, 0.0)


def _anchors(part: Part | None, attribute: Attribute) -> Table | None:
    """The anchors whose ratio reads as another value than their label; None where nothing can be compared."""
    if part is None or not any(band.of == "relevant_words" for band in attribute.bands.values()):
        return None
    told = [
        (one, reads_as(one.ratio or 0.0, one.sample.values.get(attribute.key, ""), attribute)) for one in part.records
    ]
    odd = [(one, value) for one, value in told if value != one.sample.values.get(attribute.key)]
    odd.sort(key=lambda pair: (pair[0].sample.source.pk, pair[0].sample.position, pair[0].pk))
    counted = Counter(value for _one, value in told)
    spread = ", ".join(
        _("%(n)d read as %(value)s") % {"n": counted[value], "value": attribute.value_label(value).lower()}
        for value in attribute.values
    )
    notes = [
        _("%(odd)d of %(n)d anchors do not fit their label: %(spread)s.")
        % {"odd": len(odd), "n": len(told), "spread": spread}
    ]
    if len(odd) > LISTED:
        notes.append(_("The first %(n)d are listed.") % {"n": LISTED})
    columns = [
        Column(_("Sample"), kind="text"),
        Column(_("Label"), kind="text"),
        Column(_("Reads as"), kind="text"),
        Column(_("Ratio, %"), digits=1),
        Column(_("Words"), digits=0),
        Column(_("Relevant words"), digits=0),
        Column(_("source"), kind="text", files_only=True),
    ]
    rows = [
        [
            Cell(f"{one.sample.source.external_id}#{one.sample.position}"),
            Cell(attribute.value_label(one.sample.values[attribute.key])),
            Cell(attribute.value_label(value)),
            Cell(100 * (one.ratio or 0.0)),
            Cell(one.words),
            Cell(one.base),
            Cell(one.sample.source.public_id),
        ]
        for one, value in odd[:LISTED]
    ]
    return Table("anchors", _("Anchors whose ratio does not fit their label"), columns, rows, "", notes)

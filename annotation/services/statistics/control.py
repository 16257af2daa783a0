"""Table 3: what the summaries measure per requested value, and the same by assistance arm."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.figures.charts import Chart, Dot, Dots
from annotation.figures.tables import Cell, Column, Table, shown
from annotation.schema import Attribute, Schema
from annotation.services.statistics.intervals import BOOTSTRAP, Values, mean_cells
from annotation.services.statistics.records import Record
from annotation.services.statistics.size import split_label, splits_of


@dataclass(frozen=True)
class Line:
    """One row: an attribute and, where it is ordered, one of its values ("" for picks)."""

    attribute: Attribute
    value: str

    @property
    def label(self) -> str:
        return self.attribute.value_label(self.value) if self.value else self.attribute.label

    def takes(self, one: Record) -> bool:
        if self.value:
            return one.sample.values.get(self.attribute.key) == self.value
        return bool(one.sample.picks.get(self.attribute.key))


def lines_of(schema: Schema) -> list[Line]:
    """Values in the schema's order; attributes without a measure have no line."""
    found: list[Line] = []
    for attribute in schema.attributes:
        if attribute.measure:
            found += [Line(attribute, value) for value in getattr(attribute, "values", ()) or ("",)]
    return found


def table3(records: Sequence[Record], schema: Schema) -> Table:
    """Mean measure of the summaries that ask for a value, per split and in all, with n and a 95 % interval."""
    lines = lines_of(schema)
    wanted: list[str | None] = [*splits_of(records)]
    if len(wanted) != 1:
        wanted.append(None)  # all of them
    columns = [
        Column(_("Attribute"), kind="text"),
        Column(_("Value"), kind="text"),
        *(Column(_("all") if one is None else split_label(one), interval=True, count=True) for one in wanted),
        Column(_("signature"), kind="text", files_only=True),
    ]
    asked = [[one for one in records if line.takes(one)] for line in lines]
    groups = [
        ([one for one in group if one.sample.source.split == split] if split is not None else group, line)
        for line, group in zip(lines, asked, strict=True)
        for split in wanted
    ]
    cells = mean_cells(  # all at once: the sources are drawn once for the whole table
        [numbers(group, line.attribute.measure) for group, line in groups],
        [why_none(group, line.attribute.measure) for group, line in groups],
    )
    rows, signatures = [], set[str]()
    for place, (line, group) in enumerate(zip(lines, asked, strict=True)):
        measure = line.attribute.measure
        used = sorted({one.scores[measure].signature for one in group if measure in one.scores})
        signatures.update(used)
        signature = Cell(" + ".join(used)) if used else Cell(undefined=_("nothing is measured yet"))
        own = cells[place * len(wanted) : (place + 1) * len(wanted)]
        rows.append([Cell(line.attribute.label), Cell(line.label if line.value else _("chosen")), *own, signature])
    return Table(
        "control",
        _("Measures per requested value"),
        columns,
        rows,
        _("Mean measure of the summaries that ask for a value."),
        [
            _("Second line: 95 % interval (bootstrap over sources) and number of summaries."),
            *_undefined_notes(records, lines),
        ],
        " || ".join([*sorted(signatures), f"mean|{BOOTSTRAP}"]),
    )


def numbers(records: Sequence[Record], measure: str) -> Values:
    """(source, value) of the summaries that have a number."""
    found = []
    for one in records:
        scored = one.scores.get(measure)
        if scored is not None and scored.value is not None:
            found.append((one.sample.source.pk, scored.value))
    return found


def why_none(records: Sequence[Record], measure: str) -> str:
    """Why a group of summaries has no number at all, in words."""
    if not records:
        return _("no summary asks for it")
    reasons = Counter(one.scores[measure].undefined for one in records if measure in one.scores)
    return reasons.most_common(1)[0][0] if reasons else _("not measured yet")


def _undefined_notes(records: Sequence[Record], lines: Sequence[Line]) -> list[str]:
    """How many numbers are missing because they are undefined, by reason."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        for one in records:
            scored = one.scores.get(line.attribute.measure)
            if scored is not None and scored.value is None and line.takes(one):
                reasons[line.attribute.label][scored.undefined] += 1
    return [
        _("%(label)s: %(n)d left out as undefined (%(why)s).") % {"label": label, "n": n, "why": why}
        for label, counted in reasons.items()
        for why, n in counted.most_common(3)
    ]


def missing(records: Sequence[Record], schema: Schema) -> dict[str, int]:
    """measure -> summaries without any score of it, named or undefined; only measures that some lack."""
    keys = dict.fromkeys(line.attribute.measure for line in lines_of(schema))
    counted = {key: sum(key not in one.scores for one in records) for key in keys}
    return {key: n for key, n in counted.items() if n}


def unmeasured(records: Sequence[Record], schema: Schema) -> int:
    """Summaries that lack a score of at least one measure."""
    keys = {line.attribute.measure for line in lines_of(schema)}
    return sum(not keys <= one.scores.keys() for one in records)


def figures3(table: Table, schema: Schema) -> list[Chart]:
    """One figure per ordered attribute: the means of the table's last column of numbers, with their intervals."""
    last = len(table.columns) - 2
    charts: list[Chart] = []
    lines = lines_of(schema)
    for attribute in schema.attributes:
        rows = [
            Dot(line.label, _number(row[last]), told(row[last]), n_told(row[last]), row[last].low, row[last].high)
            for line, row in zip(lines, table.rows, strict=True)
            if line.attribute is attribute and line.value
        ]
        if rows and any(row.value is not None for row in rows):
            charts.append(Dots(f"control-{attribute.key}", attribute.label, rows))
    return charts


def _number(cell: Cell) -> float | None:
    return None if cell.value is None or isinstance(cell.value, str) else float(cell.value)


def told(cell: Cell) -> str:
    """A mean as a figure prints it."""
    return shown(cell.value, 2) if cell.value is not None else f"n/a: {cell.undefined}"


def n_told(cell: Cell) -> str:
    return f"n {cell.n}" if cell.n else ""

"""Table 3: what the summaries measure per requested value, and the same by assistance arm."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotation.services.statistics.intervals import BOOTSTRAP, Values, mean_cells
from annotation.services.statistics.records import Record
from annotation.services.statistics.size import list_splits, split_label
from epitome.figures.charts import Chart, Dot, Dots
from epitome.figures.tables import Cell, Column, Table, format_value
from epitome.schema import Attribute, Schema


@dataclass(frozen=True)
class Line:
    """One row: an attribute and, where it is ordered, one of its values ("" for picks)."""

    attribute: Attribute
    value: str

    @property
    def label(self) -> str:
        return self.attribute.value_label(self.value) if self.value else self.attribute.label

    def takes(self, record: Record) -> bool:
        if self.value:
            return record.sample.values.get(self.attribute.key) == self.value
        return bool(record.sample.picks.get(self.attribute.key))


def name_measured(attribute: Attribute) -> str:
    """The attribute as tables name its measure: a length is counted in tokens there, and in words on every page."""
    return _("%(label)s (tokens)") % {"label": attribute.label} if attribute.measure == "length" else attribute.label


def list_lines(schema: Schema) -> list[Line]:
    """Values in the schema's order; attributes without a measure have no line."""
    lines: list[Line] = []
    for attribute in schema.attributes:
        if attribute.measure:
            lines += [Line(attribute, value) for value in getattr(attribute, "values", ()) or ("",)]
    return lines


def build_control_table(records: Sequence[Record], schema: Schema) -> Table:
    """Mean measure of the summaries that ask for a value, per split and in all, with n and a 95 % interval."""
    lines = list_lines(schema)
    splits: list[str | None] = [*list_splits(records)]
    if len(splits) != 1:
        splits.append(None)  # all of them
    columns = [
        Column(_("Attribute"), kind="text"),
        Column(_("Value"), kind="text"),
        *(
            Column(_("all") if split_name is None else split_label(split_name), interval=True, count=True)
            for split_name in splits
        ),
        Column(_("signature"), kind="text", files_only=True),
    ]
    records_by_line = [[record for record in records if line.takes(record)] for line in lines]
    groups = [
        ([record for record in group if record.sample.split == split] if split is not None else group, line)
        for line, group in zip(lines, records_by_line, strict=True)
        for split in splits
    ]
    cells = mean_cells(
        [measured_values(group, line.attribute.measure) for group, line in groups],
        [explain_no_values(group, line.attribute.measure) for group, line in groups],
    )
    rows, signatures = [], set[str]()
    for index, (line, group) in enumerate(zip(lines, records_by_line, strict=True)):
        measure = line.attribute.measure
        used = sorted({record.scores[measure].signature for record in group if measure in record.scores})
        signatures.update(used)
        signature = Cell(" + ".join(used)) if used else Cell(undefined=_("nothing is measured yet"))
        row_cells = cells[index * len(splits) : (index + 1) * len(splits)]
        rows.append(
            [
                Cell(name_measured(line.attribute)),
                Cell(line.label if line.value else _("chosen")),
                *row_cells,
                signature,
            ]
        )
    return Table(
        "control",
        _("Measures per requested value"),
        columns,
        rows,
        _("Mean measure of the summaries for each requested value."),
        [
            _("Second line: 95 % interval (bootstrap over sources) and number of summaries."),
            *_undefined_notes(records, lines),
        ],
        " || ".join([*sorted(signatures), f"mean|{BOOTSTRAP}"]),
    )


def measured_values(records: Sequence[Record], measure: str) -> Values:
    """(source, value) of the summaries that have a value of the measure."""
    values = []
    for record in records:
        scored = record.scores.get(measure)
        if scored is not None and scored.value is not None:
            values.append((record.sample.source.pk, scored.value))
    return values


def explain_no_values(records: Sequence[Record], measure: str) -> str:
    """The reason why a group of summaries has no value at all, as text."""
    if not records:
        return _("not requested by any summary")
    reasons = Counter(record.scores[measure].undefined for record in records if measure in record.scores)
    return reasons.most_common(1)[0][0] if reasons else _("not measured yet")


def _undefined_notes(records: Sequence[Record], lines: Sequence[Line]) -> list[str]:
    """How many numbers are missing because they are undefined, by reason."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        for record in records:
            scored = record.scores.get(line.attribute.measure)
            if scored is not None and scored.value is None and line.takes(record):
                reasons[line.attribute.label][scored.undefined] += 1
    return [
        _("%(label)s: %(n)d left out as undefined (%(why)s).") % {"label": label, "n": n, "why": why}
        for label, counted in reasons.items()
        for why, n in counted.most_common(3)
    ]


def count_missing(records: Sequence[Record], schema: Schema) -> dict[str, int]:
    """measure -> number of summaries without any score of it, defined or undefined; only measures that some lack."""
    keys = dict.fromkeys(line.attribute.measure for line in list_lines(schema))
    counted = {key: sum(key not in record.scores for record in records) for key in keys}
    return {key: n for key, n in counted.items() if n}


def count_unmeasured(records: Sequence[Record], schema: Schema) -> int:
    """Summaries that lack a score of at least one measure."""
    keys = {line.attribute.measure for line in list_lines(schema)}
    return sum(not keys <= record.scores.keys() for record in records)


def build_control_figures(table: Table, schema: Schema) -> list[Chart]:
    """One figure per ordered attribute: the means of the table's last column of numbers, with their intervals."""
    last = len(table.columns) - 2
    charts: list[Chart] = []
    lines = list_lines(schema)
    for attribute in schema.attributes:
        rows = [
            Dot(
                line.label,
                _cell_number(row[last]),
                format_mean(row[last]),
                format_n(row[last]),
                row[last].low,
                row[last].high,
            )
            for line, row in zip(lines, table.rows, strict=True)
            if line.attribute is attribute and line.value
        ]
        if rows and any(row.value is not None for row in rows):
            charts.append(Dots(f"control-{attribute.key}", name_measured(attribute), rows))
    return charts


def _cell_number(cell: Cell) -> float | None:
    return None if cell.value is None or isinstance(cell.value, str) else float(cell.value)


def format_mean(cell: Cell) -> str:
    """A mean as figures show it."""
    return format_value(cell.value, 2) if cell.value is not None else f"n/a: {cell.undefined}"


def format_n(cell: Cell) -> str:
    return f"n {cell.n}" if cell.n else ""

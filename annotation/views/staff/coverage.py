"""Coverage: summaries written and wanted per combination of sampled values, as a table."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core.word_patterns import name_value
from annotation.services.staff.pipeline_counts import Cell

LEVELS = 6
LOW = 0.6
AttributeValues = tuple[str, str, list[str]]


@dataclass(frozen=True)
class Square:
    """One cell of the map. level: 0 to 6, share of what is wanted; low: below 60 %."""

    cell: Cell | None
    level: int = 0
    low: bool = False


@dataclass
class Line:
    label: str
    squares: list[Square] = field(default_factory=list)


@dataclass(frozen=True)
class Head:
    label: str
    span: int = 1


@dataclass
class Table:
    """Rows: values of the first attribute. Columns: combinations of the others, one line of heads per attribute."""

    rows_label: str
    heads: list[list[Head]]
    lines: list[Line]


def build_coverage_table(project: Project, cells: Sequence[Cell]) -> Table | None:
    """A table of all combinations of the sampled attributes; those never drawn stay empty. None without samples."""
    attributes = _list_attributes(project, cells) if cells else []
    if not attributes:
        return _build_code_table(cells) if cells else None
    first, *others = attributes
    cells_by_values = {
        tuple(str(cell.values.get(key, "")) for key, _label, _values in attributes): cell for cell in cells
    }
    columns = _list_combinations([values for _key, _label, values in others])
    lines = [
        Line(value, [_build_square(cells_by_values.get((value, *column))) for column in columns]) for value in first[2]
    ]
    corner = f"{first[1]} / {others[-1][1]}" if others else first[1]
    return Table(corner, _build_heads(others), lines)


def _build_code_table(cells: Sequence[Cell]) -> Table:
    """One row per combination, for samples without attribute values; their codes say what they are."""
    return Table(_("Kind of sample"), [[Head("")]], [Line(cell.combination, [_build_square(cell)]) for cell in cells])


def _build_heads(others: Sequence[AttributeValues]) -> list[list[Head]]:
    """One header line per attribute; the last line has values only, since its label is in the corner cell."""
    if not others:
        return [[Head("")]]
    lines, repeats = [], 1
    for index, (_key, label, values) in enumerate(others):
        span = 1
        for _k, _l, following in others[index + 1 :]:
            span *= len(following)
        last = index == len(others) - 1
        line = [Head(value if last else name_value(label, value), span) for value in values]
        lines.append(line * repeats)
        repeats *= len(values)
    return lines


def _list_attributes(project: Project, cells: Sequence[Cell]) -> list[AttributeValues]:
    """(key, label, values) of the drawn attributes; values that occur but are not in the schema come last."""
    rows = []
    keys = {key for cell in cells for key in cell.values}
    for attribute in project.schema_version.schema.attributes:
        if attribute.key not in keys:
            continue
        values = [str(value) for value in getattr(attribute, "values", ())]
        used_values = {str(cell.values[attribute.key]) for cell in cells if attribute.key in cell.values}
        rows.append((attribute.key, attribute.label, values + sorted(used_values - set(values))))
    return rows


def _list_combinations(values: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    combinations: list[tuple[str, ...]] = [()]
    for options in values:
        combinations = [(*combination, option) for combination in combinations for option in options]
    return combinations


def _build_square(cell: Cell | None) -> Square:
    if cell is None or not cell.wanted:
        return Square(cell)
    share = cell.written / cell.wanted
    return Square(cell, level=min(LEVELS, round(share * LEVELS)), low=share < LOW)

"""Written against wanted per combination of drawn values: as a map of two sides, or as a list."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotation.models import Project
from annotation.services.overview import Cell

LEVELS = 6
LOW = 0.6
Order = tuple[str, str, list[str]]


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


def in_order(project: Project, cells: Sequence[Cell]) -> list[Cell]:
    """The cells in the schema's order of attributes and values, as every other table and figure has them."""
    order = _order(project, cells) if cells else []
    places = [(key, {value: place for place, value in enumerate(values)}) for key, _label, values in order]

    def place_of(cell: Cell) -> list[int]:
        return [places_of.get(str(cell.values.get(key, "")), -1) for key, places_of in places]

    return sorted(cells, key=place_of)


def coverage_tables(project: Project, cells: Sequence[Cell]) -> Table | None:
    """A map of all combinations of the drawn attributes; cells nobody drew stay empty. None without samples."""
    order = _order(project, cells) if cells else []
    if not order:
        return None
    first, *rest = order
    found = {tuple(str(cell.values.get(key, "")) for key, _label, _values in order): cell for cell in cells}
    columns = _product([values for _key, _label, values in rest])
    lines = [Line(value, [_square(found.get((value, *column))) for column in columns]) for value in first[2]]
    corner = f"{first[1]} / {rest[-1][1]}" if rest else first[1]
    return Table(corner, _heads(rest), lines)


def _heads(rest: Sequence[Order]) -> list[list[Head]]:
    """One line per attribute; the last one names its values alone, its label stands in the corner."""
    if not rest:
        return [[Head("")]]
    found, before = [], 1
    for place, (_key, label, values) in enumerate(rest):
        span = 1
        for _k, _l, following in rest[place + 1 :]:
            span *= len(following)
        last = place == len(rest) - 1
        line = [Head(value if last else f"{label}: {value}", span) for value in values]
        found.append(line * before)
        before *= len(values)
    return found


def _order(project: Project, cells: Sequence[Cell]) -> list[Order]:
    """(key, label, values) of the drawn attributes; values that occur but are not in the schema come last."""
    found = []
    keys = {key for cell in cells for key in cell.values}
    for attribute in project.schema_version.schema.attributes:
        if attribute.key not in keys:
            continue
        values = [str(value) for value in getattr(attribute, "values", ())]
        seen = {str(cell.values[attribute.key]) for cell in cells if attribute.key in cell.values}
        found.append((attribute.key, attribute.label, values + sorted(seen - set(values))))
    return found


def _product(values: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for options in values:
        found = [(*before, option) for before in found for option in options]
    return found


def _square(cell: Cell | None) -> Square:
    if cell is None or not cell.wanted:
        return Square(cell)
    share = cell.written / cell.wanted
    return Square(cell, level=min(LEVELS, round(share * LEVELS)), low=share < LOW)

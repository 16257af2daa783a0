"""A table of numbers made ready for its template: texts, small second lines, reasons for what is missing."""

from collections.abc import Callable
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from annotation.figures.tables import Cell, Column, Table, heads_of, shown


@dataclass(frozen=True)
class ShownCell:
    """small: interval and n; why: the reason of a missing value; url: where a first cell leads."""

    text: str
    left: bool = False
    small: str = ""
    why: str = ""
    url: str = ""


@dataclass
class ShownTable:
    """heads: (label, columns) over groups; labels: of the columns, with whether they are texts."""

    table: Table
    heads: list[tuple[str, int]]
    labels: list[tuple[str, bool]]
    rows: list[list[ShownCell]] = field(default_factory=list)
    whys: list[str] = field(default_factory=list)


def show(table: Table, url_of: Callable[[list[Cell]], str] | None = None) -> ShownTable:
    """url_of: row -> where its first cell leads, "" for nowhere. Equal first cells of neighbours are printed once."""
    kept = [i for i, column in enumerate(table.columns) if not column.files_only]
    columns = [table.columns[i] for i in kept]
    labels = [(column.label, column.kind == "text") for column in columns]
    found = ShownTable(table, heads_of(columns), labels)
    before = None
    for row in table.rows:
        cells = [_shown_cell(table.columns[i], row[i]) for i in kept]
        if url_of is not None:
            cells[0] = ShownCell(cells[0].text, cells[0].left, url=url_of(list(row)))
        elif len(columns) > 1 and columns[1].kind == "text":
            repeated, before = cells[0].text == before, cells[0].text
            cells[0] = ShownCell("" if repeated else cells[0].text, cells[0].left)
        found.rows.append(cells)
    found.whys = list(dict.fromkeys(cell.why for row in found.rows for cell in row if cell.why))
    return found


def _shown_cell(column: Column, cell: Cell) -> ShownCell:
    text, left = shown(cell.value, column.digits), column.kind == "text"
    if cell.value is None:
        return ShownCell(_("n/a"), left, why=cell.undefined)
    small = []
    if column.interval and cell.low is not None and cell.high is not None:
        low, high = shown(cell.low, column.digits), shown(cell.high, column.digits)
        small.append(_("%(low)s to %(high)s") % {"low": low, "high": high} if "−" in low + high else f"{low}–{high}")
    if column.count and cell.n is not None:
        small.append(f"n {shown(cell.n, 0)}")
    return ShownCell(text, left, " · ".join(small))

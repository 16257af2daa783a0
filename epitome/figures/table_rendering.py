"""Prepares a table of numbers for its template: texts, intervals, reasons for missing values."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from epitome.figures.numbers import format_range
from epitome.figures.tables import ABSENT, Cell, Column, Table, format_value, group_spans


class RenderedCell(NamedTuple):
    """small: interval and n; why: the reason of a missing value; url: link target of a first cell."""

    text: str
    align_left: bool = False
    small: str = ""
    why: str = ""
    url: str = ""


@dataclass
class RenderedTable:
    """heads: (label, column count) of column groups; labels: (label, is text) of the columns."""

    table: Table
    heads: list[tuple[str, int]]
    labels: list[tuple[str, bool]]
    rows: list[list[RenderedCell]] = field(default_factory=list)
    quoted: list[bool] = field(default_factory=list)
    """Whether a row is quoted from a publication."""
    whys: list[tuple[str, str]] = field(default_factory=list)
    """(what is shown in the cell, reason) of every missing value, each once."""

    @property
    def marked_rows(self) -> list[tuple[RenderedCell, list[RenderedCell], bool]]:
        """(first cell, other cells, whether it is quoted) of every row."""
        return [(row[0], row[1:], quoted) for row, quoted in zip(self.rows, self.quoted, strict=True)]


def render_table(
    table: Table, url_of: Callable[[list[Cell]], str] | None = None, *, gettext: Callable[[str], str]
) -> RenderedTable:
    """Equal first cells of adjacent rows are shown once.

    url_of: row -> link target of its first cell, "" for none. gettext: translates the few words of a cell.
    """
    visible_indices = [i for i, column in enumerate(table.columns) if not column.files_only]
    columns = [table.columns[i] for i in visible_indices]
    labels = [(column.label, column.is_text) for column in columns]
    rendered = RenderedTable(table, group_spans(columns), labels)
    previous = None
    rendered.quoted = [number in table.quoted for number in range(len(table.rows))]
    for row in table.rows:
        cells = [_render_cell(table.columns[i], row[i], gettext) for i in visible_indices]
        if url_of is not None:
            cells[0] = RenderedCell(cells[0].text, cells[0].align_left, url=url_of(list(row)))
        elif len(columns) > 1 and columns[1].is_text:
            repeated, previous = cells[0].text == previous, cells[0].text
            cells[0] = RenderedCell("" if repeated else cells[0].text, cells[0].align_left)
        rendered.rows.append(cells)
    rendered.whys = list(dict.fromkeys((cell.text, cell.why) for row in rendered.rows for cell in row if cell.why))
    return rendered


def _render_cell(column: Column, cell: Cell, gettext: Callable[[str], str]) -> RenderedCell:
    text, align_left = column.format(cell.value), column.is_text
    if cell.value is None:
        mark = gettext("n/a") if column.absent == ABSENT else column.absent
        return RenderedCell(mark, align_left, why=cell.undefined)
    small = []
    if column.interval and cell.low is not None and cell.high is not None:
        low, high = column.format(cell.low), column.format(cell.high)
        has_minus_sign = "−" in low + high
        small.append(
            gettext("%(low)s to %(high)s") % {"low": low, "high": high} if has_minus_sign else format_range(low, high)
        )
    if column.count and cell.n is not None:
        small.append(f"n {format_value(cell.n, 0)}")
    return RenderedCell(text, align_left, " · ".join(small))

"""Tables as lines of text, for commands."""

from epitome.figures.tables import Cell, Column, Table


def print_table(table: Table) -> str:
    """The title and one line per row; a cell without a value shows its column's mark."""
    heads = [column.full_label for column in table.columns]
    rows = [[_print_cell(column, cell) for column, cell in zip(table.columns, row, strict=True)] for row in table.rows]
    widths = [max(map(len, texts)) for texts in zip(heads, *rows, strict=True)]
    lines = [_join_cells(row, widths) for row in (heads, *rows)]
    return "\n".join([table.title, *(f"  {line}" for line in lines)])


def _print_cell(column: Column, cell: Cell) -> str:
    if cell.value is None:
        return column.absent
    text = column.format(cell.value)
    if cell.low is not None and cell.high is not None:
        text += f" ({column.format(cell.low)} to {column.format(cell.high)})"
    return text


def _join_cells(texts: list[str], widths: list[int]) -> str:
    first, *others = texts
    padded = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
    return "  ".join([first.ljust(widths[0]), *padded]).rstrip()

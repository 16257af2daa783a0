"""Tables as plain text, for commands."""

from epitome.figures.tables import Table


def format_table(table: Table) -> str:
    """Title, column labels and rows, separated by tabs, then the notes. Published rows are marked."""
    lines = [table.title, "\t".join(column.full_label for column in table.columns)]
    for index, row in enumerate(table.rows):
        cells = [
            column.format(cell.value) if cell.value is not None else column.absent
            for cell, column in zip(row, table.columns, strict=True)
        ]
        lines.append("\t".join(cells) + ("\t(published)" if index in table.quoted else ""))
    return "\n".join([*lines, *table.notes])

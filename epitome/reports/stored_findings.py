"""Sentences from a table of comparisons that is computed already: sequences of a round that could stop early, or
combined estimates of people and a judge."""

from collections.abc import Sequence

from epitome.figures.numbers import format_count, format_score
from epitome.figures.tables import Cell, Table
from epitome.reports.headline import name_interval
from epitome.reports.sentences import Finding

LEVEL = 0.05


def tell_stored(table: Table | None) -> list[Finding]:
    """From a table of combined estimates or sequences; None where the round has too few answers for one."""
    rows = [row for row in table.rows if row[3].value is not None] if table is not None else []
    if table is None or not rows:
        text = "No difference between the systems could be shown: there are too few answers to compare them."
        return [Finding(((text, False),), "", "")]
    sequences = table.key == "combined-sequences"
    heads = [column.label for column in table.columns]
    value_at = 3 if sequences else heads.index("Combined")
    questions = len({row[0].value for row in rows})
    decided = []
    for row in rows:
        value, p_cell = row[value_at], None if sequences else row[heads.index("Holm p")]
        if sequences:
            is_shown = row[-1].value == "yes"
        else:
            p_value = float(p_cell.value or 0.0) if p_cell is not None and p_cell.value is not None else 1.0
            null = 0.5 if table.key == "combined-wins" else 0.0
            outside = value.low is None or value.high is None or not value.low <= null <= value.high
            is_shown = min(1.0, p_value * questions) < LEVEL and outside
        if is_shown:
            decided.append(row)
    way = "at every look" if sequences else "from people and the judge together"
    detail_end = table.title if sequences else f"Holm within a question, times {questions} questions"
    if not decided:
        text = f"No difference between the systems could be shown, in none of {len(rows)} comparisons {way}."
        return [Finding(((text, False),), detail_end, table.key), _tell_widest(rows, value_at, table.key)]
    row = decided[0]
    pieces = (
        (f"{row[0].value}: ", False),
        (f"{row[1].value}", True),
        (" and ", False),
        (f"{row[2].value}", True),
        (f" differ; {len(decided)} of {len(rows)} comparisons are decided {way}.", False),
    )
    return [Finding(pieces, _name_cell(row[value_at]), table.key), _tell_widest(rows, value_at, table.key)]


def _name_cell(cell: Cell) -> str:
    value = format_score(float(cell.value), 3) if isinstance(cell.value, float | int) else "n/a"
    interval = name_interval(cell.low, cell.high, "number")
    return f"first minus second or share of wins {value}" + (f", 95 % interval {interval}" if interval else "")


def _tell_widest(rows: Sequence[Sequence[Cell]], value_at: int, key: str) -> Finding:
    """How precisely the least certain comparison is known."""
    cells = [row[value_at] for row in rows if row[value_at].low is not None and row[value_at].high is not None]
    width = max(((cell.high or 0.0) - (cell.low or 0.0) for cell in cells), default=None)
    if width is None:
        return Finding((("No comparison has an interval yet.", False),), "", key)
    text = f"Every comparison is known to within {format_score(width / 2, 2)} to either side."
    return Finding(((text, False),), f"half the widest of {len(cells)} intervals of 95 %", key)


def tell_cells(table: Table, label: str = "") -> list[Finding]:
    """Two numbers with their intervals: of the row over everything the last columns, else of the first rows the column
    of this label, or the first number."""
    over_all = next((row for row in table.rows if row[0].value == "all"), None)
    if over_all is not None:
        indexes = [index for index, cell in enumerate(over_all) if cell.low is not None]
        chosen = [(over_all, index) for index in reversed(indexes[-2:])]
    else:
        chosen = [(row, index) for row in table.rows for index in [_find_number(table, row, label)] if index >= 0]
    return [_tell_cell(table, row, index) for row, index in chosen[:2]]


def _find_number(table: Table, row: Sequence[Cell], label: str) -> int:
    """The place of the column's number with an interval, or of the first such number; -1 without one."""
    places = [index for index, cell in enumerate(row) if cell.low is not None]
    labelled = [index for index in places if table.columns[index].label == label]
    return next(iter(labelled or places), -1)


def _tell_cell(table: Table, row: Sequence[Cell], place: int) -> Finding:
    column, cell = table.columns[place], row[place]
    heads = [f"{other.value}" for other, head in zip(row, table.columns, strict=True) if head.is_text]
    value = column.format(cell.value)
    pieces = ((f"{table.title}: {column.full_label} is {value} for ", False), (", ".join(heads), True), (".", False))
    low, high = column.format(cell.low), column.format(cell.high)
    counted = f", n = {format_count(cell.n)}" if cell.n is not None else ""
    return Finding(pieces, f"95 % interval {low} to {high}{counted}", table.key)

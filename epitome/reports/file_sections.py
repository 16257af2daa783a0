"""What files of numbers hold, as tables and figures: one section per file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Any

from epitome.figures.forest import Forest, ForestRow, span_axis
from epitome.figures.numbers import format_range
from epitome.figures.tables import Cell, Column, Table

FORMER_KEYS = {"r1": "rouge1", "r2": "rouge2", "rl": "rougeL"}
"""Keys that files of earlier versions have -> those of now."""
PARTS = {
    "f": "Measures",
    "cc": "Control correlation (CC)",
    "cer": "Control error rate (CER), lower is better",
    "rouge": "ROUGE F",
    "papers": "Columns of CCSBench",
}
"""Part of what `measure --json` prints -> its title."""
MIXED = frozenset({"f", "cc", "papers"})
"""Parts whose numbers have units of their own, so that they are not drawn on one axis."""
UNNAMED = ("mean", "value")
"""Heads of columns that say no more than the title of their table."""
MOST_DRAWN = 40
"""Rows of a figure."""
COEFFICIENTS = {
    "percent": "Percent agreement",
    "cohen_kappa": "Cohen's κ",
    "fleiss_kappa": "Fleiss' κ",
    "krippendorff_alpha": "Krippendorff's α",
    "gwet_ac1": "Gwet's AC1",
    "pabak": "PABAK",
}


@dataclass(frozen=True)
class Section:
    """One file. figures: those of each table, in the order of the tables."""

    title: str
    tables: tuple[Table, ...]
    figures: tuple[tuple[Forest, ...], ...]
    notes: tuple[str, ...] = ()


def build_section(title: str, tables: Sequence[Table], notes: Sequence[str] = ()) -> Section:
    """The tables with a figure for each column whose numbers have intervals."""
    figures = tuple(tuple(draw_columns(table)) for table in tables)
    return Section(title, tuple(tables), figures, tuple(notes))


def draw_columns(table: Table) -> Iterator[Forest]:
    """One figure per column with intervals and at least two numbers; of a table of mixed units one per first word."""
    for place, column in enumerate(table.columns):
        if not column.interval:
            continue
        rows = [_forest_row(table, column, row, row[place]) for row in table.rows]
        known = [row for row in rows if row.value is not None]
        title = table.title if column.label in UNNAMED else f"{table.title}: {column.full_label}"
        if table.key not in MIXED:
            yield from _draw_rows(f"{table.key}-{place}", title, known)
            continue
        words = dict.fromkeys(row.label.partition(" ")[0] for row in known)
        for word in words:
            of_word = [row for row in known if row.label.partition(" ")[0] == word]
            yield from _draw_rows(f"{table.key}-{place}-{word}", f"{title}: {word}", of_word)


def _draw_rows(key: str, title: str, rows: Sequence[ForestRow]) -> Iterator[Forest]:
    if sum(row.low is not None for row in rows) < 2 or len(rows) > MOST_DRAWN:
        return
    low, high = span_axis([end for row in rows for end in (row.low, row.high, row.value)])
    yield Forest(key, title, rows, low, high, unit="number")


def _forest_row(table: Table, column: Column, row: Sequence[Cell], cell: Cell) -> ForestRow:
    n_heads = len(list(takewhile(lambda head: head.is_text, table.columns)))
    *groups, label = [str(head.value or "") for head in row[:n_heads]] or [""]
    if cell.value is None or isinstance(cell.value, str):
        return ForestRow(label, None, "", group=", ".join(groups))
    value = float(cell.value or 0)
    bounds = ""
    if cell.low is not None and cell.high is not None:
        bounds = format_range(column.format(cell.low), column.format(cell.high))
    of = "" if cell.n is None else f"n {cell.n}"
    return ForestRow(label, value, column.format(value), bounds, of, cell.low, cell.high, ", ".join(groups))


def tables_of_object(data: Mapping[str, Any]) -> list[Table]:
    """The tables of what a command of Epitome printed with --json; none of another object."""
    if "tables" in data and isinstance(data["tables"], list):
        return [Table.from_json(table) for table in data["tables"]]
    if "columns" in data and "rows" in data and "key" in data:
        return [Table.from_json(data)]
    if isinstance(data.get("questions"), Mapping):
        return list(_agreement_tables(data))
    if isinstance(data.get("scores"), Mapping):
        return list(_score_tables(data))
    if isinstance(data.get("files"), list):
        return [
            replace(table, title=f"{file.get('file', '')}: {table.title}")
            for file in data["files"]
            for table in tables_of_object(file)
        ]
    return list(_measure_tables(data))


def _measure_tables(data: Mapping[str, Any]) -> Iterator[Table]:
    """f, cc, cer, rouge and the rest of `measure --json`."""
    intervals, counts = data.get("ci95", {}), data.get("n", {})
    for key, title in PARTS.items():
        numbers = data.get(key)
        if not isinstance(numbers, Mapping):
            continue
        beside = data.get("references") if key == "f" else None
        rows = []
        for path, value in _flatten(numbers):
            bounds, n = _look_up(intervals.get(key), path), _look_up(counts.get(key), path)
            low, high = bounds if isinstance(bounds, list) else (None, None)
            name = " ".join(FORMER_KEYS.get(word, word) for word in path)
            row = [Cell(name), Cell(value, low=low, high=high, n=n if isinstance(n, int) else None)]
            if beside:
                reference = _look_up(beside, path)
                is_known = isinstance(reference, int | float)
                row.append(Cell(float(str(reference))) if is_known else Cell(undefined="no reference has one"))
            rows.append(row)
        columns = [Column("", kind="text"), Column("mean", digits=3, interval=True, count=True)]
        columns += [Column("references", digits=3)] if beside else []
        if rows:
            yield Table(key, title, columns, rows, signature=str(data.get("signature", "")))


def _flatten(numbers: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], float]]:
    """(path, number) of every number; CC's objects by their value."""
    if isinstance(value := numbers.get("value"), int | float) and path:
        yield path, float(value)
        return
    for name, inner in numbers.items():
        if isinstance(inner, Mapping):
            yield from _flatten(inner, (*path, name))
        elif isinstance(inner, int | float):
            yield (*path, name), float(inner)


def _look_up(tree: object, path: Sequence[str]) -> object:
    for name in path:
        tree = tree.get(name) if isinstance(tree, Mapping) else None
    return tree


def _score_tables(data: Mapping[str, Any]) -> Iterator[Table]:
    """What functions of the library and `rank`, `ccsbench` give: scores by name, or by system and name."""
    scores, signature = data["scores"], str(data.get("signature", ""))
    if "against" in data:
        yield _comparison_table(data)
        return
    groups: dict[str, list[list[Cell]]] = {}
    for name, score in scores.items():
        group = name.rpartition(".")[0]
        groups.setdefault(group, []).append([Cell(name), score_cell(score)])
    columns = [Column("", kind="text"), Column("mean", digits=3, interval=True, count=True)]
    for group, rows in groups.items():
        yield Table(group or "scores", group or "Scores", columns, rows, signature=signature)


def _comparison_table(data: Mapping[str, Any]) -> Table:
    """Systems by metrics, with the stars of their tests in the names of the rows."""
    scores, tests = data["scores"], data.get("tests", {})
    metrics = list(next(iter(scores.values())))
    columns = [Column("System", kind="text")]
    for metric in metrics:
        columns += [Column(metric, digits=3, interval=True, count=True), Column("", group="", kind="text")]
    rows = []
    for system, row in scores.items():
        cells = [Cell(system)]
        for metric in metrics:
            stars = tests.get(system, {}).get(metric, {}).get("stars", "")
            cells += [score_cell(row[metric]), Cell(stars)]
        rows.append(cells)
    note = f"*, **, ***: differs from {data['against']}, corrected p below .05, .01 and .001."
    return Table("comparison", "Systems", columns, rows, notes=(note,), signature=str(data.get("signature", "")))


def score_cell(score: Mapping[str, Any]) -> Cell:
    """A number of a JSON object: value or undefined, ci95, n."""
    value = score.get("value")
    if value is None:
        return Cell(undefined=str(score.get("undefined") or "undefined"))
    low, high = score.get("ci95") or (None, None)
    return Cell(float(value), low=low, high=high, n=score.get("n"))


def _agreement_tables(data: Mapping[str, Any]) -> Iterator[Table]:
    """Coefficients by question."""
    signature = str(data.get("signature", ""))
    columns = [Column("Question", kind="text"), Column("Coefficient", kind="text")]
    columns += [Column("value", digits=3, interval=True), Column("items"), Column("raters")]
    rows = [
        [Cell(name), Cell(label), score_cell(group[key]), Cell(group.get("items", 0)), Cell(group.get("raters", 0))]
        for name, group in data["questions"].items()
        for key, label in COEFFICIENTS.items()
        if key in group
    ]
    notes = [f"{name}: {note}" for name, group in data["questions"].items() for note in group.get("notes", ())]
    yield Table("agreement", "Agreement of raters", columns, rows, notes=notes, signature=signature)
    rates = [
        [Cell(name), Cell(rater), score_cell(rate)]
        for name, group in data["questions"].items()
        for rater, rate in group.get("yes_rate", {}).get("raters", {}).items()
        if rate.get("value") is not None
    ]
    if rates:
        heads = [Column("Question", kind="text"), Column("Rater", kind="text"), Column("mean", interval=True)]
        yield Table("yes", "Share of yes by rater", heads, rates, signature=signature)

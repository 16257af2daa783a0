"""CCSBench's Table 3 for systems of one's own, above the published rows, and its Table 4: trained on one attribute each
against trained on all.

Layout and published numbers: "CCSBench: Evaluating Compositional Controllability in LLMs for Scientific Document
Summarization", arXiv 2410.12601.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.analyses import single_vs_compositional
from epitome.metrics.published import PublishedRow, load_tables
from epitome.reports.cells import aggregate_cell, few_clusters_notes

BLOCKS = ("zero-shot", "PEFT", "full", "two-stage")
BLOCK_OF = dict(zip("ABCD", BLOCKS, strict=True))
"""First letter of a published row -> its block."""
COLUMNS = {
    "rl": Column("RL", digits=3, interval=True),
    "pcc": Column("PCC", group="Length", interval=True, absent="–"),  # the paper prints .00 where there is none
    "mad": Column("MAD", group="Length", interval=True),
    "sr": Column("SR", group="Keywords", interval=True),
    "fn": Column("F normal", group="Readability", interval=True),
    "fh": Column("F high", group="Readability", interval=True),
    "delta": Column("ΔF", group="Readability", interval=True),
    "f1": Column("F1", group="Focus", interval=True),
}
OURS = {"fn": "normal", "fh": "high", "delta": "gap"}
"""Column -> its name among the numbers of a run, where it differs."""
NOTE = (
    "RL: ROUGE-L. PCC: correlation of words with the requested bin. MAD: distance from the reference in bins of 50 "
    "words, lower is better. SR: share of requested keywords found. F: Flesch-Kincaid grade by requested readability; "
    "ΔF: how much lower it is where high was asked for. F1: of the focus that a judge saw against the requested one, "
    "mean of both classes (the paper does not say whether its F1 is). 95 % intervals by a bootstrap that draws whole "
    "papers."
)
SWAPPED = "The prose of that paper gives the MAD of A5 and A6 the other way round."
NO_JUDGE = "no judge has read its texts"


@dataclass(frozen=True)
class PaperRow:
    """One system. numbers: of a run, by rl, mad, pcc, sr, normal, high, gap, f1; what is absent is not measured."""

    name: str
    block: str
    numbers: Mapping[str, Aggregate]


def systems_table(rows: Sequence[PaperRow], *, title: str, judge_note: str, signature: str) -> Table:
    """Table 3 in its four blocks, one's own systems first in each; systems of no block come before all. judge_note: a
    sentence about the judge behind F1. Raises ValueError without rows."""
    if not rows:
        raise ValueError("a table of systems needs at least one system")
    published = load_tables("ccsbench")["systems"]
    body: list[list[Cell]] = []
    quoted: list[int] = []
    for block in _blocks(rows):
        body += [_own_cells(row) for row in rows if row.block == block]
        printed = [_printed_cells(block, row) for row in published.rows if BLOCK_OF.get(row.key[0]) == block]
        quoted += range(len(body), len(body) + len(printed))
        body += printed
    columns = [Column("Block", kind="text"), Column("System", kind="text"), *COLUMNS.values()]
    slips = [
        f"{row.key}: {why} (printed: {row.cells[name]:g})." for row in published.rows for name, why in row.slips.items()
    ]
    few = few_clusters_notes(number for row in rows for number in row.numbers.values())
    notes = [
        NOTE,
        *few,
        judge_note,
        "In grey: as printed in arXiv 2410.12601. Misprints there: " + " ".join(slips),
        SWAPPED,
    ]
    return Table("ccsbench", title, columns, body, notes=notes, signature=signature, quoted=quoted)


COMPOSITION_METRICS: dict[str, tuple[str, Literal["higher", "lower"]]] = {
    "delta": ("readability", "higher"),
    "pcc": ("length", "higher"),
    "mad": ("length", "lower"),
    "sr": ("keywords", "higher"),
    "f1": ("focus", "higher"),
}
"""Column of Table 4 -> (the attribute that its single run is trained on, which direction is better)."""
COMPOSITION_NOTE = (
    "Single: each metric of the run trained on that attribute alone. Compositional: one run trained on all. "
    "Difference: compositional minus single. ΔF: difference of Flesch-Kincaid grades."
)


def composition_table(
    single: Mapping[str, Aggregate],
    compositional: Mapping[str, Aggregate],
    *,
    title: str,
    judge_note: str,
    signature: str,
) -> Table:
    """Table 4, one's own rows above the published ones. single, compositional: by pcc, mad, sr, gap, f1; what is absent
    is not measured."""
    keys = {name: OURS.get(name, name) for name in COMPOSITION_METRICS}
    alone, together = (
        {name: _value_of(numbers.get(key), name) for name, key in keys.items()} for numbers in (single, compositional)
    )
    better = {name: direction for name, (_attribute, direction) in COMPOSITION_METRICS.items()}
    differences = single_vs_compositional(alone, together, better)
    body = [
        [Cell(label), *(_composition_cell(numbers.get(keys[name]), values[name]) for name in COMPOSITION_METRICS)]
        for label, numbers, values in (("single", single, alone), ("compositional", compositional, together))
    ]
    body.append([Cell("difference"), *(_difference_cell(row.difference) for row in differences.values())])
    published = load_tables("ccsbench")["composition"]
    quoted = range(len(body), len(body) + len(published.rows))
    body += [
        [Cell(f"as printed: {row.name}"), *(Cell(row.cells[name]) for name in COMPOSITION_METRICS)]
        for row in published.rows
    ]
    columns = [Column("Trained on", kind="text")]
    columns += [replace(COLUMNS[name], group="") for name in COMPOSITION_METRICS]
    worse = [COLUMNS[name].label for name, row in differences.items() if row.worse]
    few = few_clusters_notes([*single.values(), *compositional.values()])
    notes = [COMPOSITION_NOTE, *few, f"Worse when trained on all: {', '.join(worse) or 'none'}.", judge_note]
    return Table("composition", title, columns, body, notes=notes, signature=signature, quoted=list(quoted))


def _value_of(aggregate: Aggregate | None, name: str) -> Value:
    if aggregate is not None:
        return aggregate.value
    return Value.none(NO_JUDGE if name == "f1" else "not measured")


def _composition_cell(aggregate: Aggregate | None, value: Value) -> Cell:
    return aggregate_cell(aggregate) if aggregate is not None else Cell(None, value.undefined)


def _difference_cell(value: Value) -> Cell:
    return Cell(value.value) if value.defined else Cell(None, value.undefined)


def _blocks(rows: Sequence[PaperRow]) -> list[str]:
    own_blocks = dict.fromkeys(row.block for row in rows)
    return [*(block for block in own_blocks if block not in BLOCKS), *BLOCKS]


def _own_cells(row: PaperRow) -> list[Cell]:
    cells = [Cell(row.block or "–"), Cell(row.name)]
    for name in COLUMNS:
        aggregate = row.numbers.get(OURS.get(name, name))
        why = NO_JUDGE if name == "f1" else "not measured"
        cells.append(aggregate_cell(aggregate) if aggregate is not None else Cell(None, why))
    return cells


def _printed_cells(block: str, row: PublishedRow) -> list[Cell]:
    cells = [Cell(block), Cell(f"{row.key} {row.name}")]
    for name in COLUMNS:
        value = row.cells.get(name)
        scaled = value / 100 if name == "rl" and value is not None else value
        cells.append(Cell(scaled) if scaled is not None else Cell(None, "not printed"))
    return cells

"""Automatic scores of several systems in the layout of a paper: CER, CC and content per system, the references first.

Layout: Zhang et al., MACSum, TACL 2023, Tables 4 and 5 (systems) and 7 (two trainings of one system).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epitome.figures.tables import Cell, Column, Table
from epitome.measures import Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.published import PublishedTable
from epitome.metrics.table_numbers import CONTENT, ROUGES
from epitome.reports.cells import aggregate_cell, few_clusters_notes

GOLD = "Gold"
NOTE = (
    "CER: mean relative distance of the measured attribute to the reference's, lower is better; CC: change of the "
    "measure per step of the request, closest to the gold row is best. CER is never compared across datasets. "
    "95 % intervals by a bootstrap that draws whole sources."
)
GAMING_NOTE = (
    "{name} is built to meet these measures. Its CER says how far the measures can be met by rule, not how well people "
    "find the request followed: read it beside the raters' answers."
)
RATED_NOTE = "Raters: share of yes over the samples they judged, all questions pooled."


@dataclass(frozen=True)
class SystemScores:
    """CER and CC by attribute; average: of the CERs; content: by the keys of `CONTENT`."""

    cer: Mapping[str, Aggregate]
    cc: Mapping[str, Aggregate]
    content: Mapping[str, Aggregate]
    average: Value


@dataclass(frozen=True)
class SystemRow:
    """One system's scores on the same samples. gaming: built to optimize the metrics. yes: the raters' share of yes."""

    name: str
    numbers: SystemScores
    gaming: bool = False
    yes: Cell | None = None


def system_table(
    rows: Sequence[SystemRow],
    gold: Mapping[str, Aggregate],
    codes: Mapping[str, str],
    *,
    title: str,
    signature: str,
    gold_yes: Cell | None = None,
    published: PublishedTable | None = None,
) -> Table:
    """Tables 4 and 5: a row for the references, then one per system, then those that are printed for the same samples.

    gold: CC of the references by attribute; gold_yes: their share of yes. codes: attribute -> column heading.
    Raises ValueError without rows.
    """
    if not rows:
        raise ValueError("a table of systems needs at least one system")
    ordered = [name for name in codes if name in gold]
    lists = [name for name in codes if name not in gold and name in rows[0].numbers.cer]
    columns = [Column("System", kind="text")]
    for name in ordered:
        columns += [Column("CER", group=codes[name], digits=3, interval=True)]
        columns += [Column("CC", group=codes[name], digits=3, interval=True)]
    columns += [Column("CER", group=codes[name], digits=3, interval=True) for name in lists]
    columns += [Column("CER", group="Average", digits=3)]
    columns += [
        Column(number.code, group=metric.name, digits=number.digits)
        for metric in CONTENT.values()
        for number in metric.numbers
    ]
    judged = any(row.yes is not None for row in rows)
    columns += [Column("Yes", group="Raters", interval=True, count=True)] if judged else []
    body = [
        _gold_cells(gold, ordered, lists, judged, gold_yes),
        *(_system_cells(row, ordered, lists, judged) for row in rows),
    ]
    notes = [NOTE, *few_clusters_notes(_drawn(rows)), *([RATED_NOTE] if judged else [])]
    notes += [GAMING_NOTE.format(name=row.name) for row in rows if row.gaming]
    printed = _printed_cells(published, ordered, lists, judged) if published is not None else []
    notes += _describe_printed(published) if published is not None else []
    quoted = range(len(body), len(body) + len(printed))
    return Table("systems", title, columns, [*body, *printed], notes=notes, signature=signature, quoted=list(quoted))


def _describe_printed(published: PublishedTable) -> list[str]:
    slips = dict.fromkeys(f"{column}: {slip}" for row in published.rows for column, slip in row.slips.items())
    how = "taken for the same samples by the numbers of samples and sources"
    return [f"In grey, as printed: {published.caption}; {how}.", *(f"Printed {slip}." for slip in slips)]


def _printed_cells(
    published: PublishedTable, ordered: Sequence[str], lists: Sequence[str], judged: bool
) -> list[list[Cell]]:
    """The printed rows in the columns of the table; slips of the paper carry their note."""
    names = [column for name in ordered for column in (f"{name}_cer", f"{name}_cc")]
    names += [*(f"{name}_cer" for name in lists), "average_cer"]
    names += [number.key for metric in CONTENT.values() for number in metric.numbers]
    more = [Cell(None, "not judged")] if judged else []
    return [
        [
            Cell(f"{row.name}, as printed"),
            *(Cell(row.cells[name]) if name in row.cells else Cell(None, "not printed") for name in names),
            *more,
        ]
        for row in published.rows
    ]


def _drawn(rows: Sequence[SystemRow]) -> list[Aggregate]:
    """All numbers of the rows that have intervals."""
    return [one for row in rows for part in (row.numbers.cer, row.numbers.cc) for one in part.values()]


def _gold_cells(
    gold: Mapping[str, Aggregate], ordered: Sequence[str], lists: Sequence[str], judged: bool, yes: Cell | None
) -> list[Cell]:
    row = [Cell(GOLD)]
    for name in ordered:
        row += [Cell(0), aggregate_cell(gold[name])]
    row += [Cell(0) for _name in lists]
    row += [Cell(0), *(Cell(number.of_reference) for metric in CONTENT.values() for number in metric.numbers)]
    return [*row, yes or Cell(None, "not judged")] if judged else row


def _system_cells(row: SystemRow, ordered: Sequence[str], lists: Sequence[str], judged: bool) -> list[Cell]:
    numbers, cells = row.numbers, [Cell(row.name)]
    for name in ordered:
        cells += [aggregate_cell(numbers.cer[name]), aggregate_cell(numbers.cc[name])]
    cells += [aggregate_cell(numbers.cer[name]) for name in lists]
    average = numbers.average
    cells.append(Cell(average.value) if average.defined else Cell(None, average.undefined))
    cells += [aggregate_cell(numbers.content[number.key]) for metric in CONTENT.values() for number in metric.numbers]
    return [*cells, row.yes or Cell(None, "not judged")] if judged else cells


def ablation_table(first: SystemRow, second: SystemRow, codes: Mapping[str, str], *, signature: str) -> Table:
    """Table 7: two runs side by side, CER per attribute and Quality, which is 1 - mean ROUGE (lower is better)."""
    names = [name for name in codes if name in first.numbers.cer]
    columns = [Column("Run", kind="text")]
    columns += [Column(codes[name], group="CER", digits=3, interval=True) for name in names]
    columns += [Column("Quality", digits=3)]
    body = [
        [Cell(row.name), *(aggregate_cell(row.numbers.cer[name]) for name in names), _quality_cell(row.numbers)]
        for row in (first, second)
    ]
    body.append(_change_cells(body[0], body[1]))
    note = "Quality: 1 - the mean of ROUGE-1, ROUGE-2 and ROUGE-L. Change: second minus first; below 0 is better."
    title = f"{first.name} and {second.name}"
    return Table(
        "ablation",
        title,
        columns,
        body,
        notes=(note, *few_clusters_notes(_drawn((first, second)))),
        signature=signature,
    )


def _quality_cell(numbers: SystemScores) -> Cell:
    values = [numbers.content[name].value for name in ROUGES]
    for value in values:
        if not value.defined:
            return Cell(None, value.undefined)
    return Cell(1 - sum(float(value) for value in values) / len(values))


def _change_cells(first: Sequence[Cell], second: Sequence[Cell]) -> list[Cell]:
    row = [Cell("Change")]
    for first_cell, second_cell in zip(first[1:], second[1:], strict=True):
        if isinstance(first_cell.value, int | float) and isinstance(second_cell.value, int | float):
            row.append(Cell(float(second_cell.value) - float(first_cell.value)))
        else:
            row.append(Cell(None, first_cell.undefined or second_cell.undefined or "no number"))
    return row

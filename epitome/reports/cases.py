"""Cases of conflicting attributes for a paper: each output beside the one whose request differs in one value.

Layout: Zhang et al., MACSum, TACL 2023, Table 8; CCSBench, arXiv 2410.12601, Table 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from epitome.figures.tables import Cell, Column, Table, latex_text

NO_PAIR = "no other output differs in one value of the request"


@dataclass(frozen=True)
class CaseText:
    """One output: what was asked for and what was measured, as (label, value)."""

    request: Sequence[tuple[str, str]]
    measured: Sequence[tuple[str, str]]
    text: str


@dataclass(frozen=True)
class CaseRow:
    """changed: label of the attribute in which the two requests differ; pair: None where there is no such output."""

    label: str
    system: str
    source: str
    note: str
    shown: CaseText
    changed: str = ""
    pair: CaseText | None = None


def cases_table(rows: Sequence[CaseRow], *, title: str) -> Table:
    """For files: one line per case."""
    names = ("Case", "System", "Source", "Note", "Request", "Measured", "Output")
    columns = [Column(name, kind="text") for name in names]
    columns += [Column(name, group="Pair", kind="text") for name in ("Changed", "Request", "Measured", "Output")]
    body = [[*map(Cell, _first_cells(row)), *_pair_cells(row)] for row in rows]
    return Table("cases", title, columns, body)


def _first_cells(row: CaseRow) -> list[str]:
    shown = row.shown
    return [row.label, row.system, row.source, row.note, _join(shown.request), _join(shown.measured), shown.text]


def _pair_cells(row: CaseRow) -> list[Cell]:
    if row.pair is None:
        return [Cell(None, NO_PAIR) for _column in range(4)]
    return [Cell(row.changed), Cell(_join(row.pair.request)), Cell(_join(row.pair.measured)), Cell(row.pair.text)]


def _join(pairs: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{label} {value}" for label, value in pairs)


def cases_latex(rows: Sequence[CaseRow], *, title: str) -> str:
    r"""A booktabs table with a block per label and two rows per case; needs \usepackage{booktabs}."""
    lines = [
        r"\begin{table*}",
        r"\centering\small",
        rf"\caption{{{latex_text(title)}}}",
        r"\label{tab:cases}",
        r"\begin{tabular}{p{.28\textwidth}p{.68\textwidth}}",
        r"\toprule",
        r"Request & Output \\",
    ]
    for label in dict.fromkeys(row.label for row in rows):
        lines += [r"\midrule", rf"\multicolumn{{2}}{{l}}{{\textbf{{{latex_text(label)}}}}} \\"]
        for row in rows:
            if row.label == label:
                lines += [_latex_line(text) for text in (row.shown, row.pair) if text is not None]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table*}", ""])


def _latex_line(text: CaseText) -> str:
    measured = f" ({_join(text.measured)})" if text.measured else ""
    return rf"{{}}{latex_text(_join(text.request))} & {latex_text(text.text + measured)} \\"

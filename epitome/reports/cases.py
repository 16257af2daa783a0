"""Cases of conflicting attributes for a paper: the outputs kept of one request below the human summary of it, each
beside the output whose request differs in one value.

Layout: Zhang et al., MACSum, TACL 2023, Table 8; CCSBench, arXiv 2410.12601, Table 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from epitome.figures.tables import Cell, Column, Table, latex_text

HUMAN = "Human summary"
NO_GOLD = "the request has no human summary"
NO_PAIR = "no other output differs in one value of the request"


@dataclass(frozen=True)
class CaseText:
    """One output: what was asked for and what was measured, as (label, value)."""

    request: Sequence[tuple[str, str]]
    measured: Sequence[tuple[str, str]]
    text: str


@dataclass(frozen=True)
class CaseRow:
    """gold: the human summary of the same request, None without one. changed: label of the attribute in which the two
    requests differ; pair: None where there is no such output."""

    label: str
    system: str
    source: str
    note: str
    shown: CaseText
    gold: CaseText | None = None
    changed: str = ""
    pair: CaseText | None = None

    @property
    def block(self) -> tuple[str, str]:
        """The same of all outputs kept of one request under one label."""
        return (self.label, self.source)


def cases_table(rows: Sequence[CaseRow], *, title: str) -> Table:
    """For files: one line per output that was kept."""
    names = ("Case", "System", "Source", "Note", "Request", "Measured", "Output")
    columns = [Column(name, kind="text") for name in names]
    columns += [Column(name, group=HUMAN, kind="text") for name in ("Measured", "Summary")]
    columns += [Column(name, group="Pair", kind="text") for name in ("Changed", "Request", "Measured", "Output")]
    body = [[*map(Cell, _first_cells(row)), *_gold_cells(row), *_pair_cells(row)] for row in rows]
    return Table("cases", title, columns, body)


def _first_cells(row: CaseRow) -> list[str]:
    shown = row.shown
    return [row.label, row.system, row.source, row.note, _join(shown.request), _join(shown.measured), shown.text]


def _gold_cells(row: CaseRow) -> list[Cell]:
    if row.gold is None:
        return [Cell(None, NO_GOLD) for _column in range(2)]
    return [Cell(_join(row.gold.measured)), Cell(row.gold.text)]


def _pair_cells(row: CaseRow) -> list[Cell]:
    if row.pair is None:
        return [Cell(None, NO_PAIR) for _column in range(4)]
    return [Cell(row.changed), Cell(_join(row.pair.request)), Cell(_join(row.pair.measured)), Cell(row.pair.text)]


def _join(pairs: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{label} {value}" for label, value in pairs)


def cases_latex(rows: Sequence[CaseRow], *, title: str) -> str:
    r"""A booktabs table: below each label a block per request, with a row for the human summary and for each output
    that was kept of it, and the pairs; needs \usepackage{booktabs}."""
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
        blocks = {row.block: row for row in reversed(rows) if row.label == label}
        for block in reversed(blocks):
            lines += _latex_block([row for row in rows if row.block == block])
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table*}", ""])


def _latex_block(rows: Sequence[CaseRow]) -> list[str]:
    """The request stands once, in the first row."""
    gold = rows[0].gold
    texts = [(HUMAN, gold)] if gold is not None else []
    texts += [(row.system, row.shown) for row in rows]
    lines = [_latex_line(name, text, "" if index else _join(text.request)) for index, (name, text) in enumerate(texts)]
    return lines + [_latex_line(row.system, row.pair, _join(row.pair.request)) for row in rows if row.pair is not None]


def _latex_line(name: str, text: CaseText, request: str) -> str:
    measured = f" ({_join(text.measured)})" if text.measured else ""
    return rf"{{}}{latex_text(request)} & \textit{{{latex_text(name)}}}: {latex_text(text.text + measured)} \\"

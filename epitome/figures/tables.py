"""A table of numbers as data: the page, CSV, LaTeX and JSON all come from the same cells.

A cell is a number or a text, or no value with the reason. A number may carry its n and a 95 % interval.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from epitome.figures.numbers import format_count, format_decimal, format_score, numbers_of_files

ABSENT = "n/a"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "−": "$-$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "±": r"$\pm$",
    "→": r"$\to$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "Δ": r"$\Delta$",
}
_LATEX_CHARACTER = re.compile("|".join(re.escape(character) for character in _LATEX))
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Column:
    """label: its head; group: a head over neighbours that share it; digits: decimals of what is not a whole number.

    interval, count: whether cells carry a 95 % interval and an n. files_only: left out of the page and of LaTeX.
    absent: what is shown in a cell without a value, beside its reason. percent: whether numbers are percentages.
    """

    label: str
    group: str = ""
    kind: Literal["number", "text"] = "number"
    digits: int = 2
    interval: bool = False
    count: bool = False
    files_only: bool = False
    absent: str = ABSENT
    percent: bool = False

    @property
    def is_text(self) -> bool:
        return self.kind == "text"

    @property
    def full_label(self) -> str:
        return f"{self.group} {self.label}".strip() if self.group else self.label

    def format(self, value: float | int | str | None) -> str:
        """A value of this column for readers; a percentage keeps its 0, as .4 would read as two fifths."""
        if self.percent and isinstance(value, float):
            return format_decimal(value, self.digits)
        return format_value(value, self.digits)


@dataclass(frozen=True, slots=True)
class Cell:
    """value: None where there is none, then `undefined` says why. low, high: 95 % interval. n: what was counted."""

    value: float | int | str | None = None
    undefined: str = ""
    low: float | None = None
    high: float | None = None
    n: int | None = None

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.undefined):
            raise ValueError(f"a cell has a value or a reason, not value={self.value!r}, reason={self.undefined!r}")
        for number in (self.value, self.low, self.high):
            if isinstance(number, float) and not abs(number) < float("inf"):  # also false for NaN
                raise ValueError(f"a cell's numbers are finite, not {number!r}: give a reason instead")


@dataclass(frozen=True, slots=True)
class Table:
    """rows: one cell per column. notes: sentences under the table. signature: what reproduces its numbers. quoted:
    numbers of the rows, from 0, that are quoted from a publication; they are shown in grey."""

    key: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    signature: str = ""
    quoted: Sequence[int] = ()

    def __post_init__(self) -> None:
        for index, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"{self.key}, row {index}: has {len(row)} cells, but there are {len(self.columns)} columns"
                )

    def csv(self) -> str:
        """RFC 4180 text with one header line; numbers in full. No spreadsheet reads a text as a formula."""
        lines = [csv_line([name for column in self.columns for name in _csv_names(column)])]
        for row in self.rows:
            pairs = zip(self.columns, row, strict=True)
            lines.append(csv_line([value for column, cell in pairs for value in _csv_cells(column, cell)]))
        return "".join(lines)

    def latex(self) -> str:
        r"""A booktabs `tabular` inside a `table`; needs \usepackage{booktabs}, and xcolor where rows are quoted."""
        column_indexes = [i for i, column in enumerate(self.columns) if not column.files_only]
        columns = [self.columns[i] for i in column_indexes]
        align = "".join("l" if column.is_text else "r" for column in columns)
        heads = [" & ".join(latex_text(column.label) for column in columns) + r" \\"]
        with numbers_of_files():
            body = [
                _latex_row([_latex_cell(self.columns[i], row[i]) for i in column_indexes], grey=index in self.quoted)
                for index, row in enumerate(self.rows)
            ]
        note_lines = [rf"\par\smallskip{{\footnotesize {latex_text(note)}\par}}" for note in self.notes]
        return "\n".join(
            [
                *([f"% {_CONTROL.sub(' ', self.signature)}"] if self.signature else []),
                r"\begin{table}",
                r"\centering",
                rf"\caption{{{latex_text(self.caption or self.title)}}}",
                rf"\label{{tab:{self.key}}}",
                rf"\begin{{tabular}}{{{align}}}",
                r"\toprule",
                *_latex_groups(columns),
                *heads,
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                *note_lines,
                r"\end{table}",
                "",
            ]
        )

    def as_json(self) -> dict[str, Any]:
        """The whole table as JSON values; `from_json` reads it back."""
        rows = [[_drop_empty(asdict(cell)) for cell in row] for row in self.rows]
        return {
            "key": self.key,
            "title": self.title,
            "caption": self.caption,
            "columns": [asdict(column) for column in self.columns],
            "rows": rows,
            "notes": list(self.notes),
            "signature": self.signature,
            **({"quoted": list(self.quoted)} if self.quoted else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Table:
        columns = [Column(**column) for column in data["columns"]]
        rows = [[Cell(**cell) for cell in row] for row in data["rows"]]
        other_fields = {name: data[name] for name in ("key", "title", "caption", "notes", "signature")}
        return cls(columns=columns, rows=rows, quoted=data.get("quoted", ()), **other_fields)


def _drop_empty(cell: dict[str, Any]) -> dict[str, Any]:
    """Drop empty entries, but never `value`, so that None stays visible."""
    return {name: value for name, value in cell.items() if name == "value" or value not in (None, "")}


def group_spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """(group, how many columns it spans) in order; [] where no column has a group."""
    spans: list[tuple[str, int]] = []
    for column in columns:
        if spans and column.group and spans[-1][0] == column.group:
            spans[-1] = (column.group, spans[-1][1] + 1)
        else:
            spans.append((column.group, 1))
    return spans if any(group for group, _span in spans) else []


def format_value(value: float | int | str | None, digits: int) -> str:
    """A value for readers: integers in full, others with `digits` decimals and no 0 before the point."""
    if value is None:
        return ABSENT
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return format_count(value)
    return format_score(value, digits)


def safe_cell(text: str) -> str:
    """A text that no spreadsheet reads as a formula: one that starts like a formula gets a leading apostrophe."""
    return f"'{text}" if text.lstrip(" \u00a0").startswith(_FORMULA) or text.startswith(("\t", "\r", "\n")) else text


def csv_line(values: Sequence[float | int | str]) -> str:
    """One line of a CSV file, the only way to one: numbers stay numbers, texts are made safe and quoted."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([_csv_value(value) for value in values])
    return out.getvalue()


def latex_text(text: str) -> str:
    """Plain text for LaTeX: special characters are escaped, control characters become spaces."""
    return _LATEX_CHARACTER.sub(lambda match: _LATEX[match[0]], _CONTROL.sub(" ", text)).replace("\u202f", r"\,")


def _csv_names(column: Column) -> list[str]:
    names = [column.full_label]
    if column.interval:
        names += [f"{column.full_label} 95 % low", f"{column.full_label} 95 % high"]
    return [*names, f"{column.full_label} n"] if column.count else names


def _csv_cells(column: Column, cell: Cell) -> list[float | int | str]:
    cells: list[float | int | str] = [cell.value if cell.value is not None else f"{column.absent}: {cell.undefined}"]
    if column.interval:
        cells += ["" if bound is None else bound for bound in (cell.low, cell.high)]
    if column.count:
        cells.append("" if cell.n is None else cell.n)
    return cells


def _csv_value(value: float | int | str) -> str:
    return safe_cell(value) if isinstance(value, str) else f"{value:.10g}" if isinstance(value, float) else str(value)


def _latex_cell(column: Column, cell: Cell) -> str:
    if cell.value is None:
        return latex_text(column.absent)
    text = latex_text(column.format(cell.value))
    details = []
    if column.interval and cell.low is not None and cell.high is not None:
        low, high = (column.format(bound) for bound in (cell.low, cell.high))
        details.append(f"[{latex_text(low)}, {latex_text(high)}]")
    if column.count and cell.n is not None:
        details.append(f"$n$={cell.n}")
    return rf"{text} {{\scriptsize {', '.join(details)}}}" if details else text


def _latex_row(cells: Sequence[str], *, grey: bool = False) -> str:
    r"""One row. After the \\ of the previous row, a first cell starting with [ or * would be read as its argument."""
    text = " & ".join(rf"\textcolor{{gray}}{{{cell}}}" if grey else cell for cell in cells)
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


def _latex_groups(columns: Sequence[Column]) -> list[str]:
    groups = group_spans(columns)
    if not groups:
        return []
    cells, rules, start = [], [], 1
    for group, span in groups:
        cells.append(rf"\multicolumn{{{span}}}{{c}}{{{latex_text(group)}}}" if group else " & ".join([""] * span))
        if group:
            rules.append(rf"\cmidrule(lr){{{start}-{start + span - 1}}}")
        start += span
    return [" & ".join(cells) + r" \\", "".join(rules)]

"""What the library returns: a number with interval, n and signature, and tables of such numbers."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from epitome.figures.tables import ABSENT, Cell, Column, Table
from epitome.measures.values import Undefined, Value

if TYPE_CHECKING:
    from pandas import DataFrame

DIGITS = 3
COLUMNS = ("name", "value", "low", "high", "n", "left_out", "undefined", "signature")
"""The columns of `to_frame()`."""


@dataclass(frozen=True)
class Score:
    """One number, or the reason why there is none.

    name: what it is. value: None where it is undefined, then `undefined` says why; never NaN. interval: 95 %, (low,
    high), None where there is none. n: how many samples (pairs, items) it rests on; left_out: how many had no value.
    signature: what reproduces it.
    """

    name: str
    value: float | None
    interval: tuple[float, float] | None = None
    n: int = 0
    left_out: int = 0
    undefined: str = ""
    signature: str = ""

    def __float__(self) -> float:
        """The number; raises Undefined with the reason where there is none."""
        if self.value is None:
            raise Undefined(self.undefined)
        return self.value

    def __repr__(self) -> str:
        if self.value is None:
            return f"{self.name}: {ABSENT} ({self.undefined})"
        bounds = f" [{self.interval[0]:.{DIGITS}f}, {self.interval[1]:.{DIGITS}f}]" if self.interval else ""
        return f"{self.name}: {self.value:.{DIGITS}f}{bounds}" + (f", n = {self.n}" if self.n else "")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; keys that do not apply are absent."""
        entry: dict[str, Any] = {"value": self.value}
        if self.value is None:
            entry["undefined"] = self.undefined
        if self.interval is not None:
            entry["ci95"] = list(self.interval)
        if self.n:
            entry["n"] = self.n
        if self.left_out:
            entry["left_out"] = self.left_out
        if self.signature:
            entry["signature"] = self.signature
        return entry

    def to_frame(self) -> DataFrame:
        """One row of pandas with the columns of COLUMNS."""
        return Scores(self.name, {self.name: self}).to_frame()

    def to_latex(self, digits: int = DIGITS) -> str:
        r"""The number with its interval as LaTeX: `0.373 {\footnotesize [0.352, 0.395]}`."""
        if self.value is None:
            return ABSENT
        bounds = f"[{self.interval[0]:.{digits}f}, {self.interval[1]:.{digits}f}]" if self.interval else ""
        return f"{self.value:.{digits}f}" + (rf" {{\footnotesize {bounds}}}" if bounds else "")

    def _repr_html_(self) -> str:
        return Scores(self.name, {self.name: self}, self.signature)._repr_html_()


@dataclass(frozen=True, repr=False)
class Scores(Mapping[str, Score]):
    """A table of numbers by name, a mapping: `scores["cer.length"]`, `scores.items()`, `scores.select("cer")`.

    details: what belongs to the numbers and is none itself, such as counts. notes: sentences for the reader.
    """

    title: str
    scores: Mapping[str, Score]
    signature: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Score:
        if name not in self.scores:
            raise KeyError(f"there is no {name!r}; there are {', '.join(self.scores)}")
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def select(self, prefix: str) -> Scores:
        """The scores whose name begins with `prefix.`, under the rest of their name."""
        start = prefix.rstrip(".") + "."
        chosen = {name.removeprefix(start): score for name, score in self.items() if name.startswith(start)}
        if not chosen:
            raise KeyError(f"no score begins with {start!r}; there are {', '.join(self.scores)}")
        return Scores(f"{self.title}: {prefix.rstrip('.')}", chosen, self.signature, self.details, self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        entry: dict[str, Any] = {name: score.to_dict() for name, score in self.items()}
        extra = {"details": dict(self.details), "notes": list(self.notes), "signature": self.signature}
        return {"scores": entry, **{key: value for key, value in extra.items() if value}}

    def to_frame(self) -> DataFrame:
        """A pandas DataFrame with one row per score and the columns of COLUMNS. Raises ImportError without pandas."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install 'epitome[analysis]'") from error
        rows = []
        for name, score in self.items():
            low, high = score.interval or (None, None)
            signature = score.signature or self.signature
            rows.append((name, score.value, low, high, score.n, score.left_out, score.undefined, signature))
        return DataFrame(rows, columns=list(COLUMNS))

    def to_latex(self, digits: int = DIGITS) -> str:
        r"""A booktabs table; needs \usepackage{booktabs}."""
        return self._as_table(digits).latex()

    def _as_table(self, digits: int = DIGITS) -> Table:
        columns = [Column("", kind="text"), Column("value", digits=digits, interval=True), Column("n")]
        rows = []
        for name, score in self.items():
            low, high = score.interval or (None, None)
            rows.append([Cell(name), Cell(score.value, score.undefined, low, high), Cell(score.n)])
        return Table("epitome", self.title, columns, rows, notes=self.notes, signature=self.signature)

    def __repr__(self) -> str:
        width = max((len(name) for name in self.scores), default=0)
        lines = [self.title, *(f"  {name:<{width}}  {_score_text(score)}" for name, score in self.items())]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join([*lines, f"  signature: {self.signature}"] if self.signature else lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(_value_text(score))}</td>"
            f"<td>{html.escape(_bounds_text(score))}</td><td>{score.n or ''}</td></tr>"
            for name, score in self.items()
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        head = "<tr><th></th><th>value</th><th>95 %</th><th>n</th></tr>"
        signature = f"<p><code>{html.escape(self.signature)}</code></p>" if self.signature else ""
        return f"<table><caption>{html.escape(self.title)}</caption>{head}{rows}</table>{notes}{signature}"


class Compared(NamedTuple):
    """A number beside what a script with another library gives. ours: None where it is undefined; theirs: a number, or
    how it fails."""

    name: str
    ours: float | None
    library: str
    theirs: float | str
    why: str

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


def list_compared(rows: Sequence[Compared], heading: str) -> list[str]:
    """The rows as lines of text below a heading."""
    lines = [heading]
    for row in rows:
        ours = ABSENT if row.ours is None else f"{row.ours:.{DIGITS}f}"
        theirs = row.theirs if isinstance(row.theirs, str) else f"{row.theirs:.{DIGITS}f}"
        lines.append(f"  {row.name:<26} {ours:>7}  {row.library}: {theirs}, since it {row.why}")
    return lines if rows else [f"{heading} no difference"]


def score_of(name: str, aggregate: Any) -> Score:
    """The Score of an Aggregate of `epitome.metrics`: value, interval, n, left_out, signature."""
    low, high = aggregate.interval.low, aggregate.interval.high
    return Score(
        name=name,
        value=aggregate.value.value,
        interval=None if low is None or high is None or aggregate.value.value is None else (low, high),
        n=aggregate.n,
        left_out=aggregate.left_out,
        undefined=aggregate.value.undefined,
        signature=str(aggregate.signature),
    )


def score_of_value(name: str, value: Value, *, n: int = 0, signature: str = "") -> Score:
    """The Score of a Value without an interval."""
    return Score(name, value.value, None, n, 0, value.undefined, signature)


def _score_text(score: Score) -> str:
    return repr(score).removeprefix(f"{score.name}: ")


def _value_text(score: Score) -> str:
    return f"{ABSENT} ({score.undefined})" if score.value is None else f"{score.value:.{DIGITS}f}"


def _bounds_text(score: Score) -> str:
    return f"[{score.interval[0]:.{DIGITS}f}, {score.interval[1]:.{DIGITS}f}]" if score.interval else ""

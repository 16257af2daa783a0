"""People and model judges together: estimates that need fewer human judgements for the same certainty.

from epitome import combined
print(combined.estimate(human=[1, 0, 1, None, None, None], judge=[1, 0, 1, 1, 0, 1]))
"""

from __future__ import annotations

import html
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epitome.agreement.table import is_missing
from epitome.combined.advice import Wish, advise_plan, state_assumptions
from epitome.combined.estimates import Estimate
from epitome.combined.group_estimates import GroupEstimate
from epitome.combined.judged_items import TooFew
from epitome.combined.planner import Assumptions, Costs
from epitome.combined.rows import CombinedRow
from epitome.combined.rows import Scale as AnswerScale
from epitome.combined.sequences import Look, Scale, follow_mean
from epitome.combined.summary import Summary, summarise_rows
from epitome.figures.tables import ABSENT, Cell, Column, Table
from epitome.results import DIGITS, Score, Scores

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = [
    "CombinedScore",
    "CombinedScores",
    "Look",
    "Score",
    "Scores",
    "TooFew",
    "combine_files",
    "combine_rows",
    "compare",
    "estimate",
    "follow",
    "plan",
]
NUMBERS = ("n_judge", "weight", "effective_n", "p")
"""The columns that `to_frame()` has beside those of other results."""
QUESTION, JUDGE = "mean", "judge"
BIASED = "The judge alone has its bias, which its interval does not contain."


@dataclass(frozen=True, repr=False)
class CombinedScore(Score):
    """An estimate. n: items with people's judgement; n_judge: N, items with the judge's alone. weight: l, how much the
    judge counts, 0 to 1. effective_n: how many human judgements alone would give this interval. p: two-sided, of no
    difference, after Holm's correction; None where nothing is compared."""

    n_judge: int = 0
    weight: float = 0.0
    effective_n: float = 0.0
    p: float | None = None

    def __repr__(self) -> str:
        text = super().__repr__()
        if self.value is None:
            return text
        if self.weight:
            text += f", N = {self.n_judge}, l = {self.weight:.2f}, effective n = {self.effective_n:.0f}"
        return text if self.p is None else f"{text}, p = {self.p:.4f}"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), **{name: getattr(self, name) for name in NUMBERS}}


@dataclass(frozen=True, repr=False)
class CombinedScores(Scores):
    """Estimates by name, such as "fluent.alpha.combined" or "fluent.alpha - beta.people"."""

    def to_frame(self) -> DataFrame:
        """One row per estimate with the usual columns, n_judge, weight, effective_n and p. Raises ImportError without
        pandas."""
        frame = super().to_frame()
        for name in NUMBERS:
            frame.insert(len(frame.columns) - 3, name, [getattr(score, name, None) for score in self.values()])
        return frame

    def _as_table(self, digits: int = DIGITS) -> Table:
        heads = [Column("n"), Column("N"), Column("l"), Column("effective n", digits=0)]
        columns = [Column("", kind="text"), Column("value", digits=digits, interval=True), *heads]
        rows = []
        for name, score in self.items():
            low, high = score.interval or (None, None)
            numbers = [getattr(score, field, 0) for field in ("n", "n_judge", "weight", "effective_n")]
            rows.append([Cell(name), Cell(score.value, score.undefined, low, high), *map(Cell, numbers)])
        return Table("combined", self.title, columns, rows, notes=self.notes, signature=self.signature)

    def _repr_html_(self) -> str:
        table = self._as_table()
        heads = "".join(f"<th>{html.escape(column.label)}</th>" for column in table.columns)
        rows = "".join(f"<tr>{''.join(map(_html_cell, table.columns, row))}</tr>" for row in table.rows)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        signature = f"<p><code>{html.escape(self.signature)}</code></p>" if self.signature else ""
        return f"<table><caption>{html.escape(self.title)}</caption><tr>{heads}</tr>{rows}</table>{notes}{signature}"


def _html_cell(column: Column, cell: Cell) -> str:
    if cell.value is None:
        return f"<td>{ABSENT} ({html.escape(cell.undefined)})</td>"
    text = column.format(cell.value)
    if column.interval and cell.low is not None and cell.high is not None:
        text += f" [{column.format(cell.low)}, {column.format(cell.high)}]"
    return f"<td>{html.escape(text)}</td>"


def estimate(
    human: Sequence[float | None],
    judge: Sequence[float | None],
    *,
    sources: Sequence[Hashable] | None = None,
    chance: Sequence[float] | None = None,
) -> CombinedScores:
    """The mean that people would give all items: `people` alone, the `judge` alone (with its bias), and `combined`.

    human, judge: one value from 0 to 1 per item, None (NaN) where people were not asked. sources: what belongs
    together; None: every item is a source. chance: with which each item was drawn for people; None: all were equally
    likely.
    Raises ValueError for lists of different lengths and values outside of the scale.
    """
    rows = _make_rows("", human, judge, sources, chance)
    summary = summarise_rows(rows)
    scores = {name.removeprefix(f"{QUESTION}."): score for name, score in _list_scores(summary).items()}
    return _finish("Mean of all items", {name.removeprefix("."): score for name, score in scores.items()}, summary)


def compare(
    systems: Mapping[str, tuple[Sequence[float | None], Sequence[float | None]]],
    *,
    sources: Sequence[Hashable] | None = None,
    chance: Sequence[float] | None = None,
) -> CombinedScores:
    """Systems on the same items: the mean of each, and every difference, with Holm's correction over these.

    systems: name -> (human, judge) as for `estimate`, in the same order of items for all. Returns `NAME.combined` and
    `NAME - OTHER.combined`, also `.people` and `.judge`. Raises ValueError.
    """
    rows = [row for name, (human, judge) in systems.items() for row in _make_rows(name, human, judge, sources, chance)]
    summary = summarise_rows(rows)
    scores = {name.removeprefix(f"{QUESTION}."): score for name, score in _list_scores(summary).items()}
    return _finish(f"Systems: {len(systems)}", scores, summary)


def combine_files(
    judgements: str | Path, judge: str | Path | None = None, *, scales: Mapping[str, Any] | None = None
) -> CombinedScores:
    """The same of files: people's answers joined with a judge's, or rows as a round exports them alone.

    scales: question -> (low, high) of numbers, or words from the lowest to the highest. Names are
    `QUESTION.SYSTEM.combined`, with several judges `JUDGE.QUESTION.SYSTEM.combined`. Raises ValueError naming file,
    line and field.
    """
    from epitome.combined.answers_file import read_answers
    from epitome.combined.joining import join_answers
    from epitome.combined.rows_file import read_combined_rows
    from epitome.formats.reading import input_file

    if judge is None:
        return _summarise(read_combined_rows(input_file(Path(judgements))), ())
    people = read_answers(input_file(Path(judgements)))
    judges = read_answers(input_file(Path(judge)), default_rater=Path(judge).stem)
    joined = join_answers(people, judges, {key: _read_scale(scale) for key, scale in (scales or {}).items()})
    return _summarise(joined.rows, joined.notes)


def combine_rows(rows: DataFrame | Sequence[Mapping[str, Any]]) -> CombinedScores:
    """The same of rows with `item_id`, `source_id`, `system`, `question`, `judge`, `pi`, `H` and `G`, as mappings or a
    DataFrame; H and G are None or NaN where they are missing. Raises ValueError with the row's position."""
    from epitome.combined.rows_file import parse_row
    from epitome.formats.faults import FieldFault

    listed = rows.to_dict("records") if hasattr(rows, "to_dict") else list(rows)
    parsed = []
    for index, row in enumerate(listed):
        try:
            parsed.append(parse_row({str(key): value for key, value in row.items() if not is_missing(value)}))
        except FieldFault as error:
            field = ".".join(map(str, error.path))
            raise ValueError(f"row {index}: {field} {error.message}") from error
    return _summarise(parsed, ())


def follow(values: Sequence[float], *, low: float = 0.0, high: float = 1.0, null: float | None = None) -> list[Look]:
    """Intervals that hold at every look, so that one may stop at any: one value per source, in a random order.

    low, high: the ends of the scale (-1 and 1 for differences). null: what the evidence is against, by default the
    middle of the scale. Raises ValueError for a value outside of the scale.
    """
    return list(follow_mean(values, Scale(low, high), null))


def plan(
    *,
    items: int,
    budget: float,
    price: float,
    judge_price: float = 0.0,
    unit: str = "",
    difference: float = 0.1,
    power: float = 0.8,
    pilot: Sequence[CombinedRow] | Assumptions | None = None,
    rate: float | None = None,
    correlation: float | None = None,
    between: float | None = None,
) -> Scores:
    """Half the width of the 95 % interval that a budget buys: people alone, combined, and active (with chosen items).

    items: how many there are; budget, price, judge_price: in one unit, of one judgement. pilot: rows, or assumptions;
    or rate (the share of yes) and correlation (of people and judge; None: there is no judge) as expected; between: of
    two systems' answers, for their difference. n of a result counts items for people. details: `answer` in words, also
    where it is no, `needs` for the difference, and the curve over budgets. Raises ValueError.
    """
    about = _read_assumptions(pilot, rate, correlation, between)
    subject = "the mean of one system" if between is None else "the difference of two systems"
    wish = Wish(budget, unit, items, difference, power, subject)
    if pilot is None and correlation is None:
        if judge_price:
            raise ValueError("judge_price is of a judge: give correlation of people and judge too")
        wish = replace(wish, ways=("people",))
    advice = advise_plan(about, Costs(price, judge_price), wish)
    scores = {
        str(budget_plan.way): Score(f"half width, {budget_plan.way}", budget_plan.half_width, n=budget_plan.n_human)
        for budget_plan in advice.plans
    }
    return Scores(advice.answer, scores, details=advice.as_dict())


def _read_assumptions(
    pilot: Sequence[CombinedRow] | Assumptions | None,
    rate: float | None,
    correlation: float | None,
    between: float | None,
) -> Assumptions:
    if isinstance(pilot, Assumptions):
        return pilot
    if pilot is not None:
        from epitome.combined.pilots import assume_from_rows

        return assume_from_rows(pilot)
    if rate is None:
        raise ValueError("give a pilot, or rate as you expect it, with a judge also correlation")
    return state_assumptions(rate, correlation or 0.0, between=between)


def _make_rows(
    system: str,
    human: Sequence[float | None],
    judge: Sequence[float | None],
    sources: Sequence[Hashable] | None,
    chance: Sequence[float] | None,
) -> list[CombinedRow]:
    lists = {"human": human, "judge": judge, "sources": sources, "chance": chance}
    sizes = {name: len(values) for name, values in lists.items() if values is not None}
    if len(set(sizes.values())) > 1:
        listed = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ValueError(f"{system + ': ' if system else ''}{listed}: give one of each per item")
    values = [None if is_missing(value) else float(value or 0) for value in human]
    judged = [None if is_missing(value) else float(value or 0) for value in judge]
    share = max(1, sum(value is not None for value in values)) / max(1, len(values))
    return [
        CombinedRow(
            item=f"{system}#{index}",
            source=f"{index}" if sources is None else repr(sources[index]),
            sample=f"{index}",
            system=system,
            question=QUESTION,
            judge=JUDGE,
            chance=share if chance is None else float(chance[index]),
            drawn=values[index] is not None,
            human=values[index],
            judged=judged[index],
        )
        for index in range(len(values))
    ]


def _read_scale(scale: Any) -> AnswerScale:
    if isinstance(scale, AnswerScale):
        return scale
    if len(scale) == 2 and not isinstance(scale[0], str):
        return AnswerScale((), float(scale[0]), float(scale[1]))
    return AnswerScale(tuple(map(str, scale)))


def _summarise(rows: Sequence[CombinedRow], notes: Sequence[str]) -> CombinedScores:
    summary = summarise_rows(rows, notes)
    title = f"Combined estimates, items: {summary.n_items}, sources: {summary.n_sources}"
    return _finish(title, _list_scores(summary), summary)


def _finish(title: str, scores: Mapping[str, Score], summary: Summary) -> CombinedScores:
    signature = next((score.signature for name, score in scores.items() if name.endswith("combined")), "")
    details = {"items": summary.n_items, "sources": summary.n_sources, "formulas": list(summary.formulas)}
    return CombinedScores(title, scores, signature, details, (BIASED, *summary.notes))


def _list_scores(summary: Summary) -> dict[str, Score]:
    scores: dict[str, Score] = {}
    for group in summary.all:
        is_difference = group in summary.differences
        subject = f"{group.first}{' - ' if is_difference else ' over '}{group.second}" if group.second else group.first
        start = f"{group.judge_key}." if len(summary.judges) > 1 else ""
        name = f"{start}{group.question}.{subject}" if subject else f"{start}{group.question}"
        scores |= {
            f"{name}.people": _score(f"{subject} people", group, group.people, "people"),
            f"{name}.judge": _score(f"{subject} judge, biased", group, group.judge, "judge"),
            f"{name}.combined": _score(f"{subject} combined", group, group.combined, "combined"),
        }
    return scores


def _score(name: str, group: GroupEstimate, number: Estimate | None, way: str) -> CombinedScore:
    name = name.strip()
    if number is None:
        return CombinedScore(name, None, undefined=group.judge_undefined if way == "judge" else group.undefined)
    return CombinedScore(
        name,
        number.value,
        (number.low, number.high),
        n=number.n_judge if way == "judge" else number.n_human,
        signature=str(group.sign(way)),
        n_judge=number.n_judge if way == "combined" else 0,
        weight=number.weight if way == "combined" else 0.0,
        effective_n=number.effective_n if way == "combined" else 0.0,
        p={"people": group.p_people, "combined": group.p_combined}.get(way),
    )

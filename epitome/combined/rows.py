"""What a combined estimate rests on, one row per item, question, system and judge; from these rows alone every number
of a report can be computed again.

Answers become values from 0 to 1 (`Scale`): no 0 and yes 1; step s of k ordered steps (s - 1) / (k - 1); of a
comparison 1 where the first system wins, 0 where the second does, 0.5 for a tie; a number between its ends in
proportion. H is the mean of the values of all people who judged the item, G the judge's value, or the mean of its
values where it was asked more than once, as with the texts of a pair exchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.rounds.question_types import TYPES

YES_NO = ("no", "yes")
PREFERENCE = ("2", "tie", "1")


@dataclass(frozen=True, slots=True)
class Scale:
    """Which value an answer has. answers: from the lowest, worth 0, to the highest, worth 1, in equal steps; empty for
    numbers from `low` to `high`."""

    answers: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if len(self.answers) == 1 or len(set(self.answers)) < len(self.answers):
            raise ValueError(f"a scale has at least two different answers, not {', '.join(self.answers)}")
        if not self.low < self.high:
            raise ValueError(f"a scale goes from a lower to a higher number, not from {self.low:g} to {self.high:g}")

    @classmethod
    def of_question(cls, type_: str, values: Sequence[str] = (), low: float = 0.0, high: float = 1.0) -> "Scale | None":
        """The scale of a question of a round, by its type; None where its answers have no order."""
        kind = TYPES.get(type_)
        if kind is None or kind.has_ends:
            return None if kind is None else cls((), low, high)
        answers = kind.ascending(values)
        return cls(answers) if len(answers) > 1 else None

    @property
    def name(self) -> str:
        """As it is stored in rows and shown under tables: no/yes, 1/2/3/4/5, 0..100."""
        return "/".join(self.answers) or f"{self.low:g}..{self.high:g}"

    def value_of(self, answer: str | bool | float) -> float:
        """From 0 to 1. Raises ValueError for an answer that the scale does not have."""
        if not self.answers:
            return self._place_number(answer)
        text = answer if isinstance(answer, str) else ("yes" if answer else "no") if answer in (True, False) else ""
        if not isinstance(answer, str | bool):
            text = f"{answer:g}"
        if text not in self.answers:
            raise ValueError(f"is not on the scale {self.name}")
        return self.answers.index(text) / (len(self.answers) - 1)

    def _place_number(self, answer: str | bool | float) -> float:
        try:
            number = float("nan") if isinstance(answer, bool) else float(answer)
        except ValueError:
            number = float("nan")
        if not self.low <= number <= self.high:
            raise ValueError(f"is not a number on the scale {self.name}")
        return (number - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class CombinedRow:
    """One item under one question, as people and one judge value it.

    item: what was shown, unique per system. source: items of one source are not independent. sample: what systems
    answered, for differences between them. system, other: the systems of a comparison, the first and the second;
    `other` is "" for a question about one summary. judge: the model with its revision; a changed judge is another one.
    human: H, None where no person judged the item. judged: G, None where the judge gave no answer.
    chance: pi, above 0 to 1, with which the draw chose the item for people: n / N where n of N were drawn at random, 1
    only where all were to be shown. drawn: whether the draw chose it, also where nobody answered. scale: `Scale.name`.
    look: of rounds that look while they run, the place of the row's source in the order in which people finished
    sources, from 1; 0 where nothing was looked at, or the source was not finished.
    """

    item: str
    source: str
    sample: str
    system: str
    question: str
    judge: str
    chance: float
    drawn: bool
    human: float | None
    judged: float | None
    other: str = ""
    raters: int = 0
    scale: str = ""
    look: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.chance <= 1:
            raise ValueError(f"pi is {self.chance:g}: a chance is above 0 and at most 1")
        for name, value in (("H", self.human), ("G", self.judged)):
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"{name} is {value:g}: values go from 0 to 1")
        if self.human is not None and not self.drawn:
            raise ValueError("H is given, but the item was not drawn for people")

    @property
    def group(self) -> "Group":
        return Group(self.question, self.system, self.other, self.judge)


class Group(NamedTuple):
    """What an estimate is about. other: "" for one system."""

    question: str
    system: str
    other: str
    judge: str

    @property
    def subject(self) -> str:
        return f"{self.system} over {self.other}" if self.other else self.system


def group_rows(rows: Iterable[CombinedRow]) -> dict[Group, list[CombinedRow]]:
    """The rows of each estimate, in the order in which they come."""
    groups: dict[Group, list[CombinedRow]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return groups


def make_items(rows: Sequence[CombinedRow]) -> JudgedItems:
    """The rows of one group for the estimates.

    Of drawn items that nobody answered, nobody knows more than of those not drawn: all chances are multiplied by the
    share of drawn items that were answered. Items without the judge's answer get the mean of its answers, which keeps
    estimates centred, since any guess that does not look at people's answers may be used for G; 0.5 where it gave none.
    Raises TooFew where people answered nothing.
    """
    share = _answered_share([row.human is not None for row in rows], [row.drawn for row in rows])
    return JudgedItems.of(
        [row.human for row in rows],
        _fill_judged(rows),
        [row.source for row in rows],
        [row.chance * share for row in rows],
    )


def pair_items(first: Sequence[CombinedRow], second: Sequence[CombinedRow]) -> JudgedItems:
    """The differences of two groups, first minus second, on the samples that both have; values from -1 to 1.

    People's difference is known where both items have an answer. Raises TooFew where they share no such sample,
    ValueError where a sample is there twice, or was drawn for one system and not for the other with unequal chances:
    the chance of having both is then not known.
    """
    pairs = match_samples(first, second)
    is_even = len({row.chance for pair in pairs for row in pair}) == 1
    for first_row, second_row in pairs:
        if not is_even and (first_row.chance, first_row.drawn) != (second_row.chance, second_row.drawn):
            raise ValueError(f"sample {first_row.sample} was drawn for people with a chance of its own for each system")
    human = [
        None if first_row.human is None or second_row.human is None else first_row.human - second_row.human
        for first_row, second_row in pairs
    ]
    share = _answered_share(
        [value is not None for value in human],
        [first_row.drawn and second_row.drawn for first_row, second_row in pairs],
    )
    judged = zip(
        _fill_judged([first_row for first_row, _second_row in pairs]),
        _fill_judged([second_row for _first_row, second_row in pairs]),
        strict=True,
    )
    return JudgedItems.of(
        human,
        [first_row - second_row for first_row, second_row in judged],
        [first_row.source for first_row, _second_row in pairs],
        None if is_even else [first_row.chance * share for first_row, _second_row in pairs],
        low=-1.0,
        high=1.0,
    )


def match_samples(first: Sequence[CombinedRow], second: Sequence[CombinedRow]) -> list[tuple[CombinedRow, CombinedRow]]:
    """The rows of the samples that both groups have. Raises TooFew where there is none, ValueError for a sample that is
    there twice."""
    of_first, of_second = _rows_by_sample(first), _rows_by_sample(second)
    pairs = [(first_row, of_second[sample]) for sample, first_row in of_first.items() if sample in of_second]
    if not pairs:
        raise TooFew("the two systems have no sample in common")
    return pairs


def _fill_judged(rows: Sequence[CombinedRow]) -> list[float]:
    judged = [row.judged for row in rows if row.judged is not None]
    mean = sum(judged) / len(judged) if judged else 0.5
    return [mean if row.judged is None else row.judged for row in rows]


def _answered_share(has_answer: Sequence[bool], is_drawn: Sequence[bool]) -> float:
    """Of the items drawn for people, the share that somebody judged."""
    if not any(has_answer):
        raise TooFew("people judged none of the items")
    return sum(has_answer) / sum(is_drawn)


def _rows_by_sample(rows: Sequence[CombinedRow]) -> dict[str, CombinedRow]:
    by_sample: dict[str, CombinedRow] = {}
    for row in rows:
        if by_sample.setdefault(row.sample, row) is not row:
            raise ValueError(f"sample {row.sample} is there twice for {row.group.subject}")
    return by_sample


def rows_by_judge(rows: Iterable[CombinedRow]) -> Mapping[str, list[CombinedRow]]:
    """Judge -> its rows: a column of the report each."""
    columns: dict[str, list[CombinedRow]] = {}
    for row in rows:
        columns.setdefault(row.judge, []).append(row)
    return columns

"""The answers of a round as input of a report: who answered what about which system's summary.

Only real items and first answers count in rates, agreement and tests. Foils and repeats are separated at the start, so
that no table can include them by mistake.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epitome.agreement.scales import Ints
from epitome.agreement.table import Label, Ratings, label_key
from epitome.rounds.question_traits import QuestionType
from epitome.rounds.question_types import PART_TYPES, TYPES


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one rater to one question about one item.

    answer: canonical, whatever the page side: "yes", "no", a step of a scale, a value, "1" or "2" for the item's
    first or second target, "tie"; of a list the numbers of targets in the order of the places, such as "3>1".
    system: the target that the question is about; for questions about a pair the first one, `other` the second; for
    questions about a list all of them in one name, and each in `systems`. requested: the value that was asked for.
    quality: "" for a real item, else "foil" or "repeat"; expected: the right answer to a foil; repeats: the item that a
    repeat shows again.
    position: the item's place in the rater's order, from 0. left: which target of a pair was on the left, 1 or 2.
    extra: requested because the planned answers disagree; in no figure.
    rule: of a contrastive example, how it was made. text: the judged summary, for questions that mark its errors;
    unaligned: quotes of a judge that are not in it.
    """

    item: str
    rater: str
    question: str
    answer: str
    system: str
    domain: str
    source: str
    sample: str = ""
    requested: str = ""
    other: str = ""
    quality: str = ""
    expected: str = ""
    repeats: str = ""
    unsure: bool = False
    seconds: float | None = None
    position: int | None = None
    left: int = 0
    systems: tuple[str, ...] = ()
    rule: str = ""
    text: str = ""
    unaligned: int = 0
    extra: bool = False


@dataclass(frozen=True)
class ReportQuestion:
    """A question of the round. type: as the round's question types; attribute: "" for a question of another kind.

    values: the possible answers in order. why: whether a reason was asked for. code: the heading of a column. text: the
    question as raters read it. severities, omission: of marked errors, as in the round's question.
    """

    key: str
    label: str
    code: str
    type: str
    attribute: str = ""
    values: tuple[str, ...] = ()
    text: str = ""
    why: str = ""
    severities: tuple[tuple[str, float], ...] = ()
    omission: bool = False

    @property
    def asks(self) -> QuestionType:
        return TYPES[self.type] if self.type in TYPES else PART_TYPES[self.type]

    @property
    def scale(self) -> tuple[str, ...]:
        """The answers that can be given, in order, as they are stored; () for free answers."""
        return self.asks.stored or self.values


@dataclass(frozen=True)
class Frame:
    """The systems, questions, raters and domains of a report, in the order of its rows and columns.

    systems: target keys, references first; raters: people; judges: models as raters, never mixed with people; excluded:
    raters whom the frozen rules exclude from all numbers; outside: those of the raters whose answers were imported from
    another tool; domains: (key, name). facts: numbers of the frozen design for
    the methods paragraph.
    """

    name: str
    systems: tuple[str, ...]
    questions: tuple[ReportQuestion, ...]
    raters: tuple[str, ...]
    domains: tuple[tuple[str, str], ...]
    judges: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    replicates: int = 1000
    seed: int = 12345
    facts: dict[str, object] = field(default_factory=dict)

    def of_type(self, *types: type[QuestionType]) -> tuple[ReportQuestion, ...]:
        """The questions of these types and of types derived from them."""
        return tuple(question for question in self.questions if isinstance(question.asks, types))

    def domain_name(self, key: str) -> str:
        return dict(self.domains).get(key, key)


COLUMNS = ("item", "rater", "question", "answer", "system", "domain", "source")


@dataclass(frozen=True)
class Codes:
    """One column of the answers as integer codes; names: the value of each code, in order of first occurrence."""

    codes: Ints
    names: tuple[str, ...]

    @classmethod
    def of(cls, values: Iterable[str]) -> "Codes":
        code_by_value: dict[str, int] = {}
        codes = np.array([code_by_value.setdefault(value, len(code_by_value)) for value in values], dtype=np.int64)
        return cls(codes, tuple(code_by_value))

    def take(self, places: Ints) -> "Codes":
        return Codes(self.codes[places], self.names)

    def among(self, values: Iterable[str]) -> NDArray[np.bool_]:
        """Boolean mask of the rows whose value is one of these."""
        known = frozenset(values)
        return np.array([name in known for name in self.names], dtype=bool)[self.codes]


def renumber_codes(codes: Ints) -> tuple[Ints, Ints]:
    """Renumber the codes from 0 without gaps in order of first occurrence; also return where each first occurs."""
    _distinct, first, places = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return rank[places.reshape(-1)], first[order]


class Answers:
    """A sequence of answers with the selections that tables need.

    Columns are encoded as integers once; selections reuse the codes.
    """

    def __init__(self, rows: Iterable[Answer], columns: Mapping[str, Codes] | None = None) -> None:
        self.rows = tuple(rows)
        self._columns = dict(columns or {})

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> Codes:
        """One of COLUMNS."""
        if name not in self._columns:
            self._columns[name] = Codes.of(getattr(row, name) for row in self.rows)
        return self._columns[name]

    def distinct(self, name: str) -> int:
        """Number of distinct values of a column."""
        return len(np.unique(self.column(name).codes))

    def names(self, column_name: str) -> tuple[str, ...]:
        """The distinct values of a column, in order of first occurrence."""
        column = self.column(column_name)
        return tuple(column.names[code] for code in distinct_codes(column.codes))

    def _at(self, places: Ints) -> "Answers":
        rows = self.rows
        columns = {name: self.column(name).take(places) for name in COLUMNS}
        return Answers([rows[index] for index in places.tolist()], columns)

    def where(self, keep: Callable[[Answer], bool]) -> "Answers":
        return self._at(np.flatnonzero(np.fromiter(map(keep, self.rows), dtype=bool, count=len(self.rows))))

    @cached_property
    def _by_cell(self) -> dict[tuple[str, str, str], Ints]:
        columns = [self.column(name) for name in ("system", "domain", "question")]
        cell_codes = np.zeros(len(self), dtype=np.int64)
        for column in columns:
            cell_codes = cell_codes * max(1, len(column.names)) + column.codes
        order = np.argsort(cell_codes, kind="stable")
        starts = np.flatnonzero(np.diff(cell_codes[order], prepend=-1))
        cells = np.split(order, starts[1:]) if len(order) else []
        return {
            (columns[0].names[a], columns[1].names[b], columns[2].names[c]): places
            for places in cells
            for a, b, c in [tuple(int(column.codes[places[0]]) for column in columns)]
        }

    def cell(self, system: str, domain: str, questions: Sequence[str]) -> "Answers":
        """The answers to some questions about one system in one domain."""
        places = [self._by_cell[key] for question in questions if (key := (system, domain, question)) in self._by_cell]
        return self._at(np.concatenate(places) if places else np.zeros(0, dtype=np.int64))

    def questions(self, keys: Iterable[str]) -> "Answers":
        return self._at(np.flatnonzero(self.column("question").among(keys)))

    def domains(self, keys: Iterable[str]) -> "Answers":
        return self._at(np.flatnonzero(self.column("domain").among(keys)))

    def of_raters(self, raters: Iterable[str]) -> "Answers":
        return self._at(np.flatnonzero(self.column("rater").among(raters)))

    def ratings(self, labels: Sequence[Label] = ()) -> tuple[Ratings, tuple[str, ...]]:
        """The answers as Ratings clustered by source, and the raters' names in sorted order.

        A unit is a question about an item. labels: all possible answers, including those that do not occur.
        """
        answer_codes, rater_codes, question_codes = self.column("answer"), self.column("rater"), self.column("question")
        present = [answer_codes.names[code] for code in distinct_codes(answer_codes.codes)]
        keyed = {label_key(label): label for label in (*labels, *present)}
        order = list(keyed) if labels else sorted(keyed)
        place_of = {keyed[key]: index for index, key in enumerate(order)}
        names = sorted(rater_codes.names[code] for code in distinct_codes(rater_codes.codes))
        rater_of = {name: index for index, name in enumerate(names)}
        units, first = renumber_codes(
            self.column("item").codes * max(1, len(question_codes.names)) + question_codes.codes
        )
        ratings = Ratings(
            units,
            _map_codes(rater_codes, rater_of),
            _map_codes(answer_codes, place_of),
            tuple(keyed[key] for key in order),
            renumber_codes(self.column("source").codes)[0][first],
            len(names),
        )
        return ratings, tuple(names)


def distinct_codes(codes: Ints) -> list[int]:
    """The codes that occur, in order of first occurrence."""
    distinct: list[int] = codes[renumber_codes(codes)[1]].tolist()
    return distinct


def _map_codes(column: Codes, places: Mapping[Any, int]) -> Ints:
    return np.array([places.get(name, -1) for name in column.names], dtype=np.int64)[column.codes]


def real_answers(rows: Iterable[Answer]) -> Answers:
    """The answers that count: to real items, without repeats and foils."""
    return Answers(row for row in rows if not row.quality)


def select_quality(rows: Iterable[Answer], quality: str) -> Answers:
    return Answers(row for row in rows if row.quality == quality)

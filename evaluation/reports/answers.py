"""The answers of a round, as a report reads them: who answered what about which system's summary.

Only real items and first answers count in rates, agreement and tests. Foils and repeats are kept apart from the start,
so that no table can take them in by mistake.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from evaluation.agreement.table import Label, Ratings, label_key


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of one rater to one question about one item.

    answer: canonical, without its place on the page: "yes", "no", a step of a scale, a value, "1" or "2" for the item's
    first or second target, "tie". system: the target that the question is about; for questions about a pair the first
    one, `other` the second. requested: the value that was asked for. quality: "" for a real item, else "foil" or
    "repeat"; expected: the right answer to a foil; repeats: the item that a repeat shows again.
    position: the item's place in the rater's order, from 0. left: which target of a pair stood on the left, 1 or 2.
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


@dataclass(frozen=True)
class Asked:
    """A question of the round. type: as the round's question types; attribute: "" for a question of another kind.

    values: the answers there are, in their order. code: what stands over a column.
    """

    key: str
    label: str
    code: str
    type: str
    attribute: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame:
    """What a report is about, in the order of its rows and columns.

    systems: of the targets, the references first; raters: people; judges: raters that are models, never mixed with
    people; excluded: raters whom the frozen rules leave out of all numbers; domains: (key, name). facts: numbers of the
    frozen design for the methods paragraph.
    """

    name: str
    systems: tuple[str, ...]
    questions: tuple[Asked, ...]
    raters: tuple[str, ...]
    domains: tuple[tuple[str, str], ...]
    judges: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    replicates: int = 1000
    seed: int = 12345
    facts: dict[str, object] = field(default_factory=dict)

    def of_type(self, *types: str) -> tuple[Asked, ...]:
        return tuple(question for question in self.questions if question.type in types)

    def domain_name(self, key: str) -> str:
        return dict(self.domains).get(key, key)


class Answers:
    """Answers of one kind, with the few ways in which tables choose among them."""

    def __init__(self, rows: Iterable[Answer]) -> None:
        self.rows = tuple(rows)

    def __len__(self) -> int:
        return len(self.rows)

    def where(self, keep: Callable[[Answer], bool]) -> "Answers":
        return Answers(row for row in self.rows if keep(row))

    @cached_property
    def _by_cell(self) -> dict[tuple[str, str, str], list[Answer]]:
        cells: dict[tuple[str, str, str], list[Answer]] = {}
        for row in self.rows:
            cells.setdefault((row.system, row.domain, row.question), []).append(row)
        return cells

    def cell(self, system: str, domain: str, questions: Sequence[str]) -> "Answers":
        """The answers to some questions about one system in one domain."""
        return Answers(row for question in questions for row in self._by_cell.get((system, domain, question), ()))

    def questions(self, keys: Iterable[str]) -> "Answers":
        wanted = frozenset(keys)
        return self.where(lambda row: row.question in wanted)

    def of_raters(self, raters: Iterable[str]) -> "Answers":
        wanted = frozenset(raters)
        return self.where(lambda row: row.rater in wanted)

    def ratings(self, labels: Sequence[Label] = ()) -> tuple[Ratings, tuple[str, ...]]:
        """The answers as ratings, and the raters' names in sorted order; intervals draw whole sources.

        A unit is a question about an item. labels: all answers there are, also those nobody gave.
        """
        rows = self.rows
        given = {row.answer: row.answer for row in rows}
        keyed = {label_key(label): label for label in (*labels, *given)}
        order = list(keyed) if labels else sorted(keyed)
        place_of = {keyed[key]: number for number, key in enumerate(order)}
        names = sorted({row.rater for row in rows})
        rater_of = {name: number for number, name in enumerate(names)}
        unit_of: dict[Hashable, int] = {}
        source_of: dict[Hashable, int] = {}
        units = [unit_of.setdefault((row.item, row.question), len(unit_of)) for row in rows]
        raters = [rater_of[row.rater] for row in rows]
        answers = [place_of[row.answer] for row in rows]
        clusters = np.zeros(len(unit_of), dtype=np.int64)
        clusters[units] = [source_of.setdefault(row.source, len(source_of)) for row in rows]
        found = Ratings(
            np.array(units, dtype=np.int64),
            np.array(raters, dtype=np.int64),
            np.array(answers, dtype=np.int64),
            tuple(keyed[key] for key in order),
            clusters,
            len(names),
        )
        return found, tuple(names)


def real(rows: Iterable[Answer]) -> Answers:
    """The answers that count: of real items, each rater's own first sight of them."""
    return Answers(row for row in rows if not row.quality)


def of_quality(rows: Iterable[Answer], quality: str) -> Answers:
    return Answers(row for row in rows if row.quality == quality)

"""When a round that declared it may stop: every comparison of systems followed source by source, looked at together.

The error of 5 % is shared out over the comparisons (Bonferroni), so that all intervals hold together at every look.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from math import ceil, log
from typing import Literal

from epitome.combined.judged_items import TooFew
from epitome.combined.rows import CombinedRow, Group, group_rows, match_samples
from epitome.combined.sequences import LEVEL, Look, Scale, follow_mean

Rule = Literal["width", "decided"]
DIFFERENCE = Scale(-1.0, 1.0)
WINS = Scale(0.0, 1.0)


@dataclass(frozen=True)
class Comparison:
    """Two systems under one question. by_choice: people chose between their texts, so that the share of wins of the
    first is compared with one half; else the difference of their values, first minus second, with 0."""

    question: str
    first: str
    second: str
    by_choice: bool

    @property
    def null(self) -> float:
        return 0.5 if self.by_choice else 0.0


@dataclass(frozen=True)
class Followed:
    """A comparison with its looks. places: of each look, the source's place in the order of looks."""

    comparison: Comparison
    looks: tuple[Look, ...]
    places: tuple[int, ...]
    level: float

    @property
    def last(self) -> Look | None:
        return self.looks[-1] if self.looks else None

    def find_met(self, rule: Rule, width: float) -> int | None:
        """The place of the first look that fulfils the rule; None where none does."""
        pairs = zip(self.places, self.looks, strict=True)
        return next((place for place, look in pairs if _fulfils(look, rule, width)), None)

    def expect_met(self, rule: Rule, width: float) -> int | None:
        """The place at which the rule will be fulfilled if it continues as so far; None where that cannot be said.

        Widths shrink with the root of the number of sources; the logarithm of the evidence grows with the number.
        """
        met = self.find_met(rule, width)
        if met is not None or self.last is None:
            return met
        if rule == "width":
            return ceil(self.places[-1] * (self.last.width / width) ** 2)
        if self.last.evidence <= 1:
            return None
        return ceil(self.places[-1] * log(1 / (1 - self.level)) / log(self.last.evidence))


def _fulfils(look: Look, rule: Rule, width: float) -> bool:
    return look.width <= width if rule == "width" else look.rejects


def follow_comparisons(
    rows: Iterable[CombinedRow], questions: Sequence[str] = (), level: float = LEVEL
) -> list[Followed]:
    """Every two systems under every question, or under these, from people's values alone.

    What is compared depends on the design, not on the answers. Raises ValueError for items drawn with unequal chances:
    a bet has no bound then.
    """
    groups = _groups_of_people(rows)
    if len({row.chance for members in groups.values() for row in members}) > 1:
        raise ValueError("items drawn with unequal chances have no sequence: one answer could count without limit")
    values = {
        comparison: by_place
        for comparison, by_place in _list_values(groups)
        if not questions or comparison.question in questions
    }
    own_level = 1 - (1 - level) / max(1, len(values))
    return [_follow(comparison, by_place, own_level) for comparison, by_place in values.items()]


def _groups_of_people(rows: Iterable[CombinedRow]) -> dict[Group, list[CombinedRow]]:
    """Groups of the first judge alone: people's values are the same beside every judge."""
    groups = group_rows(rows)
    judge = next((group.judge for group in groups), "")
    return {group: members for group, members in groups.items() if group.judge == judge}


Values = Mapping[int, Sequence[float]]
"""Place of a source in the order of looks -> the values of its items."""


def _list_values(groups: Mapping[Group, list[CombinedRow]]) -> list[tuple[Comparison, Values]]:
    comparisons_found: list[tuple[Comparison, Values]] = []
    for group, members in groups.items():
        if group.other:
            wins = [(row.look, row.human) for row in members]
            comparisons_found.append(
                (Comparison(group.question, group.system, group.other, by_choice=True), _by_place(wins))
            )
    alone = [group for group in groups if not group.other]
    for first, second in combinations(alone, 2):
        if first.question == second.question:
            with suppress(TooFew):  # systems without a sample in common are not compared
                comparison = Comparison(first.question, first.system, second.system, by_choice=False)
                comparisons_found.append((comparison, _by_place(_subtract_people(groups[first], groups[second]))))
    return comparisons_found


def _subtract_people(first: Sequence[CombinedRow], second: Sequence[CombinedRow]) -> list[tuple[int, float | None]]:
    """(place, difference of people's values) of each sample of both."""
    return [
        (of_first.look, None if of_first.human is None or of_second.human is None else of_first.human - of_second.human)
        for of_first, of_second in match_samples(first, second)
    ]


def _by_place(values: Iterable[tuple[int, float | None]]) -> Values:
    by_place: dict[int, list[float]] = {}
    for place, value in values:
        if place and value is not None:
            by_place.setdefault(place, []).append(value)
    return by_place


def _follow(comparison: Comparison, by_place: Values, level: float) -> Followed:
    places = tuple(sorted(by_place))
    means = [sum(by_place[place]) / len(by_place[place]) for place in places]
    scale = WINS if comparison.by_choice else DIFFERENCE
    return Followed(comparison, tuple(follow_mean(means, scale, comparison.null, level)), places, level)


def find_end(followed: Sequence[Followed], rule: Rule, width: float) -> int | None:
    """The place at which every comparison fulfils the rule; None where one does not."""
    return _latest([one.find_met(rule, width) for one in followed])


def expect_end(followed: Sequence[Followed], rule: Rule, width: float) -> int | None:
    """The place at which every comparison will, if it continues as so far; None where that cannot be said."""
    return _latest([one.expect_met(rule, width) for one in followed])


def _latest(places: Sequence[int | None]) -> int | None:
    known = [place for place in places if place is not None]
    return max(known) if known and len(known) == len(places) else None

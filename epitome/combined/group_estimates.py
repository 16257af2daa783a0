"""Every estimate of a set of rows: per question and system, and between systems; from people, judge, and both."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from epitome.combined.chances import estimate_by_chance, estimate_weighted
from epitome.combined.estimates import (
    LEAST_DEVIATING,
    LEVEL,
    Estimate,
    estimate_combined,
    estimate_judge,
    estimate_people,
    holm_estimates,
)
from epitome.combined.judged_items import JudgedItems, TooFew
from epitome.combined.rows import CombinedRow, Group, group_rows, make_items, match_samples, pair_items
from epitome.measures.signature import Signature

VERSION = "2"
EVEN_WIN = 0.5


@dataclass(frozen=True)
class GroupEstimate:
    """What people, the judge, and both together say of one question about one system, or of one comparison.

    people, judge, combined: None where there are too few judgements; `undefined` and `judge_undefined` say why. The
    judge's is of what the judge says and has its bias. by_chance: items were drawn with unequal chances. unanswered:
    items drawn for people that nobody judged; unjudged: items without the judge's answer.
    p_people, p_combined: of a difference, after Holm's correction over all that are compared under one question.
    """

    question: str
    first: str
    second: str
    judge_key: str
    scale: str
    people: Estimate | None
    judge: Estimate | None
    combined: Estimate | None
    undefined: str = ""
    judge_undefined: str = ""
    by_chance: bool = False
    unanswered: int = 0
    unjudged: int = 0
    p_people: float | None = None
    p_combined: float | None = None

    @property
    def saved(self) -> float:
        """How many items more people alone would have had to judge for an interval as narrow."""
        return max(0.0, self.combined.effective_n - self.combined.n_human) if self.combined else 0.0

    def sign(self, way: str) -> Signature:
        """What reproduces an estimate from the rows; way: people, judge or combined. Undefined ones have none."""
        number = {"people": self.people, "judge": self.judge, "combined": self.combined}[way]
        assert number is not None
        draw = "unequal" if self.by_chance else "equal"
        estimator = {"judge": "mean", "people": "hajek" if self.by_chance else "mean"}
        base = Signature(f"estimate-{way}", VERSION).with_(
            estimator=estimator.get(way, "active-tuned" if self.by_chance else "ppi++"),
            pi=draw,
            error="cluster-robust",
            clusters="sources",
            level=number.level,
            sources=number.sources,
            n=number.n_human,
            N=number.n_judge,
        )
        scale = {"scale": self.scale.replace("|", "/")} if self.scale else {}
        judge = {} if way == "people" else {"judge": self.judge_key.replace("|", "/")}
        return base.with_(**scale, **judge)


def estimate_groups(rows: Sequence[CombinedRow], level: float = LEVEL) -> list[GroupEstimate]:
    """One per group of rows, in their order; comparisons of two systems are tested against an even share of wins, with
    Holm's correction over those of one question and judge."""
    estimates = [estimate_group(group, members, level) for group, members in group_rows(rows).items()]
    return correct_families(estimates, lambda estimate: bool(estimate.second))


def estimate_group(group: Group, rows: Sequence[CombinedRow], level: float = LEVEL) -> GroupEstimate:
    null = EVEN_WIN if group.other else 0.0
    judged = [row for row in rows if row.judged is not None]
    return _estimate_items(
        group,
        group.other,
        rows[0].scale,
        lambda: make_items(rows),
        lambda: JudgedItems.of([None] * len(judged), *_columns([(row.judged or 0.0, row.source) for row in judged])),
        null,
        level,
        unanswered=sum(row.drawn and row.human is None for row in rows),
        unjudged=len(rows) - len(judged),
    )


def estimate_differences(rows: Sequence[CombinedRow], level: float = LEVEL) -> list[GroupEstimate]:
    """Every two systems under one question and judge, first minus second on the samples of both, with Holm's correction
    over the pairs of systems. Comparisons are in `estimate_groups`."""
    by_question: dict[tuple[str, str], dict[Group, list[CombinedRow]]] = {}
    for group, members in group_rows(rows).items():
        if not group.other:
            by_question.setdefault((group.question, group.judge), {})[group] = members
    estimates = [
        _estimate_pair(first, second, groups[first], groups[second], level)
        for groups in by_question.values()
        for first, second in combinations(groups, 2)
    ]
    return correct_families(estimates, lambda _estimate: True)


def _estimate_pair(
    first: Group, second: Group, of_first: Sequence[CombinedRow], of_second: Sequence[CombinedRow], level: float
) -> GroupEstimate:
    def pair_judged() -> JudgedItems:
        pairs = [
            (first_row.judged - second_row.judged, first_row.source)
            for first_row, second_row in match_samples(of_first, of_second)
            if first_row.judged is not None and second_row.judged is not None
        ]
        return JudgedItems.of([None] * len(pairs), *_columns(pairs), low=-1.0, high=1.0)

    def count_pairs(missing: Callable[[CombinedRow], bool]) -> int:
        try:
            return sum(
                missing(first_row) or missing(second_row)
                for first_row, second_row in match_samples(of_first, of_second)
            )
        except ValueError:
            return 0

    return _estimate_items(
        first,
        second.system,
        of_first[0].scale,
        lambda: pair_items(of_first, of_second),
        pair_judged,
        0.0,
        level,
        unanswered=count_pairs(lambda row: row.drawn and row.human is None),
        unjudged=count_pairs(lambda row: row.judged is None),
    )


def _columns(pairs: Sequence[tuple[float, str]]) -> tuple[list[float], list[str]]:
    return [value for value, _source in pairs], [source for _value, source in pairs]


def _estimate_items(
    group: Group,
    second: str,
    scale: str,
    make: Callable[[], JudgedItems],
    make_judged: Callable[[], JudgedItems],
    null: float,
    level: float,
    *,
    unanswered: int,
    unjudged: int,
) -> GroupEstimate:
    people = combined = judge = None
    undefined = judge_undefined = ""
    by_chance = False
    try:
        items = make()
        by_chance = has_unequal_chances(items)
        people, combined = estimate_both(items, level, null)
    except ValueError as error:  # TooFew is one
        undefined = str(error)
    try:
        judge = estimate_judge(make_judged(), level, null)
    except ValueError as error:
        judge_undefined = str(error)
    return GroupEstimate(
        question=group.question,
        first=group.system,
        second=second,
        judge_key=group.judge,
        scale=scale,
        people=people,
        judge=judge,
        combined=combined,
        undefined=undefined,
        judge_undefined=judge_undefined,
        by_chance=by_chance,
        unanswered=unanswered,
        unjudged=unjudged,
    )


def has_unequal_chances(items: JudgedItems) -> bool:
    return bool(len(items.chance)) and bool(np.ptp(items.chance) > 1e-9)


def estimate_both(items: JudgedItems, level: float = LEVEL, null: float = 0.0) -> tuple[Estimate, Estimate]:
    """(people alone, combined), by the chances with which items were drawn. Where the judge makes the interval no
    narrower, people's estimate is used for both. Raises TooFew."""
    if not has_unequal_chances(items):
        return estimate_people(items, level, null), estimate_combined(items, level, null)
    people = estimate_weighted(items, level, null)
    if not np.ptp(items.judge) or people.deviating < LEAST_DEVIATING:
        return people, people
    try:
        combined = estimate_by_chance(items, level, null, weight=None)
    except TooFew:
        return people, people
    return people, combined if combined.width < people.width else people


def correct_families(
    estimates: Sequence[GroupEstimate], is_tested: Callable[[GroupEstimate], bool]
) -> list[GroupEstimate]:
    """The same with Holm's correction over all tested estimates of one question and judge."""
    corrected = {id(estimate): estimate for estimate in estimates}
    families: dict[tuple[str, str], list[GroupEstimate]] = {}
    for estimate in estimates:
        if is_tested(estimate) and estimate.people and estimate.combined:
            families.setdefault((estimate.question, estimate.judge_key), []).append(estimate)
    for family in families.values():
        of_people = holm_estimates([estimate.people for estimate in family if estimate.people])
        of_both = holm_estimates([estimate.combined for estimate in family if estimate.combined])
        for estimate, p_people, p_combined in zip(family, of_people, of_both, strict=True):
            corrected[id(estimate)] = replace(estimate, p_people=p_people, p_combined=p_combined)
    return [corrected[id(estimate)] for estimate in estimates]

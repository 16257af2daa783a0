"""How raters do: pace, foils, repeats, and whom the rules of the frozen design exclude. For staff only."""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.models import Item, ItemView, Judgement, Round, RoundRater, ViewState
from evaluation.rounds.config import Exclusion


@dataclass
class RaterFigures:
    """What one rater did. foils: answers to foils that have a right one; repeats: answers given twice; yes: of yes/no
    answers on real items. seconds: the median of an item."""

    rater_id: int
    lane: int = 0
    void: bool = False
    left: bool = False
    items: int = 0
    foils: int = 0
    foils_wrong: int = 0
    repeats: int = 0
    repeats_alike: int = 0
    yes: int = 0
    yes_no: int = 0
    unsure: int = 0
    answers: int = 0
    times: list[float] = field(default_factory=list)

    @property
    def seconds(self) -> float | None:
        return statistics.median(self.times) if self.times else None

    @property
    def foils_failed(self) -> float | None:
        return self.foils_wrong / self.foils if self.foils else None

    @property
    def self_agreement(self) -> float | None:
        return self.repeats_alike / self.repeats if self.repeats else None

    @property
    def yes_rate(self) -> float | None:
        return self.yes / self.yes_no if self.yes_no else None

    def broken(self, rules: Exclusion) -> list[str]:
        """The rules that this rater breaks; none is broken by what was not asked."""
        found = []
        if self.foils_failed is not None and self.foils_failed > rules.foils_failed:
            found.append("foils_failed")
        if self.self_agreement is not None and self.self_agreement < rules.self_agreement:
            found.append("self_agreement")
        if self.seconds is not None and self.seconds < rules.seconds:
            found.append("seconds")
        return found


def figures(round_: Round) -> list[RaterFigures]:
    """Of everybody who ever rated in the round, in the order of joining. Five queries, whatever the size."""
    raters = RoundRater.objects.filter(round=round_).order_by("pk")
    found = {one.rater_id: RaterFigures(one.rater_id, one.lane, one.void, one.left_at is not None) for one in raters}
    done = ItemView.objects.filter(round=round_, state=ViewState.DONE, answered_at__isnull=False)
    for rater, seconds in done.values_list("rater_id", "active_seconds"):
        found[rater].items += 1
        found[rater].times.append(seconds)
    _real(round_, found)
    _foils(round_, found)
    _repeats(round_, found)
    return list(found.values())


def _real(round_: Round, found: Mapping[int, RaterFigures]) -> None:
    binary = {one.key for one in round_.rules.questions if one.type == "yes-no"}
    rows = Judgement.objects.filter(round=round_, item__kind=Item.Kind.REAL, view__state=ViewState.DONE)
    for rater, question, answer, unsure in rows.values_list("rater_id", "question", "answer", "unsure").iterator(5000):
        one = found[rater]
        one.answers += 1
        one.unsure += unsure
        if question in binary:
            one.yes_no += 1
            one.yes += answer == "yes"


def _foils(round_: Round, found: Mapping[int, RaterFigures]) -> None:
    expected = dict(Item.objects.filter(round=round_).exclude(expected={}).values_list("pk", "expected"))
    rows = Judgement.objects.filter(item__in=expected, view__state=ViewState.DONE)
    for rater, item, question, answer in rows.values_list("rater_id", "item_id", "question", "answer"):
        if question in expected[item]:
            found[rater].foils += 1
            found[rater].foils_wrong += answer != expected[item][question]


def _repeats(round_: Round, found: Mapping[int, RaterFigures]) -> None:
    """Answers on a repeat beside those on what it repeats, without their place on the page."""
    pairs = dict(Item.objects.filter(round=round_, repeats__isnull=False).values_list("pk", "repeats_id"))
    rows = Judgement.objects.filter(item__in=[*pairs, *pairs.values()], view__state=ViewState.DONE)
    said: defaultdict[tuple[int, int], dict[tuple[str, int], str]] = defaultdict(dict)
    for row in rows.select_related("view"):
        question = round_.rules.question(row.question)
        if not question.asks.free:
            place = {"a": row.view.left, "b": 3 - row.view.left}.get(question.about, 0)
            answer = question.asks.canonical(row.answer, row.view.left)
            said[row.rater_id, row.item_id][question.shared_key, place] = answer
    for rater, one in found.items():
        for again, first in pairs.items():
            before, after = said.get((rater, first), {}), said.get((rater, again), {})
            shared = before.keys() & after.keys()
            one.repeats += len(shared)
            one.repeats_alike += sum(before[key] == after[key] for key in shared)


def excluded(round_: Round) -> set[int]:
    """The raters whom the frozen rules leave out of all figures."""
    rules = round_.rules.exclusion
    if rules == Exclusion():
        return set()
    return {one.rater_id for one in figures(round_) if one.broken(rules)}


def void(round_: Round) -> set[int]:
    """The raters whose answers staff took out when they were replaced."""
    return set(RoundRater.objects.filter(round=round_, void=True).values_list("rater_id", flat=True))

"""Quality figures of raters: pace, foils, repeats, and who is excluded by the frozen rules. For staff only."""

import statistics
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from epitome.rounds.config import Exclusion
from epitome.rounds.questions import Question
from epitome.rounds.sides import judged_text_number
from evaluation.models import Item, ItemAssignment, ItemAssignmentState, Judgement, Round, RoundRater


@dataclass
class RaterFigures:
    """Figures of one rater. foils: answers to foils with a right answer; repeats: answers to repeated questions; yes:
    among yes/no answers on real items. seconds: median active time per item. has_left: replaced by somebody else.

    Additional ratings count as items alone: raters disagree on these items, which says nothing of one rater. tool: of
    an outside rater, whose times are not known; "" for others."""

    rater_id: int
    lane: int = 0
    void: bool = False
    has_left: bool = False
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
    tool: str = ""

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
        """Names of the exclusion rules that this rater breaks. A rule without data is not broken."""
        broken_rules = []
        if self.foils_failed is not None and self.foils_failed > rules.foils_failed:
            broken_rules.append("foils_failed")
        if self.self_agreement is not None and self.self_agreement < rules.self_agreement:
            broken_rules.append("self_agreement")
        if self.seconds is not None and self.seconds < rules.seconds:
            broken_rules.append("seconds")
        return broken_rules


def rater_figures(round_: Round) -> list[RaterFigures]:
    """Figures of all current and former raters of the round, in the order of joining. Always five queries."""
    raters = RoundRater.objects.filter(round=round_).order_by("pk")
    figures_by_rater = {
        row.rater_id: RaterFigures(row.rater_id, row.lane, row.void, row.left_at is not None, tool=row.tool)
        for row in raters
    }
    finished = ItemAssignment.objects.filter(round=round_, state=ItemAssignmentState.DONE, answered_at__isnull=False)
    for rater, seconds, extra in finished.values_list("rater_id", "active_seconds", "slot__extra"):
        figures_by_rater[rater].items += 1
        if extra is False:
            figures_by_rater[rater].times.append(seconds)
    _count_answers(round_, figures_by_rater)
    _count_foils(round_, figures_by_rater)
    _count_repeats(round_, figures_by_rater)
    return list(figures_by_rater.values())


def _count_answers(round_: Round, figures_by_rater: Mapping[int, RaterFigures]) -> None:
    binary = {question.key for question in round_.rules.questions if question.asks.is_yes_no}
    rows = Judgement.objects.filter(
        round=round_,
        item__kind=Item.Kind.REAL,
        item_assignment__state=ItemAssignmentState.DONE,
    ).exclude(item_assignment__slot__extra=True)
    for rater, question, answer, unsure in rows.values_list("rater_id", "question", "answer", "unsure").iterator(5000):
        totals = figures_by_rater[rater]
        totals.answers += 1
        totals.unsure += unsure
        if question in binary:
            totals.yes_no += 1
            totals.yes += answer == "yes"


def _count_foils(round_: Round, figures_by_rater: Mapping[int, RaterFigures]) -> None:
    expected = dict(Item.objects.filter(round=round_).exclude(expected={}).values_list("pk", "expected"))
    rows = Judgement.objects.filter(item__in=expected, item_assignment__state=ItemAssignmentState.DONE)
    for rater, item, question, answer in rows.values_list("rater_id", "item_id", "question", "answer"):
        if question in expected[item]:
            figures_by_rater[rater].foils += 1
            figures_by_rater[rater].foils_wrong += answer != expected[item][question]


def _count_repeats(round_: Round, figures_by_rater: Mapping[int, RaterFigures]) -> None:
    """Count repeated questions with equal answers; answers are compared independently of the side of the page."""
    pairs = dict(Item.objects.filter(round=round_, repeats__isnull=False).values_list("pk", "repeats_id"))
    rows = Judgement.objects.filter(item__in=[*pairs, *pairs.values()], item_assignment__state=ItemAssignmentState.DONE)
    answers: defaultdict[tuple[int, int], dict[tuple[str, int], tuple[Question, str]]] = defaultdict(dict)
    n_texts = round_.rules.n_texts
    for row in rows.select_related("item_assignment"):
        question = round_.rules.question(row.question)
        if not question.asks.free:
            place = judged_text_number(row.item_assignment.left, question.about)
            answer = question.asks.canonical(row.answer, row.item_assignment.left, n_texts)
            answers[row.rater_id, row.item_id][question.shared_key, place] = question, answer
    for rater, totals in figures_by_rater.items():
        for repeat, first in pairs.items():
            first_answers, repeat_answers = answers.get((rater, first), {}), answers.get((rater, repeat), {})
            shared = first_answers.keys() & repeat_answers.keys()
            totals.repeats += len(shared)
            totals.repeats_alike += sum(
                question.asks.matches(question, answer, repeat_answers[key][1])
                for key, (question, answer) in first_answers.items()
                if key in shared
            )


def excluded_raters(round_: Round) -> set[int]:
    """Ids of the raters whom the frozen rules exclude from all figures."""
    rules = round_.rules.exclusion
    if rules == Exclusion():
        return set()
    return {row.rater_id for row in rater_figures(round_) if row.broken(rules)}


def void_raters(round_: Round) -> set[int]:
    """Ids of the raters whose answers staff voided when replacing them."""
    return set(RoundRater.objects.filter(round=round_, void=True).values_list("rater_id", flat=True))

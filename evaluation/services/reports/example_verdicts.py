"""Contrastive examples that raters found neither hard to read nor wrong, and their exclusion."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from annotation.models import Contrastive, ContrastiveState
from annotation.services.contrastives.excluding import exclude_contrastives
from annotation.services.core.errors import BadInput
from epitome.reports.answers import real_answers
from evaluation.models import Adjudication, Item, Round
from evaluation.services.reports.example_counts import example_of
from evaluation.services.reports.report_jobs import check_unblinded
from evaluation.services.reports.report_rows import list_raters, load_answers

NO = "no"


@dataclass(frozen=True)
class HarmlessExample:
    """One example that everybody answered no about. pk: of the contrastive example. state: as it is now, "" once it is
    gone. decided: whether a third person decided one of the questions."""

    pk: int
    rule: str
    text: str
    gold: str
    marks: list[Any]
    state: str
    decided: bool

    @property
    def is_active(self) -> bool:
        return self.state == ContrastiveState.ACTIVE


def list_harmless(round_: Round) -> list[HarmlessExample]:
    """The examples whose yes-no questions were all answered no: by every rater that counts, or by decision.

    Ordered by rule and number. Raises Conflict for a blind round.
    """
    check_unblinded(round_)
    answers_by_item = _collect_answers(round_)
    items = Item.objects.filter(round=round_, kind=Item.Kind.REAL).select_related("first", "reference")
    harmless = {
        item.pk: item
        for item in items.order_by("number")
        if (given_answers := answers_by_item.get(str(item.public_id))) and _is_harmless(given_answers)
    }
    examples = Contrastive.objects.filter(project=round_.project)
    states = dict(examples.filter(pk__in=[example_of(item) for item in harmless.values()]).values_list("pk", "state"))
    rows = [
        HarmlessExample(
            pk=example_of(item),
            rule=item.targets[0].get("rule", ""),
            text=item.first.text,
            gold=item.reference.text if item.reference is not None else "",
            marks=item.marks,
            state=states.get(example_of(item), ""),
            decided=any(answer.decided for answer in answers_by_item[str(item.public_id)].values()),
        )
        for item in harmless.values()
    ]
    return sorted(rows, key=lambda row: row.rule)


def exclude_harmless(*, round_: Round, ids: Collection[int], by: AbstractBaseUser) -> int:
    """Exclude some of the harmless examples; returns how many changed. Raises BadInput where one is not among them,
    Conflict for a blind round."""
    allowed = {example.pk for example in list_harmless(round_) if example.state}
    if not ids:
        raise BadInput(_("Select at least one example."), field="example")
    if not set(ids) <= allowed:
        raise BadInput(_("Some of these are not among the examples that everybody answered no about."), field="example")
    return exclude_contrastives(project=round_.project, ids=set(ids), by=by)


@dataclass(frozen=True)
class _Final:
    """What counts as the answer to one question about one item: agreed on, or decided; "" while it is disputed."""

    answer: str
    decided: bool = False


def _collect_answers(round_: Round) -> Mapping[str, Mapping[str, _Final]]:
    """Item -> question -> final answer, of the questions with yes or no."""
    people, _excluded = list_raters(round_)
    keys = {question.shared_key for question in round_.rules.questions if question.asks.is_yes_no}
    given_answers: dict[str, dict[str, set[str]]] = {}
    for row in real_answers(load_answers(round_)).of_raters(people).questions(keys).rows:
        given_answers.setdefault(row.item, {}).setdefault(row.question, set()).add(row.answer)
    decisions = {
        (str(public_id), question): answer
        for public_id, question, answer in Adjudication.objects.filter(round=round_).values_list(
            "item__public_id", "question", "answer"
        )
    }
    return {
        item: {
            question: _decide_answer(answers, decisions.get((item, question), ""))
            for question, answers in by_question.items()
        }
        for item, by_question in given_answers.items()
        if by_question.keys() == keys
    }


def _decide_answer(answers: set[str], decision: str) -> _Final:
    if len(answers) == 1:
        return _Final(next(iter(answers)))
    return _Final(decision, decided=bool(decision))


def _is_harmless(answers: Mapping[str, _Final]) -> bool:
    return all(final.answer == NO for final in answers.values())

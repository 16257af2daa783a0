"""What a model is asked about a round: every question with options about every real item, of pairs in both orders."""

from collections.abc import Iterator

from epitome.rounds.questions import Question
from evaluation.models import Item, MachineJudgement, Round
from modelbridge.models import SystemRevision

JudgeQuestion = tuple[Item, Question, bool]
"""An item, a question about it, and whether the texts of a pair are exchanged."""


def list_open_questions(round_: Round, revision: SystemRevision) -> Iterator[JudgeQuestion]:
    """Yield the unanswered questions about real items, with all that a request shows of the items."""
    joined = ("first", "second", "reference", "document__source_text", "sample__group", "sample__schema_version")
    items = Item.objects.filter(round=round_, kind=Item.Kind.REAL)
    items = items.select_related(*joined, "sample__document__source_text", "sample__instance")
    answered = _list_answered(round_, revision)
    for item in items.order_by("number"):
        item.round = round_
        for question, swapped in _list_turns(round_, item):
            if (item.pk, question.key, swapped) not in answered:
                yield item, question, swapped


def has_answered_all(round_: Round, revision: SystemRevision) -> bool:
    """Whether a judge has answered all it is asked."""
    answered = _list_answered(round_, revision)
    items = Item.objects.filter(round=round_, kind=Item.Kind.REAL).only("pk", "questions", "second_id")
    return all(
        (item.pk, question.key, swapped) in answered
        for item in items
        for question, swapped in _list_turns(round_, item)
    )


def _list_answered(round_: Round, revision: SystemRevision) -> set[tuple[int, str, bool]]:
    rows = MachineJudgement.objects.filter(round=round_, revision=revision)
    return set(rows.values_list("item_id", "question", "swapped"))


def _list_turns(round_: Round, item: Item) -> Iterator[tuple[Question, bool]]:
    """The questions about an item, those about a pair in both orders."""
    for key in item.questions:
        question = round_.rules.question(key)
        if suits_models(question):
            yield question, False
            if item.second_id is not None and question.about == "pair":
                yield question, True


def suits_models(question: Question) -> bool:
    """Whether a model is asked: the answers are options or marks, and it sees one summary or two."""
    return (question.asks.by_option or question.asks.marks) and question.about != "list"

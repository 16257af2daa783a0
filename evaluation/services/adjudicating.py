"""Disagreements of an unblinded round, and what a third person decides about them."""

import uuid
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.schema import Schema
from annotation.services import audit
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.pseudonyms import Pseudonyms
from annotation.transactions import write
from evaluation.models import Adjudication, Item, Judgement, Round
from evaluation.reports.answers import real
from evaluation.reports.disagreements import Disagreement, disagreements
from evaluation.rounds.questions import Question
from evaluation.services.report_rows import answers_of, raters_of
from evaluation.services.reporting import readable
from evaluation.services.showing import said

MAX_NOTE = 2000


@dataclass(frozen=True)
class Dispute:
    """A question about an item with different answers, the text it is about, and the decision where there is one.

    wanted: the values asked for of the attribute in question; empty where it is about none.
    """

    found: Disagreement
    item: Item
    place: int
    question: Question
    text: str
    other: str
    wanted: list[str]
    decision: Adjudication | None

    @property
    def options(self) -> list[str]:
        """The answers that were given: one of them is decided for."""
        return sorted({said for _rater, said, _unsure in self.found.answers})


def disputes(round_: Round) -> list[Dispute]:
    """Most even votes first. Raises Conflict for a blind round."""
    return _disputes(round_)


def dispute_about(round_: Round, item: str, question: str) -> Dispute | None:
    """One of them, read from the answers to its item alone; item: as `Disagreement.item`."""
    name = item.partition(":")[0]
    try:
        uuid.UUID(name)
    except ValueError:
        return None
    wanted = (item, question)
    found = _disputes(round_, name)
    return next((each for each in found if (each.found.item, each.found.question) == wanted), None)


def _disputes(round_: Round, item: str = "") -> list[Dispute]:
    readable(round_)
    people, _excluded = raters_of(round_)
    found = disagreements(real(answers_of(round_, item)).of_raters(people))
    keys = {each.item.partition(":")[0] for each in found}
    rows = Item.objects.filter(round=round_, public_id__in=keys).select_related("first", "second", "document", "sample")
    items = {str(item.public_id): item for item in rows}
    decided = {
        (each.item_id, each.question, each.place): each
        for each in Adjudication.objects.filter(round=round_, item__public_id__in=keys)
    }
    questions = {question.shared_key: question for question in round_.rules.questions}
    schema = round_.project.schema_version.schema
    return [_dispute(each, items, questions, decided, schema) for each in found]


def _dispute(
    each: Disagreement,
    items: dict[str, Item],
    questions: dict[str, Question],
    decided: dict[tuple[int, str, int], Adjudication],
    schema: Schema,
) -> Dispute:
    name, _colon, place = each.item.partition(":")
    item, which = items[name], int(place or 0)
    texts = [item.first.text, item.second.text if item.second is not None else ""]
    shown = texts if which == 0 else [texts[which - 1], ""]
    decision = decided.get((item.pk, each.question, which))
    question = questions[each.question]
    attribute = schema.find(question.attribute) if question.attribute else None
    wanted = said(attribute, item.request.get(attribute.key)) if attribute is not None else []
    return Dispute(each, item, which, question, shown[0], shown[1], wanted, decision)


def decide(*, round_: Round, item: str, question: str, answer: str, note: str, by: AbstractBaseUser) -> Adjudication:
    """Store a third person's decision; a second one replaces the first, and both stand in the audit log.

    item: as `Disagreement.item`. Raises BadInput, Conflict for a blind round and for somebody who rated the item.
    """
    dispute = dispute_about(round_, item, question)
    if dispute is None:
        raise NotFound(_("The raters do not disagree here."))
    if answer not in dispute.options:
        raise BadInput(_("Use one of: %(list)s.") % {"list": ", ".join(dispute.options)}, field="answer")
    if len(note) > MAX_NOTE:
        raise BadInput(_("A note has at most %(n)d characters.") % {"n": MAX_NOTE}, field="note")
    if Judgement.objects.filter(item=dispute.item, rater_id=by.pk).exists():
        raise Conflict(_("You rated this item: a third person decides."), code="rated")
    with write():
        row, _made = Adjudication.objects.update_or_create(
            item=dispute.item,
            question=question,
            place=dispute.place,
            defaults={
                "round": round_,
                "answer": answer,
                "note": note,
                "decided_by_id": by.pk,
                "decided_at": timezone.now(),
            },
        )
        target = f"item:{dispute.item.public_id}"
        audit.record(project=round_.project, actor=by, verb="round.decide", target=target, question=question)
    return row


def decided_lines(round_: Round) -> list[dict[str, object]]:
    """The decisions as lines beside the judgements."""
    pseudonyms = Pseudonyms(round_.project)
    decided = Adjudication.objects.filter(round=round_).select_related("item")
    return [
        {
            "task": "adjudication",
            "item_id": f"{row.item.public_id}:{row.place}" if row.place else str(row.item.public_id),
            "question": row.question,
            "answer": row.answer,
            "by": pseudonyms.of(row.decided_by_id),
            "at": row.decided_at.isoformat(),
        }
        for row in decided.order_by("item__number", "question", "place")
    ]

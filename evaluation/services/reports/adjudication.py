"""Disagreements between the raters of an unblinded round, and a third person's decisions about them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from epitome.reports.answers import real_answers
from epitome.reports.disagreements import Disagreement, find_disagreements
from epitome.rounds.questions import Question
from evaluation.models import Adjudication, Item, Judgement, Round
from evaluation.services.reports.judgements import ExportOptions, export_lines
from evaluation.services.reports.report_jobs import check_unblinded
from evaluation.services.reports.report_rows import list_raters, load_answers

MAX_NOTE = 2000


@dataclass(frozen=True)
class Dispute:
    """A question about an item with differing answers, and the decision if there is one.

    place: of a pair, the text that the question is about, 1 or 2; 0 for both, or for the only one.
    """

    disagreement: Disagreement
    item: Item
    place: int
    question: Question
    decision: Adjudication | None

    @property
    def options(self) -> list[str]:
        """The distinct answers of the raters and what is proposed, in the order of the question; a decision picks one
        of them."""
        given = {answer for _rater, answer, _unsure in self.disagreement.answers}
        return self.question.asks.sort_answers(self.question, given | ({self.proposal} if self.proposal else set()))

    @property
    def proposal(self) -> str:
        """The median of numbers, or the ranking closest to all; "" for other questions."""
        answers = [answer for _rater, answer, _unsure in self.disagreement.answers]
        return self.question.asks.propose(self.question, answers)


def list_disputes(round_: Round) -> list[Dispute]:
    """Most even votes first. Raises Conflict for a blind round."""
    return _load_disputes(round_)


def find_dispute(round_: Round, item: str, question: str) -> Dispute | None:
    """Find one dispute, reading only the answers to its item. item: as `Disagreement.item`."""
    item_id = item.partition(":")[0]
    try:
        uuid.UUID(item_id)
    except ValueError:
        return None
    for dispute in _load_disputes(round_, item_id):
        if (dispute.disagreement.item, dispute.disagreement.question) == (item, question):
            return dispute
    return None


def _load_disputes(round_: Round, item: str = "") -> list[Dispute]:
    check_unblinded(round_)
    people, _excluded = list_raters(round_)
    questions = round_.rules.decidable_questions
    answers = real_answers(load_answers(round_, item, extra=True)).of_raters(people).questions(questions)

    def disagrees(key: str, given: Sequence[str]) -> bool:
        return questions[key].asks.disagrees(questions[key], given)

    rater_disagreements = find_disagreements(answers, disagrees)
    keys = {disagreement.item.partition(":")[0] for disagreement in rater_disagreements}
    rows = Item.objects.filter(round=round_, public_id__in=keys)
    items = {str(item.public_id): item for item in rows}
    decisions = {
        (decision.item_id, decision.question, decision.place): decision
        for decision in Adjudication.objects.filter(round=round_, item__public_id__in=keys)
    }
    return [_build_dispute(disagreement, items, questions, decisions) for disagreement in rater_disagreements]


def _build_dispute(
    disagreement: Disagreement,
    items: dict[str, Item],
    questions: dict[str, Question],
    decisions: dict[tuple[int, str, int], Adjudication],
) -> Dispute:
    name, _colon, place = disagreement.item.partition(":")
    item, text_number = items[name], int(place or 0)
    decision = decisions.get((item.pk, disagreement.question, text_number))
    return Dispute(disagreement, item, text_number, questions[disagreement.question], decision)


def store_decision(
    *, round_: Round, item: str, question: str, answer: str, note: str, by: AbstractBaseUser
) -> Adjudication:
    """Store a third person's decision. A second decision replaces the first; both are recorded in the audit log.

    item: as `Disagreement.item`. Raises BadInput, Conflict for a blind round and for somebody who rated the item.
    """
    dispute = find_dispute(round_, item, question)
    if dispute is None:
        raise NotFound(_("The raters do not disagree here."))
    if answer not in dispute.options:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(dispute.options)}, field="answer")
    if len(note) > MAX_NOTE:
        raise BadInput(_("A note has at most %(n)d characters.") % {"n": MAX_NOTE}, field="note")
    if Judgement.objects.filter(item=dispute.item, rater_id=by.pk).exists():
        raise Conflict(_("You rated this item yourself. A third person must decide."), code="rated")
    with write_transaction():
        row, _created = Adjudication.objects.update_or_create(
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
        audit.record_event(
            project=round_.project, actor=by, verb=AuditVerb.ROUND_DECIDE, target=target, question=question
        )
    return row


def list_reasons(round_: Round, dispute: Dispute) -> dict[str, str]:
    """Pseudonym -> this rater's reason for the disputed answer."""
    options = ExportOptions(quality=True, excluded=True, systems=True, extra=True, item=str(dispute.item.public_id))
    return {
        line["rater"]: line["why"]
        for line in export_lines(round_, options)
        if line.get("why")
        and (line["item_id"], line["question"]) == (dispute.disagreement.item, dispute.disagreement.question)
    }


def decision_lines(round_: Round) -> list[dict[str, object]]:
    """The decisions as JSON objects, for export next to the judgements."""
    pseudonyms = Pseudonyms(round_.project)
    decisions = Adjudication.objects.filter(round=round_).select_related("item")
    return [
        {
            "task": "adjudication",
            "item_id": f"{row.item.public_id}:{row.place}" if row.place else str(row.item.public_id),
            "question": row.question,
            "answer": row.answer,
            "by": pseudonyms.of(row.decided_by_id),
            "at": row.decided_at.isoformat(),
        }
        for row in decisions.order_by("item__number", "question", "place")
    ]

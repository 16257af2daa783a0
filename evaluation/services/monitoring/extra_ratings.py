"""One more rating where the raters of an item disagree: requested about once a minute, and by a button of staff.

It takes items of which every planned rating is in and whose raters disagree on a question that a third person could
decide, the most even votes first, and opens one slot more for each, up to the round's cap. Foils and repeats get none.
A unique key allows one such slot per item. Nothing shows a rater which items these are.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from annotation.claiming import SlotState
from annotation.jobs.registry import register_sweeper
from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.transactions import write_transaction
from epitome.reports.answers import Answer, Answers
from epitome.reports.disagreements import find_disagreements
from epitome.rounds.sides import judged_text_number
from epitome.sampling.generator import Generator
from evaluation.models import (
    Item,
    ItemAssignment,
    ItemAssignmentState,
    Judgement,
    RatingSlot,
    Round,
    RoundRater,
    RoundState,
)
from evaluation.services.monitoring import rater_quality
from evaluation.services.rounds.rater_eligibility import barred_pairs

BATCH = 1000


@dataclass(frozen=True)
class ExtraRatings:
    """requested: slots opened so far; rated: those of them that are filled; most: the cap of the design."""

    requested: int
    rated: int
    most: int


class Requested(NamedTuple):
    """disagreeing: complete items that raters disagree on and somebody else could rate; requested: of these now."""

    disagreeing: int
    requested: int


def count_extra_ratings(round_: Round) -> ExtraRatings | None:
    """None for a round whose design requests none."""
    if not round_.rules.extra_ratings:
        return None
    states = list(RatingSlot.objects.filter(round=round_, extra=True).values_list("state", flat=True))
    return ExtraRatings(len(states), states.count(SlotState.FILLED), round_.rules.extra_ratings)


def complete_items(round_: Round) -> "QuerySet[Item]":
    """Items that count, with all planned ratings in, for which none more was requested."""
    slots = RatingSlot.objects.filter(item=OuterRef("pk"))
    return Item.objects.filter(
        Exists(slots),
        ~Exists(slots.exclude(state=SlotState.FILLED)),
        ~Exists(slots.filter(extra=True)),
        round=round_,
        kind=Item.Kind.REAL,
    )


def find_disagreeing_items(round_: Round) -> list[int]:
    """Keys of complete items whose raters disagree and that somebody else could rate, the most even votes first."""
    questions = round_.rules.decidable_questions

    def disagrees(key: str, answers: Sequence[str]) -> bool:
        return questions[key].asks.disagrees(questions[key], answers)

    disagreements = find_disagreements(Answers(_load_answers(round_)), disagrees)
    item_ids = list(dict.fromkeys(int(disagreement.item.partition(":")[0]) for disagreement in disagreements))
    if round_.rules.items_per_person:  # more people can come at any time
        return item_ids
    available_ids = _find_available(round_, item_ids)
    return [item_id for item_id in item_ids if item_id in available_ids]


def _load_answers(round_: Round) -> Iterator[Answer]:
    """The planned answers to complete items that a third person could decide, without raters whom the rules exclude."""
    questions = {question.key: question for question in round_.rules.questions if question.asks.decidable}
    complete_ids = set(complete_items(round_).values_list("pk", flat=True))
    if not complete_ids:
        return
    rows = Judgement.objects.filter(
        round=round_,
        item_assignment__state=ItemAssignmentState.DONE,
        item_assignment__slot__isnull=False,
        question__in=questions,
    )
    rows = rows.exclude(rater__in=rater_quality.excluded_raters(round_)).exclude(answer="")
    columns = ("item_id", "rater_id", "question", "answer", "item_assignment__left")
    for item_id, rater_id, key, answer, left in rows.values_list(*columns).iterator(BATCH):
        if item_id not in complete_ids:
            continue
        question = questions[key]
        place = judged_text_number(left, question.about)
        canonical = question.asks.canonical(answer, left, round_.rules.n_texts)
        yield Answer(f"{item_id}:{place}", str(rater_id), question.shared_key, canonical, "", "", "")


def _find_available(round_: Round, item_ids: Collection[int]) -> set[int]:
    """Those of the items that a current rater could rate who has neither rated nor got them, nor worked on them."""
    rater_ids = set(RoundRater.objects.filter(round=round_, left_at=None).values_list("rater_id", flat=True))
    documents = dict(Item.objects.filter(pk__in=item_ids).values_list("pk", "document_id"))
    barred = barred_pairs(rater_ids, set(documents.values()))
    met: defaultdict[int, set[int]] = defaultdict(set)
    assignments = ItemAssignment.objects.filter(item__in=item_ids).exclude(state__in=ItemAssignmentState.LATE)
    for item_id, rater_id in assignments.values_list("item_id", "rater_id"):
        met[item_id].add(rater_id)
    return {
        item_id
        for item_id, document_id in documents.items()
        if any((rater_id, document_id) not in barred for rater_id in rater_ids - met[item_id])
    }


def request_extra_ratings(*, round_: Round, by: AbstractBaseUser | None) -> Requested:
    """Open one more slot for items whose raters disagree, as far as the cap allows. Idempotent. Raises Conflict for a
    round whose design requests none, or that takes no answers."""
    if not round_.rules.extra_ratings:
        raise Conflict(_("The design of this round requests no additional ratings."), code="state")
    item_ids = find_disagreeing_items(round_)
    with write_transaction():
        # A concurrent request waits for this lock, and then counts what was opened.
        locked = Round.objects.select_for_update(no_key=True).select_related("project").get(pk=round_.pk)
        if locked.state not in RoundState.RUNNING:
            raise Conflict(_("Additional ratings are requested only while a round is running."), code="state")
        requested = _open_slots(locked, item_ids)
        if requested:
            audit.record_event(
                project=locked.project,
                actor=by,
                verb=AuditVerb.ROUND_EXTRA,
                target=f"round:{locked.public_id}",
                items=requested,
            )
    return Requested(len(item_ids), requested)


def _open_slots(round_: Round, item_ids: Sequence[int]) -> int:
    """Open one for each item that is still complete, up to the cap; how many. Inside a transaction that has locked the
    round."""
    room = round_.rules.extra_ratings - RatingSlot.objects.filter(round=round_, extra=True).count()
    items = complete_items(round_).in_bulk(item_ids) if room > 0 else {}
    chosen = [items[item_id] for item_id in item_ids if item_id in items][: max(0, room)]
    RatingSlot.objects.bulk_create([_build_slot(round_, item) for item in chosen], batch_size=BATCH)
    return len(chosen)


def _build_slot(round_: Round, item: Item) -> RatingSlot:
    """The slot in the lane behind the planned ones. Which text of a pair is on the left is drawn by the frozen list."""
    is_pair = len(item.targets) > 1
    return RatingSlot(
        round=round_,
        item=item,
        document_id=item.document_id,
        number=round_.raters_per_item + 1,
        place=item.number,
        left=1 + Generator(round_.items_hash, "extra@1", item.number).below(2) if is_pair else 1,
        extra=True,
    )


@register_sweeper
def request_for_open_rounds() -> int:
    """Request them for each open round that has room for more; returns how many were requested."""
    rounds = Round.objects.filter(state=RoundState.OPEN, config__extra_ratings__gt=0).select_related("project")
    requested = 0
    for round_ in rounds.order_by("pk"):
        counts = count_extra_ratings(round_)
        if counts is not None and counts.requested < counts.most:
            requested += request_extra_ratings(round_=round_, by=None).requested
    return requested

"""A round whose answers are all there at once, by writing the rows that rating makes."""

import uuid
from collections.abc import Callable

from django.contrib.auth.models import User
from django.utils import timezone

from evaluation.models import Item, ItemAssignment, Judgement, RatingSlot, Round

Answerer = Callable[[Item, str, User], str]


def answer_at_once(round_: Round, answer_of: Answerer) -> None:
    """Every current rater answers every item; answer_of: the stored answer to a question of an item by a rater."""
    now = timezone.now()
    raters = [row.rater for row in round_.raters.filter(left_at=None).select_related("rater").order_by("pk")]
    slots: dict[int, list[int]] = {}
    for pk, item_id in RatingSlot.objects.filter(round=round_).order_by("number").values_list("pk", "item_id"):
        slots.setdefault(item_id, []).append(pk)
    for place, item in enumerate(Item.objects.filter(round=round_).order_by("number"), 1):
        for rater, slot in zip(raters, slots[item.pk], strict=False):
            assignment = ItemAssignment.objects.create(
                public_id=uuid.uuid4(),
                round=round_,
                item=item,
                slot_id=slot,
                document_id=item.document_id,
                rater=rater,
                state="done",
                position=place,
                active_seconds=20.0,
                opened_at=now,
                lease_until=now,
                answered_at=now,
                closed_at=now,
            )
            Judgement.objects.bulk_create(
                Judgement(
                    item_assignment=assignment,
                    round=round_,
                    item=item,
                    rater=rater,
                    question=question,
                    answer=answer_of(item, question, rater),
                    answered_at=now,
                )
                for question in item.questions
            )
    RatingSlot.objects.filter(round=round_).update(state="filled")

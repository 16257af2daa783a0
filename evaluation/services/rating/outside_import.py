"""Stores answers that people gave in other tools as answers to a round: all of a file, or nothing."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from epitome.formats.reading import InputFile
from epitome.rounds.outside_answers import Word
from evaluation.models import Item, ItemAssignment, ItemAssignmentState, Judgement, Round
from evaluation.services.rating.outside_preview import OutsidePreview, preview_answers
from evaluation.services.rating.outside_raters import check_takes_answers, join_outside_rater

BATCH = 1000


@retry_on_contention(unique_keys=True)
def import_answers(
    *, round_: Round, file: InputFile, mapping: Mapping[Word, str], by: AbstractBaseUser | None
) -> OutsidePreview:
    """Store the new answers of a file; answers that the round has already are counted. Which of them are new is decided
    while the round is locked, and by the unique keys of assignments.

    Raises BadInput for a file with faults, with words that have no place, or without anything for the round; Conflict
    for a round that takes no answers, and for answers that are stored otherwise.
    """
    check_takes_answers(round_)
    preview = preview_answers(round_, file, mapping)
    with write_transaction():
        locked = Round.objects.select_for_update(no_key=True).select_related("project").get(pk=round_.pk)
        check_takes_answers(locked)
        preview.sort_out_stored(locked)
        _check_complete(preview)
        if preview.new:
            _store(locked, preview)
            audit.record_event(
                project=locked.project,
                actor=by,
                verb=AuditVerb.ROUND_IMPORT,
                target=f"round:{locked.public_id}",
                tools=preview.tools,
                raters=len(preview.new_people),
                items=len(preview.new),
                left_out=preview.left_out.total(),
            )
    return preview


def _check_complete(preview: OutsidePreview) -> None:
    if preview.faults:
        faults = [asdict(fault) for fault in preview.faults]
        raise BadInput(str(preview.faults[0]), field="file", code="faults", faults=faults)
    if preview.missing:
        words = join_names([str(choice.word) for choice in preview.missing])
        message = _("Say what the round calls these: %(words)s.") % {"words": words}
        raise BadInput(message, field="map", code="words", words=[str(choice.word) for choice in preview.missing])
    if preview.changed:
        message = ngettext(
            "%(n)d answer was imported before and is different now. Remove the answers of that rater first.",
            "%(n)d answers were imported before and are different now. Remove the answers of these raters first.",
            len(preview.changed),
        )
        raise Conflict(message % {"n": len(preview.changed)}, code="changed")
    if not preview.new and not preview.n_repeated:
        message = _("No output of the file is in this round, character by character. Nothing was imported.")
        raise BadInput(message, field="file", code="nothing", differences=preview.differences)


def _store(round_: Round, preview: OutsidePreview) -> None:
    """Inside a transaction that has locked the round."""
    raters = {
        account: join_outside_rater(round_, account, preview.people[account]).rater_id for account in preview.new_people
    }
    last = ItemAssignment.objects.filter(round=round_, rater__in=raters.values()).order_by().values_list("rater")
    positions = dict(last.annotate(last=Max("position")))
    documents = dict(Item.objects.filter(round=round_).values_list("pk", "document_id"))
    now = timezone.now()
    assignments = []
    for answers in preview.new:
        rater_id = raters[answers.account]
        positions[rater_id] = positions.get(rater_id, 0) + 1
        assignments.append(
            ItemAssignment(
                public_id=uuid.uuid4(),
                round=round_,
                item_id=answers.item,
                slot=None,
                document_id=documents[answers.item],
                rater_id=rater_id,
                state=ItemAssignmentState.DONE,
                position=positions[rater_id],
                revision=1,
                note=answers.reading.note,
                opened_at=now,
                lease_until=now,
                closed_at=now,
                answered_at=now,
            )
        )
    ItemAssignment.objects.bulk_create(assignments, batch_size=BATCH)
    Judgement.objects.bulk_create(
        (
            Judgement(
                item_assignment=assignment,
                round=round_,
                item_id=assignment.item_id,
                rater_id=assignment.rater_id,
                question=question,
                answer=answer,
                answered_at=now,
            )
            for assignment, answers in zip(assignments, preview.new, strict=True)
            for question, answer in answers.reading.answers.items()
        ),
        batch_size=BATCH,
    )

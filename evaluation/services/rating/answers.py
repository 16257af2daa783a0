"""A rater's answers: saved as they are entered, editable until the round closes, complete once the item is finished."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.claiming import lock_rows
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.prepared_queries import (
    DateTimeParam,
    FloatParam,
    IntParam,
    Prepared,
    PreparedInsert,
    PreparedUpdate,
    Sent,
    TextParam,
    pipeline,
)
from annotation.services.core.retry import Overtaken, retry_on_contention
from annotation.services.core.slot_claims import send_filled, take_slots
from annotation.services.core.word_patterns import join_names
from annotation.transactions import write_transaction
from epitome.rounds.answer_texts import NOTE_LENGTH, WHY_LENGTH
from epitome.rounds.marks import check_places, load_marks
from epitome.rounds.questions import Question
from evaluation.models import (
    ItemAssignment,
    ItemAssignmentState,
    Judgement,
    JudgementChange,
    RatingSlot,
    Round,
    RoundState,
)
from evaluation.services.rating import item_claims, item_slots, rater_pauses
from evaluation.services.rating.rater_standing import has_room
from evaluation.services.rating.stored_answers import stored_payload

MAX_PAUSE_SECONDS = 60.0
"""Cap in seconds on the time counted between two requests of a rater; a longer gap counts as this much."""


@dataclass(frozen=True)
class SaveResult:
    """The stored revision, its time and the state: claimed or done; expired or surplus if it came too late."""

    revision: int
    at: datetime
    state: str


class GivenAnswer(NamedTuple):
    """One answer as it is stored; why: the reason, where the question asks for one."""

    answer: str
    unsure: bool
    why: str


Answers = dict[str, GivenAnswer]
"""By question."""


LOCK_ASSIGNMENT: Prepared[Any] = Prepared(
    lambda: (
        lock_rows(ItemAssignment.objects.all(), skip_locked=False)
        .annotate(round_state=F("round__state"))
        .filter(pk=IntParam("item_assignment"))
    )
)
INSERT_JUDGEMENTS = PreparedInsert(Judgement)
# Checks the state of the round again: it may have been closed while this waited for the lock.
UPDATE_ASSIGNMENT = PreparedUpdate(
    lambda: (
        ItemAssignment.objects.filter(
            Exists(Round.objects.filter(pk=OuterRef("round_id"), state__in=RoundState.RUNNING)),
            pk=IntParam("item_assignment"),
        ),
        {
            "revision": IntParam("revision"),
            "note": TextParam("note"),
            "active_seconds": FloatParam("seconds"),
            "last_seen_at": DateTimeParam("seen"),
            "state": TextParam("state"),
            "answered_at": DateTimeParam("answered"),
            "closed_at": DateTimeParam("closed"),
            "slot_id": IntParam("slot"),
        },
    )
)


@retry_on_contention()
def save_answers(
    *, assignment: ItemAssignment, payload: Mapping[str, Any], revision: int | None = None, finish: bool = False
) -> SaveResult:
    """Store answers, optionally based on a given revision. finish: mark the item as done.

    Saving the same answers again changes nothing. Raises BadInput naming the answer; Conflict with code `stale` (with
    the stored answers) or `closed`.
    """
    answers, note = _parse_payload(assignment, payload)
    with write_transaction():
        locked = LOCK_ASSIGNMENT.rows(item_assignment=assignment.pk)[0]
        _check_open(locked, locked.round_state)
        # Revision 0 means that no answers are stored yet.
        stored_judgements = (
            {row.question: row for row in Judgement.objects.filter(item_assignment=locked)} if locked.revision else {}
        )
        changed = note != locked.note or any(
            key not in stored_judgements or _as_given(stored_judgements[key]) != answer
            for key, answer in answers.items()
        )
        if changed and revision is not None and revision != locked.revision:
            theirs = stored_payload(locked)
            raise Conflict(
                _("The answers were changed in another tab or on another device."),
                code="stale",
                revision=locked.revision,
                theirs=theirs,
            )
        if finish:
            _check_complete(assignment, {**{key: _as_given(row) for key, row in stored_judgements.items()}, **answers})
        now = timezone.now()
        if changed:
            locked.revision += 1
            locked.note = note
        _count_time(locked, now)
        fills = finish and _finish_item(locked, now)
        with pipeline():
            _store_answers(locked, answers, stored_judgements, now)
            slot_update = send_filled(RatingSlot, locked.slot_id) if fills else None
            assignment_update = _send_assignment_update(locked)
        if slot_update is not None and not slot_update.changed:
            raise Overtaken
        if not assignment_update.changed:
            raise _closed_error()
        if fills:
            rater_pauses.apply_after_item(assignment.round, locked.rater_id)
    return SaveResult(locked.revision, now, locked.state)


def _send_assignment_update(assignment: ItemAssignment) -> Sent:
    """Changes no row if the round was closed meanwhile."""
    return UPDATE_ASSIGNMENT.send(
        item_assignment=assignment.pk,
        revision=assignment.revision,
        note=assignment.note,
        seconds=assignment.active_seconds,
        seen=assignment.last_seen_at,
        state=str(assignment.state),
        answered=assignment.answered_at,
        closed=assignment.closed_at,
        slot=assignment.slot_id,
    )


def _as_given(row: Judgement) -> GivenAnswer:
    return GivenAnswer(row.answer, row.unsure, row.why)


def _parse_payload(assignment: ItemAssignment, payload: Mapping[str, Any]) -> tuple[Answers, str]:
    """Return checked answers and note. Raises BadInput naming the field."""
    raw_answers, note = payload.get("answers", {}), payload.get("note", "")
    if not isinstance(raw_answers, Mapping):
        raise BadInput(_("Answers are an object: question to answer."), field="answers")
    if not isinstance(note, str) or len(note) > NOTE_LENGTH:
        raise BadInput(_("A note has at most %(n)d characters.") % {"n": NOTE_LENGTH}, field="note")
    allowed_keys, answers = assignment.item.questions, {}
    for key, raw_answer in raw_answers.items():
        place = f"answers.{str(key)[:60]}"
        if key not in allowed_keys:
            raise BadInput(_("This is not asked about this item."), field=place)
        row = raw_answer if isinstance(raw_answer, Mapping) else {"answer": raw_answer}
        unsure = row.get("unsure", False)
        if not isinstance(unsure, bool):
            raise BadInput(_("unsure is true or false."), field=f"{place}.unsure")
        question = assignment.round.rules.question(key)
        try:
            answer = question.asks.read(question, row.get("answer"))
            if question.asks.marks:
                check_places(load_marks(answer), assignment.item.first.text)
        except ValueError as error:
            raise BadInput(
                _("This answer does not fit the question (%(why)s).") % {"why": str(error)}, field=place
            ) from error
        answers[key] = GivenAnswer(answer, unsure, _read_why(question, row.get("why", ""), place))
    return answers, note.replace("\r\n", "\n")


def _read_why(question: Question, why: object, place: str) -> str:
    """The reason beside an answer; "" where none is given. Raises BadInput."""
    if not isinstance(why, str) or len(why) > WHY_LENGTH:
        raise BadInput(_("A reason has at most %(n)d characters.") % {"n": WHY_LENGTH}, field=f"{place}.why")
    if why and not question.why:
        raise BadInput(_("This question asks for no reason."), field=f"{place}.why")
    return why.replace("\r\n", "\n")


def _check_open(assignment: ItemAssignment, round_state: str) -> None:
    if round_state not in RoundState.RUNNING:
        raise _closed_error()
    if assignment.state == ItemAssignmentState.VOID:
        raise Conflict(_("This item is no longer assigned to you."), code="closed")


def _closed_error() -> Conflict:
    return Conflict(_("The round is closed, so answers can no longer be changed."), code="closed")


def _store_answers(
    assignment: ItemAssignment, answers: Answers, stored_judgements: Mapping[str, Judgement], now: datetime
) -> None:
    """Insert new answers, update changed ones, and record their earlier values."""
    common = {
        "item_assignment_id": assignment.pk,
        "round_id": assignment.round_id,
        "item_id": assignment.item_id,
        "rater_id": assignment.rater_id,
    }
    new = [
        {"question": key, **answer._asdict(), "answered_at": now, **common}
        for key, answer in answers.items()
        if key not in stored_judgements
    ]
    if new:
        INSERT_JUDGEMENTS.send(new)
    for key, answer in answers.items():
        row = stored_judgements.get(key)
        if row is None or _as_given(row) == answer:
            continue
        JudgementChange.objects.create(
            judgement=row, **_as_given(row)._asdict(), given_at=row.answered_at, changed_at=now
        )
        Judgement.objects.filter(pk=row.pk).update(**answer._asdict(), answered_at=now)


def _count_time(assignment: ItemAssignment, now: datetime) -> None:
    """Add the time since the last request, at most MAX_PAUSE_SECONDS. Changes to a finished item add nothing."""
    if assignment.answered_at is None and assignment.last_seen_at is not None:
        assignment.active_seconds += min(MAX_PAUSE_SECONDS, max(0.0, (now - assignment.last_seen_at).total_seconds()))
    assignment.last_seen_at = now


def _check_complete(assignment: ItemAssignment, answers: Answers) -> None:
    rules, nothing = assignment.round.rules, GivenAnswer("", False, "")
    answer_rows = {key: answers.get(key, nothing) for key in assignment.item.questions}
    lacking = [key for key, row in answer_rows.items() if rules.question(key).required and not row.answer]
    if lacking:
        raise BadInput(_("Still open: %(keys)s.") % {"keys": join_names(lacking)}, field=f"answers.{lacking[0]}")
    for key, row in answer_rows.items():
        if row.answer and rules.question(key).why == "required" and not row.why.strip():
            raise BadInput(_("Give a reason for: %(key)s.") % {"key": key}, field=f"answers.{key}.why")


def _finish_item(assignment: ItemAssignment, now: datetime) -> bool:
    """Mark as done; whether a slot is to be filled. If the lease has expired, the rating takes another open slot of the
    item, else it is surplus, as it is where the rater has had enough items since."""
    assignment.answered_at = assignment.answered_at or now
    if assignment.state in ItemAssignmentState.ANSWERED:
        return False
    if assignment.state != ItemAssignmentState.CLAIMED:
        slot = item_slots.find_open_slot(assignment)
        if slot is None or not has_room(assignment.round_id, assignment.rater_id):
            assignment.state, assignment.closed_at = ItemAssignmentState.SURPLUS, now
            return False
        take_slots(RatingSlot, [slot.pk])
        assignment.slot = slot
    assignment.state, assignment.closed_at = ItemAssignmentState.DONE, now
    return True


@retry_on_contention()
def record_activity(*, assignment: ItemAssignment) -> SaveResult:
    """Handle a heartbeat of the page: count active time and extend the lease."""
    with write_transaction():
        locked = lock_rows(ItemAssignment.objects.all(), skip_locked=False).get(pk=assignment.pk)
        now = timezone.now()
        _count_time(locked, now)
        locked.save(update_fields=["active_seconds", "last_seen_at"])
    if locked.state == ItemAssignmentState.CLAIMED:
        locked.round = assignment.round
        item_claims.extend_lease(locked)
    return SaveResult(locked.revision, now, locked.state)

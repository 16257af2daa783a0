"""A rater's answers: saved as they come, changed until the round closes, complete when the rater says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, F, FloatField, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.services.errors import BadInput, Conflict
from annotation.services.prepared import Given, Prepared, PreparedInsert, PreparedUpdate, moment, text, whole
from annotation.services.retrying import Overtaken, retried
from annotation.transactions import write
from evaluation.models import (
    ItemView,
    Judgement,
    JudgementChange,
    RatingSlot,
    Round,
    RoundState,
    ViewState,
)
from evaluation.rounds.questions import NOTE_LENGTH, BadAnswer
from evaluation.services import rating

PAUSE = 60.0
"""Seconds between two signs of life that count as work; a longer gap counts as this much."""
OPEN = (RoundState.OPEN, RoundState.PAUSED)


@dataclass(frozen=True)
class Saved:
    """What is stored now. state: claimed or done; expired or surplus for what came too late."""

    revision: int
    at: datetime
    state: str


Answers = dict[str, tuple[str, bool]]
"""question -> answer, unsure"""


def stored(view: ItemView) -> dict[str, Any]:
    """The answers as they are stored, in the shape in which they are sent."""
    if not view.revision:
        return {"answers": {}, "note": view.note}
    rows = Judgement.objects.filter(view=view).values_list("question", "answer", "unsure")
    answers = {question: {"answer": answer, "unsure": unsure} for question, answer, unsure in rows}
    return {"answers": answers, "note": view.note}


HELD: Prepared[ItemView] = Prepared(
    lambda: (
        ItemView.objects.select_for_update(of=("self",), no_key=True)
        .annotate(round_state=F("round__state"))
        .filter(pk=whole("view"))
    )
)
ROWS = PreparedInsert(Judgement)
FILL = PreparedUpdate(lambda: (RatingSlot.objects.filter(pk=whole("slot"), state="taken"), {"state": "filled"}))
# The state of the round is looked at once more: it may have been closed while this waited for the lock.
KEEP = PreparedUpdate(
    lambda: (
        ItemView.objects.filter(
            Exists(Round.objects.filter(pk=OuterRef("round_id"), state__in=["open", "paused"])), pk=whole("view")
        ),
        {
            "revision": whole("revision"),
            "note": text("note"),
            "active_seconds": Given("seconds", FloatField()),
            "last_seen_at": moment("seen"),
            "state": text("state"),
            "answered_at": moment("answered"),
            "closed_at": moment("closed"),
            "slot_id": whole("slot"),
        },
    )
)


@retried()
def save(*, view: ItemView, payload: Mapping[str, Any], revision: int | None = None, done: bool = False) -> Saved:
    """Store answers, on top of a revision where one is named. done: the rater is through with the item.

    The same answers again change nothing. Raises BadInput naming the answer; Conflict: `stale` with both, `closed`.
    """
    answers, note = _read(view, payload)
    with write():
        held = HELD.rows(view=view.pk)[0]
        _check_open(held)
        # What was never changed has no answers yet.
        before = {row.question: row for row in Judgement.objects.filter(view=held)} if held.revision else {}
        changed = note != held.note or any(
            key not in before or (before[key].answer, before[key].unsure) != given for key, given in answers.items()
        )
        if changed and revision is not None and revision != held.revision:
            theirs = stored(held)
            raise Conflict(
                _("The answers were changed elsewhere."), code="stale", revision=held.revision, theirs=theirs
            )
        now = timezone.now()
        _store(held, answers, before, now)
        if changed:
            held.revision += 1
            held.note = note
        _count_time(held, now)
        if done:
            _check_complete(view, {**{key: (row.answer, row.unsure) for key, row in before.items()}, **answers})
            _finish(held, now)
        _keep(held)
    return Saved(held.revision, now, held.state)


def _keep(held: ItemView) -> None:
    kept = KEEP.run(
        view=held.pk,
        revision=held.revision,
        note=held.note,
        seconds=held.active_seconds,
        seen=held.last_seen_at,
        state=str(held.state),
        answered=held.answered_at,
        closed=held.closed_at,
        slot=held.slot_id,
    )
    if not kept:
        raise _closed()


def _read(view: ItemView, payload: Mapping[str, Any]) -> tuple[Answers, str]:
    """Checked answers and note. Raises BadInput naming the place."""
    given, note = payload.get("answers", {}), payload.get("note", "")
    if not isinstance(given, Mapping):
        raise BadInput(_("Answers are an object: question to answer."), field="answers")
    if not isinstance(note, str) or len(note) > NOTE_LENGTH:
        raise BadInput(_("A note has at most %(n)d characters.") % {"n": NOTE_LENGTH}, field="note")
    asked, found = view.item.questions, {}
    for key, told in given.items():
        place = f"answers.{str(key)[:60]}"
        if key not in asked:
            raise BadInput(_("This is not asked about this item."), field=place)
        row = told if isinstance(told, Mapping) else {"answer": told}
        unsure = row.get("unsure", False)
        if not isinstance(unsure, bool):
            raise BadInput(_("unsure is true or false."), field=f"{place}.unsure")
        question = view.round.rules.question(key)
        try:
            found[key] = question.asks.read(question, row.get("answer")), unsure
        except BadAnswer as error:
            raise BadInput(_("The answer %(why)s.") % {"why": str(error)}, field=place) from error
    return found, note.replace("\r\n", "\n")


def _check_open(held: ItemView) -> None:
    if held.round_state not in OPEN:  # type: ignore[attr-defined]
        raise _closed()
    if held.state == ViewState.VOID:
        raise Conflict(_("This item is not yours any more."), code="closed")


def _closed() -> Conflict:
    return Conflict(_("The round is closed: answers cannot be changed any more."), code="closed")


def _store(held: ItemView, answers: Answers, before: Mapping[str, Judgement], now: datetime) -> None:
    """Insert what is new, change what differs, and keep what it was."""
    same = {"view_id": held.pk, "round_id": held.round_id, "item_id": held.item_id, "rater_id": held.rater_id}
    new = [
        {"question": key, "answer": answer, "unsure": unsure, "answered_at": now, **same}
        for key, (answer, unsure) in answers.items()
        if key not in before
    ]
    if new:
        ROWS.run(new)
    for key, (answer, unsure) in answers.items():
        row = before.get(key)
        if row is None or (row.answer, row.unsure) == (answer, unsure):
            continue
        JudgementChange.objects.create(
            judgement=row, answer=row.answer, unsure=row.unsure, given_at=row.answered_at, changed_at=now
        )
        Judgement.objects.filter(pk=row.pk).update(answer=answer, unsure=unsure, answered_at=now)


def _count_time(held: ItemView, now: datetime) -> None:
    """Add the time since the last sign of life, pauses cut short; a later change of answers adds nothing."""
    if held.answered_at is None and held.last_seen_at is not None:
        held.active_seconds += min(PAUSE, max(0.0, (now - held.last_seen_at).total_seconds()))
    held.last_seen_at = now


def _check_complete(view: ItemView, answers: Answers) -> None:
    lacking = [
        key
        for key in view.item.questions
        if view.round.rules.question(key).required and not answers.get(key, ("", False))[0]
    ]
    if lacking:
        raise BadInput(_("Still open: %(keys)s.") % {"keys": ", ".join(lacking)}, field=f"answers.{lacking[0]}")


def _finish(held: ItemView, now: datetime) -> None:
    """Fill the slot. What ran out meanwhile counts if its item still wants a rating, else it is surplus."""
    held.answered_at = held.answered_at or now
    if held.state in (ViewState.DONE, ViewState.SURPLUS):
        return
    if held.state != ViewState.CLAIMED:
        slot = rating.free_slot(held)
        if slot is None:
            held.state, held.closed_at = ViewState.SURPLUS, now
            return
        rating.take(slot.pk)
        held.slot = slot
    if not FILL.run(slot=held.slot_id):
        raise Overtaken
    held.state, held.closed_at = ViewState.DONE, now


@retried()
def seen(*, view: ItemView) -> Saved:
    """A sign of life from the page: counts the time and keeps the item."""
    with write():
        held = ItemView.objects.select_for_update(of=("self",), no_key=True).get(pk=view.pk)
        now = timezone.now()
        _count_time(held, now)
        held.save(update_fields=["active_seconds", "last_seen_at"])
    if held.state == ViewState.CLAIMED:
        held.round = view.round
        rating.extend(held)
    return Saved(held.revision, now, held.state)

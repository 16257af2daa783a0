"""Handing in and skipping: one commit each, and the same request again gets the same answer."""

import hashlib
import json
import re
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Done, Refused
from annotation.models import Annotation, Assignment, AssignmentState, Slot, SlotState
from annotation.services import active_time, asking, audit, authorship, freezing, gate, leases, reserving
from annotation.services.errors import BadInput, Conflict
from annotation.services.prepared import PreparedInsert, PreparedUpdate, moment, text, whole
from annotation.services.retrying import retried
from annotation.transactions import write

SKIP_REASONS = ("contradiction", "nothing_fits", "damaged", "other")
MAX_NOTE = 2000
KEY = re.compile(r"[\x21-\x7e]{1,100}")
# What late work is still taken for: nobody gave these attempts up for good.
LATE = (AssignmentState.EXPIRED, AssignmentState.RELEASED)
OPEN = (AssignmentState.CLAIMED, AssignmentState.RETURNED, *LATE)
FILL = PreparedUpdate(lambda: (Slot.objects.filter(pk=whole("slot")), {"state": "filled"}))
FINISH = PreparedUpdate(
    lambda: (
        Assignment.objects.filter(pk=whole("attempt")),
        {"state": text("state"), "finished_at": moment("now"), "slot_id": whole("slot")},
    )
)
ANNOTATIONS = PreparedInsert(Annotation)
ANSWER = ("id", "assignment", "revision", "state", "next")


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The answer to a submit, equal for every repetition of the same request."""

    status: int
    body: dict[str, Any]


def hash_of(body: Any) -> str:
    """SHA-256 of a JSON value, whatever its spacing and the order of its keys."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def submit(
    *, assignment: Assignment, payload: Any, idempotency_key: str, body_hash: str | None = None, counted: Any = None
) -> SubmitResult:
    """Store a complete payload as an immutable annotation and close the attempt. counted: the page's counts for the
    authorship record, kept with consent only; they are no part of what a repetition must equal.

    Late work (the lease ran out) counts if a place of the sample is still open, else it is kept as surplus.
    Raises BadInput naming the field; Conflict for a closed attempt, or a key used with another body.
    """
    if not isinstance(idempotency_key, str) or not KEY.fullmatch(idempotency_key):
        raise BadInput(
            _("Send an Idempotency-Key of 1 to 100 visible ASCII characters, new for every submit."),
            field="Idempotency-Key",
        )
    body_hash = body_hash or hash_of(payload)
    if assignment.state not in (AssignmentState.CLAIMED, *LATE):
        before = _answered(assignment, idempotency_key, body_hash)
        if before is not None:
            return before
        if assignment.state != AssignmentState.RETURNED:
            raise leases.closed(assignment)
    try:
        done = asking.kind_for(assignment).complete(payload, asking.about(assignment))
    except Refused as error:
        asking.refuse(error)
    return _store(assignment, done, idempotency_key, body_hash, authorship.checked(counted))


def _answered(assignment: Assignment, key: str, body_hash: str) -> SubmitResult | None:
    """The stored answer to this key, if it was used; Conflict if it came with another body."""
    rows = Annotation.objects.filter(assignment_id=assignment.pk, idempotency_key=key)
    stored = rows.values("body_hash", "response").first()
    if stored is None:
        return None
    if stored["body_hash"] != body_hash:
        raise Conflict(_("This Idempotency-Key was used for another text. Nothing was changed."), code="idempotency")
    answer = stored["response"]
    return SubmitResult(answer["status"], {name: answer["body"][name] for name in ANSWER})


@retried()
def _store(assignment: Assignment, done: Done, key: str, body_hash: str, counts: dict[str, Any] | None) -> SubmitResult:
    with write():
        unit, own = leases.hold_with(assignment)
        if own.state not in (AssignmentState.CLAIMED, *LATE):
            before = _answered(assignment, key, body_hash)
            if before is not None:
                return before
        if own.state not in OPEN:
            raise leases.closed(own)
        if own.state == AssignmentState.RETURNED:
            _under_the_rules_of_now(assignment)
        if done.chosen is not None:
            freezing.freeze(assignment=assignment, chosen=done.chosen)
        now = timezone.now()
        earlier = _earlier(own)
        revision = 1 + max((number for number, _timings in earlier), default=0)
        activity = _activity(assignment, own, now)
        slot_id = _fill(own)
        own.state = AssignmentState.SURPLUS if slot_id is None else AssignmentState.SUBMITTED
        FINISH.run(attempt=own.pk, state=str(own.state), now=now, slot=slot_id or own.slot_id)
        answer = _answer(assignment, own, unit, revision)
        timings = _timings(assignment, now)
        if activity is not None:
            timings |= active_time.timed(activity, own.pk, [before for _number, before in earlier])
        _insert(
            assignment,
            done,
            answer,
            now=now,
            revision=revision,
            key=key,
            body_hash=body_hash,
            timings=timings,
            record=_record(assignment, counts),
        )
        leases.settle(unit, minutes=assignment.project.lease_minutes, activity=activity)
        audit.record(
            project=assignment.project,
            actor=assignment.annotator,
            verb="task.submit",
            target=f"annotation:{answer['id']}",
        )
    return SubmitResult(201, answer)


def _under_the_rules_of_now(assignment: Assignment) -> None:
    """A revision is written under the guideline its writer has confirmed by now. Raises where that is outdated."""
    version = gate.version_passed(project=assignment.project_id, user=assignment.annotator_id)
    if version is None:
        raise gate.closed(assignment.project)
    if version != assignment.guideline_version_id:
        Assignment.objects.filter(pk=assignment.pk).update(guideline_version_id=version)
        assignment.guideline_version_id = version


def _earlier(own: Assignment) -> list[tuple[int, dict[str, Any]]]:
    """Number and timings of the revisions before this one."""
    if own.state != AssignmentState.RETURNED:
        return []
    return list(Annotation.objects.filter(assignment_id=own.pk).values_list("revision", "timings"))


def _activity(assignment: Assignment, own: Assignment, now: datetime) -> dict[str, Any] | None:
    """What is known of the work with handing in as its last sign; None where nothing was kept, or may be."""
    if not own.claim.activity or not gate.consents_to(assignment):
        return None
    return active_time.handed_in(own.claim.activity, attempt=own.pk, now=now)


def _record(assignment: Assignment, counts: dict[str, Any] | None) -> dict[str, Any]:
    """The authorship record as it is stored: {} without consent, or where nothing was counted."""
    if not gate.consents_to(assignment):
        return {}
    draft = getattr(assignment, "draft", None)
    return authorship.record(authorship.merged(draft.authorship if draft is not None else {}, counts))


def _fill(own: Assignment) -> int | None:
    """Fill the slot of the attempt; for late work an open one of its sample, kept for nobody else. None: surplus."""
    if own.state not in LATE:
        FILL.run(slot=own.slot_id)
        return own.slot_id
    kept = Exists(reserving.for_others(own.annotator_id))
    rows = Slot.objects.filter(~kept, group_id=own.group_id, state=SlotState.OPEN)
    rows = rows.filter(sample_id=own.sample_id) if own.sample_id is not None else rows.filter(sample__isnull=True)
    free = list(rows.order_by("pk").values_list("pk", flat=True))
    for slot_id in sorted(free, key=lambda pk: (pk != own.slot_id, pk)):
        if Slot.objects.filter(pk=slot_id, state=SlotState.OPEN).update(state=SlotState.FILLED):
            return slot_id
    return None


def _answer(assignment: Assignment, own: Assignment, unit: list[Assignment], revision: int) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid4()),
        "assignment": str(assignment.public_id),
        "revision": revision,
        "state": str(own.state),
        "next": next_page(unit, own),
    }


def next_page(unit: list[Assignment], own: Assignment) -> str | None:
    """The page of the next attempt of the same claim that is still to do: those after this one first."""
    left = [one for one in unit if one.state == AssignmentState.CLAIMED and one.pk != own.pk]
    left.sort(key=lambda one: (one.pk < own.pk, one.pk))
    return f"/tasks/{left[0].public_id}/" if left else None


def _insert(
    assignment: Assignment,
    done: Done,
    answer: dict[str, Any],
    *,
    now: datetime,
    revision: int,
    key: str,
    body_hash: str,
    timings: dict[str, Any],
    record: dict[str, Any],
) -> None:
    sample = assignment.sample
    version = sample.schema_version if sample else assignment.project.schema_version
    ANNOTATIONS.one(
        public_id=uuid.UUID(answer["id"]),
        project_id=assignment.project_id,
        sample_id=assignment.sample_id,
        assignment_id=assignment.pk,
        origin=Annotation.Origin.PERSON.value,
        revision=revision,
        payload=done.payload,
        raw_json="",
        schema_version_id=version.pk,
        guideline_version_id=assignment.guideline_version_id,
        assistance=assignment.assistance,
        band_shown=done.band_shown,
        timings=timings,
        authorship=record,
        outside_paste=authorship.largest_outside(record),
        surplus=answer["state"] == AssignmentState.SURPLUS,
        idempotency_key=key,
        body_hash=body_hash,
        response={"status": 201, "body": answer},
        created_at=now,
    )


def _timings(assignment: Assignment, now: datetime) -> dict[str, Any]:
    """When it was claimed, begun and handed in, and the seconds between, on the server's clock."""
    draft = getattr(assignment, "draft", None)
    begun = draft.started_at if draft is not None else None
    return {
        "claimed_at": assignment.claimed_at.isoformat(),
        "first_draft_at": begun.isoformat() if begun else None,
        "submitted_at": now.isoformat(),
        "seconds": round((now - assignment.claimed_at).total_seconds(), 3),
        "writing_seconds": round((now - begun).total_seconds(), 3) if begun else None,
    }


@retried()
def skip(*, assignment: Assignment, reason: str, note: str = "") -> str | None:
    """Leave a task for somebody else, with a reason; returns the page of the next task of the claim, if any."""
    if reason not in SKIP_REASONS:
        raise BadInput(_("Give one of these reasons: %(known)s.") % {"known": ", ".join(SKIP_REASONS)}, field="reason")
    note = _note(note)
    with write():
        unit, own = leases.hold_with(assignment)
        if own.state == AssignmentState.SKIPPED:
            return next_page(unit, own)
        if own.state != AssignmentState.CLAIMED:
            raise leases.closed(own)
        leases.put_down([own], AssignmentState.SKIPPED, reason=reason, note=note)
        leases.settle(unit, minutes=assignment.project.lease_minutes)
        audit.record(
            project=assignment.project,
            actor=assignment.annotator,
            verb="task.skip",
            target=f"assignment:{assignment.public_id}",
            reason=reason,
        )
        return next_page(unit, own)


def _note(note: str) -> str:
    from annotation.kinds.checks import human_text

    try:
        return human_text(note, "note", MAX_NOTE)
    except Refused as error:
        asking.refuse(error)

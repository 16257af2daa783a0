"""Submits a task: one commit, and a repeated request gets the same answer."""

import hashlib
import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Exists
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import CompletedPayload, PayloadRefused
from annotation.models import Annotation, Assignment, AssignmentState, AuditVerb, Slot, SlotState, WebhookTopic
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.prepared_queries import (
    DateTimeParam,
    IntParam,
    PreparedInsert,
    PreparedUpdate,
    TextParam,
    pipeline,
)
from annotation.services.core.retry import retry_on_contention
from annotation.services.guidelines import gate
from annotation.services.people import pause_rules
from annotation.services.tasks import (
    active_time,
    authorship,
    group_choice,
    leases,
    reservations,
    suggestions,
    task_context,
)
from annotation.services.webhooks import outbox
from annotation.transactions import write_transaction

KEY = re.compile(r"[\x21-\x7e]{1,100}")
FILL = PreparedUpdate(lambda: (Slot.objects.filter(pk=IntParam("slot")), {"state": "filled"}))
FINISH = PreparedUpdate(
    lambda: (
        Assignment.objects.filter(pk=IntParam("attempt")),
        {"state": TextParam("state"), "finished_at": DateTimeParam("now"), "slot_id": IntParam("slot")},
    )
)
ANNOTATIONS = PreparedInsert(Annotation)
ANSWER = ("id", "assignment", "revision", "state", "next")


@dataclass(frozen=True, slots=True)
class SubmitResult:
    """The answer to a submit, equal for every repetition of the same request. `rest`: the attempts of its claim, if one
    of them is still to be written; empty in a repetition."""

    status: int
    body: dict[str, Any]
    rest: Sequence[Assignment] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class AboutText:
    """How a text came about. counts: the page's counts for the authorship record; suggestion: what was kept of the text
    it started from."""

    counts: dict[str, Any] | None
    suggestion: dict[str, Any]


def hash_body(body: Any) -> str:
    """SHA-256 of a JSON value, whatever its spacing and the order of its keys."""
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def submit_task(
    *, assignment: Assignment, payload: Any, idempotency_key: str, body_hash: str | None = None, counted: Any = None
) -> SubmitResult:
    """Store a complete payload as an immutable annotation and close the attempt. counted: the page's counts for the
    authorship record, stored only with consent and not part of the idempotency check.

    Late work (the lease expired) counts if a slot of the sample is still open, else it is stored as surplus.
    Raises BadInput naming the field; Conflict for a closed attempt, or a key used with another body.
    """
    if not isinstance(idempotency_key, str) or not KEY.fullmatch(idempotency_key):
        raise BadInput(
            _("Send an Idempotency-Key of 1 to 100 visible ASCII characters, new for every submit."),
            field="Idempotency-Key",
        )
    body_hash = body_hash or hash_body(payload)
    if assignment.state not in (AssignmentState.CLAIMED, *AssignmentState.LATE):
        stored_answer = _find_stored_answer(assignment, idempotency_key, body_hash)
        if stored_answer is not None:
            return stored_answer
        if assignment.state != AssignmentState.RETURNED:
            raise leases.closed_error(assignment)
    try:
        completed = task_context.kind_for(assignment).complete(payload, task_context.build_context(assignment))
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    about_text = AboutText(
        authorship.parse_page_counts(counted), suggestions.build_suggestion_record(assignment, completed.payload)
    )
    return _store_submission(assignment, completed, idempotency_key, body_hash, about_text)


def _find_stored_answer(assignment: Assignment, key: str, body_hash: str) -> SubmitResult | None:
    """The stored answer to this key, if it was used; Conflict if it came with another body."""
    rows = Annotation.objects.filter(assignment_id=assignment.pk, idempotency_key=key)
    stored = rows.values("body_hash", "response").first()
    if stored is None:
        return None
    if stored["body_hash"] != body_hash:
        raise Conflict(_("This Idempotency-Key was used for another text. Nothing was changed."), code="idempotency")
    answer = stored["response"]
    return SubmitResult(answer["status"], {name: answer["body"][name] for name in ANSWER})


@retry_on_contention()
def _store_submission(
    assignment: Assignment, completed: CompletedPayload, key: str, body_hash: str, about_text: AboutText
) -> SubmitResult:
    with write_transaction():
        unit, attempt = leases.lock_claim_of(assignment)
        if attempt.state not in (AssignmentState.CLAIMED, *AssignmentState.LATE):
            stored_answer = _find_stored_answer(assignment, key, body_hash)
            if stored_answer is not None:
                return stored_answer
        if attempt.state not in AssignmentState.WRITABLE:
            raise leases.closed_error(attempt)
        if attempt.state == AssignmentState.RETURNED:
            _adopt_current_guideline(assignment)
        if completed.chosen is not None:
            group_choice.freeze_group(assignment=assignment, chosen=completed.chosen)
        now = timezone.now()
        earlier = _earlier_revisions(attempt)
        revision = 1 + max((number for number, _timings in earlier), default=0)
        activity = _collect_activity(assignment, attempt, now)
        slot_id = _choose_slot(attempt)
        attempt.state = AssignmentState.SURPLUS if slot_id is None else AssignmentState.SUBMITTED
        answer = _build_answer(assignment, attempt, unit, revision)
        timings = _build_timings(assignment, now)
        if activity is not None:
            timings |= active_time.build_active_timings(
                activity, attempt.pk, [earlier_timings for _number, earlier_timings in earlier]
            )
        record = _authorship_record(assignment, about_text.counts)
        with pipeline():
            if slot_id is not None:
                FILL.send(slot=slot_id)
            FINISH.send(attempt=attempt.pk, state=str(attempt.state), now=now, slot=slot_id or attempt.slot_id)
            _insert_annotation(
                assignment,
                completed,
                answer,
                now=now,
                revision=revision,
                key=key,
                body_hash=body_hash,
                timings=timings,
                record=record,
                suggestion=about_text.suggestion,
            )
            leases.close_or_extend(unit, minutes=assignment.project.lease_minutes, activity=activity)
            audit.record_event(
                project=assignment.project,
                actor=assignment.annotator,
                verb=AuditVerb.TASK_SUBMIT,
                target=f"annotation:{answer['id']}",
            )
            outbox.put_event(
                project=assignment.project,
                topic=WebhookTopic.ANNOTATION_SUBMITTED,
                data={name: answer[name] for name in ("id", "assignment", "revision", "state")},
            )
        if revision == 1 and assignment.sample_id is not None and "active_seconds" in timings:
            pause_rules.apply_after_submit(project=assignment.project, user_id=assignment.annotator_id)
    return SubmitResult(201, answer, unit if answer["next"] else ())


def _adopt_current_guideline(assignment: Assignment) -> None:
    """Set a revision's guideline version to the one its writer has confirmed. Raises if that one is outdated."""
    version = gate.version_passed(project=assignment.project_id, user=assignment.annotator_id)
    if version is None:
        raise gate.closed_error(assignment.project)
    if version != assignment.guideline_version_id:
        Assignment.objects.filter(pk=assignment.pk).update(guideline_version_id=version)
        assignment.guideline_version_id = version


def _earlier_revisions(attempt: Assignment) -> list[tuple[int, dict[str, Any]]]:
    """Number and timings of the revisions before this one."""
    if attempt.state != AssignmentState.RETURNED:
        return []
    return list(Annotation.objects.filter(assignment_id=attempt.pk).values_list("revision", "timings"))


def _collect_activity(assignment: Assignment, attempt: Assignment, now: datetime) -> dict[str, Any] | None:
    """The activity record with the submission as its last event; None without a record or without consent."""
    if not attempt.claim.activity or not gate.writer_allows_record(assignment):
        return None
    return active_time.add_submit_sign(attempt.claim.activity, attempt=attempt.pk, now=now)


def _authorship_record(assignment: Assignment, counts: dict[str, Any] | None) -> dict[str, Any]:
    """The authorship record as it is stored: {} without consent, or where nothing was counted."""
    if not gate.writer_allows_record(assignment):
        return {}
    draft = getattr(assignment, "draft", None)
    return authorship.build_record(authorship.merge_page_counts(draft.authorship if draft is not None else {}, counts))


def _choose_slot(attempt: Assignment) -> int | None:
    """The slot to fill: the attempt's; for late work an open one of its sample, not reserved for others, which is
    filled at once. None: surplus."""
    if attempt.state not in AssignmentState.LATE:
        return attempt.slot_id
    reserved = Exists(reservations.reserved_for_others(attempt.annotator_id))
    rows = Slot.objects.open().filter(~reserved, group_id=attempt.group_id)
    rows = (
        rows.filter(sample_id=attempt.sample_id) if attempt.sample_id is not None else rows.filter(sample__isnull=True)
    )
    open_slots = list(rows.order_by("pk").values_list("pk", flat=True))
    for slot_id in sorted(open_slots, key=lambda pk: (pk != attempt.slot_id, pk)):
        if Slot.objects.open().filter(pk=slot_id).update(state=SlotState.FILLED):
            return slot_id
    return None


def _build_answer(assignment: Assignment, attempt: Assignment, unit: list[Assignment], revision: int) -> dict[str, Any]:
    return {
        "id": str(uuid.uuid4()),
        "assignment": str(assignment.public_id),
        "revision": revision,
        "state": str(attempt.state),
        "next": next_page(unit, attempt),
    }


def next_page(unit: list[Assignment], attempt: Assignment) -> str | None:
    """The path of the next claimed attempt of the same claim: the one after this attempt, else the first one."""
    following = next_attempt(unit, attempt)
    return reverse("task", args=[following.public_id]) if following is not None else None


def next_attempt(unit: Sequence[Assignment], attempt: Assignment) -> Assignment | None:
    """The next claimed attempt of the claim after this one, else the first one."""
    remaining = [other for other in unit if other.state == AssignmentState.CLAIMED and other.pk != attempt.pk]
    return min(remaining, key=lambda other: (other.pk < attempt.pk, other.pk), default=None)


def _insert_annotation(
    assignment: Assignment,
    completed: CompletedPayload,
    answer: dict[str, Any],
    *,
    now: datetime,
    revision: int,
    key: str,
    body_hash: str,
    timings: dict[str, Any],
    record: dict[str, Any],
    suggestion: dict[str, Any],
) -> None:
    sample = assignment.sample
    version = sample.schema_version if sample else assignment.project.schema_version
    row = {
        "public_id": uuid.UUID(answer["id"]),
        "project_id": assignment.project_id,
        "sample_id": assignment.sample_id,
        "assignment_id": assignment.pk,
        "origin": Annotation.Origin.PERSON.value,
        "revision": revision,
        "payload": completed.payload,
        "raw_json": "",
        "schema_version_id": version.pk,
        "guideline_version_id": assignment.guideline_version_id,
        "assistance": assignment.assistance,
        "band_shown": completed.band_shown,
        "timings": timings,
        "authorship": record,
        "outside_paste": authorship.largest_outside(record),
        "suggestion": suggestion,
        "as_suggested": suggestion.get("identical", False),
        "surplus": answer["state"] == AssignmentState.SURPLUS,
        "idempotency_key": key,
        "body_hash": body_hash,
        "response": {"status": 201, "body": answer},
        "created_at": now,
    }
    ANNOTATIONS.send([row])


def _build_timings(assignment: Assignment, now: datetime) -> dict[str, Any]:
    """Times of claim, first draft and submission, and the seconds between, on the server's clock."""
    draft = getattr(assignment, "draft", None)
    begun = draft.started_at if draft is not None else None
    return {
        "claimed_at": assignment.claimed_at.isoformat(),
        "first_draft_at": begun.isoformat() if begun else None,
        "submitted_at": now.isoformat(),
        "seconds": round((now - assignment.claimed_at).total_seconds(), 3),
        "writing_seconds": round((now - begun).total_seconds(), 3) if begun else None,
    }

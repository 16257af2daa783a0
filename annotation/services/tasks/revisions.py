"""Submitted work from the annotator's side: reading the reviewers' feedback, and taking a summary back to revise it.

Taking back sets the attempt to `returned`, so that the task page opens with the last text and a new revision can be
submitted there; it is possible until a reviewer has inspected the newest revision.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Kind
from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    AuditVerb,
    BulkAction,
    Draft,
    Inspection,
    RefusedDraft,
)
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.tasks import leases, task_context
from annotation.transactions import write_transaction


def list_revisions(assignment: Assignment) -> list[Annotation]:
    """The submitted revisions, oldest first."""
    return list(Annotation.objects.filter(assignment_id=assignment.pk).order_by("revision"))


def list_feedback(assignment: Assignment) -> list[Inspection]:
    """Inspections that decided about the attempt, oldest first; without second inspections, which compare reviewers."""
    rows = Inspection.objects.filter(annotation__assignment_id=assignment.pk, second=False)
    return list(rows.select_related("annotation").order_by("pk"))


def find_last_feedback(assignments: Sequence[Assignment]) -> dict[int, Inspection]:
    """The newest feedback (see `list_feedback`) of each attempt that has any, by id. One query."""
    inspections = Inspection.objects.filter(annotation__assignment__in=assignments, second=False)
    return {row.attempt: row for row in inspections.annotate(attempt=F("annotation__assignment")).order_by("pk")}


class ReturnReason(StrEnum):
    """Why an attempt is `returned`."""

    TAKEN_BACK = "taken_back"
    REVIEWER = "reviewer"
    RULES = "rules"


def find_return_reasons(
    assignments: Sequence[Assignment], feedback: Mapping[int, Inspection] | None = None
) -> dict[int, ReturnReason]:
    """Why each of these `returned` attempts of one project was returned, by id. feedback: their last one, where the
    caller has it. Three queries at most."""
    if not assignments:
        return {}
    newest = _newest_revisions(assignments)
    returned_by_rules = _list_returned_by_rules(assignments[0].project_id, newest)
    feedback = find_last_feedback(assignments) if feedback is None else feedback
    newest_ids = {pk for pk, _created_at in newest.values()}
    inspected = {attempt for attempt, inspection in feedback.items() if inspection.annotation_id in newest_ids}
    reasons = {}
    for assignment in assignments:
        if assignment.pk in returned_by_rules:
            reasons[assignment.pk] = ReturnReason.RULES
        else:
            was_inspected = assignment.pk in inspected
            reasons[assignment.pk] = ReturnReason.REVIEWER if was_inspected else ReturnReason.TAKEN_BACK
    return reasons


def _newest_revisions(assignments: Sequence[Assignment]) -> dict[int, tuple[int, datetime]]:
    """Id and time of the newest revision of each attempt that has one."""
    revisions = Annotation.objects.filter(assignment__in=assignments).order_by("revision")
    return {attempt: (pk, at) for attempt, pk, at in revisions.values_list("assignment_id", "pk", "created_at")}


def _list_returned_by_rules(project_id: int, newest: dict[int, tuple[int, datetime]]) -> set[int]:
    """Attempts that a batch after a rule change returned since their newest revision was submitted."""
    if not newest:
        return set()
    since = min(created_at for _pk, created_at in newest.values())
    actions = BulkAction.objects.filter(project=project_id, kind=BulkAction.Kind.RETURN, undone_at=None, at__gte=since)
    return {
        attempt
        for items, returned_at in actions.values_list("items", "at")
        for attempt, _slot, _state in items
        if attempt in newest and newest[attempt][1] <= returned_at
    }


def is_taken_back(assignment: Assignment) -> bool:
    """Whether a `returned` attempt was taken back by its writer, not returned by a reviewer or because of new rules."""
    if assignment.state != AssignmentState.RETURNED:
        return False
    return find_return_reasons([assignment])[assignment.pk] == ReturnReason.TAKEN_BACK


def _is_inspected(assignment: Assignment) -> bool:
    """Whether the newest revision has been inspected."""
    last = Annotation.objects.filter(assignment_id=assignment.pk).order_by("-revision").values("pk")[:1]
    return Inspection.objects.filter(annotation_id__in=list(last.values_list("pk", flat=True))).exists()


def can_take_back(assignment: Assignment) -> bool:
    return assignment.state == AssignmentState.SUBMITTED and not _is_inspected(assignment)


@retry_on_contention()
def take_back(*, assignment: Assignment) -> None:
    """Reopen one's own submitted text for revision. Idempotent; raises Conflict once it was inspected."""
    with write_transaction():
        _unit, attempt = leases.lock_claim_of(assignment)
        if is_taken_back(attempt):
            return
        if attempt.state != AssignmentState.SUBMITTED:
            raise leases.closed_error(attempt)
        if _is_inspected(attempt):
            raise Conflict(_("A reviewer has inspected this work, so it can no longer be changed."), code="inspected")
        put_in_draft(attempt, list_revisions(attempt)[-1], task_context.kind_for(assignment))
        _set_state(assignment, attempt, AssignmentState.RETURNED, AuditVerb.TASK_TAKE_BACK)


@retry_on_contention()
def leave_as_is(*, assignment: Assignment) -> None:
    """Cancel a revision: the text submitted last counts again. Raises Conflict for what a reviewer has returned."""
    with write_transaction():
        _unit, attempt = leases.lock_claim_of(assignment)
        if attempt.state == AssignmentState.SUBMITTED:
            return
        if not is_taken_back(attempt):
            raise leases.closed_error(attempt)
        _set_state(assignment, attempt, AssignmentState.SUBMITTED, AuditVerb.TASK_LEAVE_AS_IS)


def _set_state(assignment: Assignment, attempt: Assignment, state: AssignmentState, verb: AuditVerb) -> None:
    Assignment.objects.filter(pk=attempt.pk).update(state=state)
    audit.record_event(
        project=assignment.project,
        actor=assignment.annotator,
        verb=verb,
        target=f"assignment:{assignment.public_id}",
    )


def put_in_draft(attempt: Assignment, annotation: Annotation, kind: Kind) -> None:
    """Replace the draft by this text; the caller has locked the claim. A different draft is saved as a RefusedDraft.
    kind: of the task."""
    now = timezone.now()
    payload = dict(annotation.payload)
    draft = Draft.objects.filter(pk=attempt.pk).first()
    if draft is None:
        Draft.objects.create(assignment_id=attempt.pk, payload=payload, revision=1, started_at=now, updated_at=now)
        return
    if kind.parts_of(draft.payload) != kind.parts_of(payload):
        RefusedDraft.objects.create(assignment_id=attempt.pk, payload=draft.payload, revision=draft.revision)
    Draft.objects.filter(pk=attempt.pk).update(payload=payload, revision=F("revision") + 1, updated_at=now)

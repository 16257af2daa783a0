"""Submitted work from the annotator's side: reading the reviewers' feedback, and taking a summary back to revise it.

Taking back sets the attempt to `returned`, so that the task page opens with the last text and a new revision can be
submitted there; it is possible until a reviewer has inspected the newest revision.
"""

from typing import Any

from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import (
    Annotation,
    Assignment,
    AssignmentState,
    AuditVerb,
    Draft,
    GuidelineVersion,
    Inspection,
    RefusedDraft,
)
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.tasks import leases
from annotation.transactions import write_transaction


def list_revisions(assignment: Assignment) -> list[Annotation]:
    """The submitted revisions, oldest first."""
    return list(Annotation.objects.filter(assignment_id=assignment.pk).order_by("revision"))


def list_feedback(assignment: Assignment) -> list[Inspection]:
    """Inspections that decided about the attempt, oldest first; without second inspections, which compare reviewers."""
    rows = Inspection.objects.filter(annotation__assignment_id=assignment.pk, second=False)
    return list(rows.select_related("annotation").order_by("pk"))


def is_taken_back(assignment: Assignment) -> bool:
    """Whether a `returned` attempt was taken back by its writer, not returned by a reviewer or because of new rules."""
    if assignment.state != AssignmentState.RETURNED or _is_inspected(assignment):
        return False
    return not under_older_rules(assignment)


def under_older_rules(assignment: Assignment) -> bool:
    """Whether a rule has changed since the guideline version this attempt is written under."""
    rules = GuidelineVersion.objects.filter(project=assignment.project_id, change=GuidelineVersion.Change.RULE)
    return rules.filter(number__gt=assignment.guideline_version.number).exists()


def _is_inspected(assignment: Assignment) -> bool:
    """Whether the newest revision has been inspected."""
    last = Annotation.objects.filter(assignment_id=assignment.pk).order_by("-revision").values("pk")[:1]
    return Inspection.objects.filter(annotation_id__in=list(last.values_list("pk", flat=True))).exists()


def taken_back_ids(assignments: list[Assignment]) -> set[int]:
    """Ids of those `returned` attempts whose newest revision nobody has inspected: taken back by their writer."""
    if not assignments:
        return set()
    newest = dict(
        Annotation.objects.filter(assignment__in=assignments).order_by("revision").values_list("assignment_id", "pk")
    )
    inspected_ids = set(
        Inspection.objects.filter(annotation__in=newest.values()).values_list("annotation_id", flat=True)
    )
    return {assignment.pk for assignment in assignments if newest.get(assignment.pk) not in inspected_ids}


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
            raise Conflict(_("A reviewer has inspected this summary; it cannot be changed any more."), code="inspected")
        put_in_draft(attempt, list_revisions(attempt)[-1])
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


def put_in_draft(attempt: Assignment, annotation: Annotation) -> None:
    """Replace the draft by this text; the caller has locked the claim. A different draft is saved as a RefusedDraft."""
    now = timezone.now()
    payload = dict(annotation.payload)
    draft = Draft.objects.filter(pk=attempt.pk).first()
    if draft is None:
        Draft.objects.create(assignment_id=attempt.pk, payload=payload, revision=1, started_at=now, updated_at=now)
        return
    if _summary_and_title(draft.payload) != _summary_and_title(payload):
        RefusedDraft.objects.create(assignment_id=attempt.pk, payload=draft.payload, revision=draft.revision)
    Draft.objects.filter(pk=attempt.pk).update(payload=payload, revision=F("revision") + 1, updated_at=now)


def _summary_and_title(payload: dict[str, Any]) -> tuple[Any, Any]:
    return payload.get("summary", ""), payload.get("title", "")

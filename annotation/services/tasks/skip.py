"""Skips a task: leaves it for somebody else, with a reason."""

from django.utils.translation import gettext as _

from annotation.kinds.checks import is_blank
from annotation.models import Assignment, AssignmentState, AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.word_patterns import join_names
from annotation.services.tasks import leases, notes, submit
from annotation.transactions import write_transaction

SKIP_REASONS = ("contradiction", "nothing_fits", "damaged", "other")


@retry_on_contention()
def skip_task(*, assignment: Assignment, reason: str, note: str = "") -> str | None:
    """Leave a task for somebody else, with a reason; returns the page of the next task of the claim, if any."""
    if reason not in SKIP_REASONS:
        raise BadInput(_("Give one of these reasons: %(known)s.") % {"known": join_names(SKIP_REASONS)}, field="reason")
    note = notes.normalize_note(note)
    with write_transaction():
        unit, attempt = leases.lock_claim_of(assignment)
        if attempt.state == AssignmentState.SKIPPED:
            return submit.next_page(unit, attempt)
        if attempt.state != AssignmentState.CLAIMED:
            raise leases.closed_error(attempt)
        leases.end_attempts([attempt], AssignmentState.SKIPPED, reason=reason, note=note)
        leases.close_or_extend(unit, minutes=assignment.project.lease_minutes)
        audit.record_event(
            project=assignment.project,
            actor=assignment.annotator,
            verb=AuditVerb.TASK_SKIP,
            target=f"assignment:{assignment.public_id}",
            reason=reason,
        )
        if not is_blank(note):
            notes.keep_skip_note(assignment)
        return submit.next_page(unit, attempt)

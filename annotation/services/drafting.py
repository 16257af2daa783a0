"""Saving what is being written. A stale write is refused and kept, so that no text is lost."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Refused
from annotation.models import Assignment, AssignmentState, Draft, RefusedDraft
from annotation.services import asking, leases
from annotation.services.errors import BadInput, Conflict
from annotation.services.retrying import retried
from annotation.transactions import write

# After expiry the text still goes to the attempt: whoever comes back finds it.
WRITABLE = (
    AssignmentState.CLAIMED,
    AssignmentState.RETURNED,
    AssignmentState.EXPIRED,
    AssignmentState.RELEASED,
)
MAX_REVISION = 2_000_000_000


def save_draft(*, assignment: Assignment, payload: Any, revision: int) -> Draft:
    """Store the text in progress on top of `revision` (0 for the first) and keep the lease.

    Raises BadInput for the wrong shape; Conflict (code stale) with `mine`, `theirs` and the current `revision` when
    somebody saved in between: the refused text is kept in RefusedDraft. The same text again is no conflict.
    """
    if isinstance(revision, bool) or not isinstance(revision, int) or not 0 <= revision <= MAX_REVISION:
        raise BadInput(_("revision must be the number of the last saved draft, 0 for none."), field="revision")
    if assignment.state not in WRITABLE:
        raise leases.closed(assignment)
    try:
        cleaned = asking.kind_for(assignment).draft(payload)
    except Refused as error:
        asking.refuse(error)
    draft, stale = _save(assignment, cleaned, revision)
    if stale:
        raise Conflict(
            _("This draft was also saved in another place. Both texts are kept; choose the one to go on with."),
            code="stale",
            revision=draft.revision,
            theirs=draft.payload,
            mine=cleaned,
        )
    return draft


@retried(unique_keys=True)
def _save(assignment: Assignment, payload: dict[str, Any], revision: int) -> tuple[Draft, bool]:
    """The draft as it now stands, and whether this write was stale."""
    now = timezone.now()
    with write():
        saved = Draft.objects.filter(pk=assignment.pk, revision=revision).update(
            payload=payload, revision=revision + 1, updated_at=now
        )
        if saved or (revision == 0 and _first(assignment, payload)):
            leases.extend(claim_id=assignment.claim_id, minutes=assignment.project.lease_minutes)
            return Draft(assignment=assignment, payload=payload, revision=revision + 1, updated_at=now), False
        found = Draft.objects.filter(pk=assignment.pk).first()
        if found is None:
            found = Draft(assignment=assignment, payload={}, revision=0, updated_at=now)
        if found.payload == payload:
            return found, False
        RefusedDraft.objects.create(assignment=assignment, payload=payload, revision=revision)
        return found, True


def _first(assignment: Assignment, payload: dict[str, Any]) -> bool:
    """Store the first draft; False when there is one already."""
    now = timezone.now()
    try:
        with transaction.atomic():
            Draft.objects.create(assignment=assignment, payload=payload, revision=1, started_at=now, updated_at=now)
    except IntegrityError:
        return False
    return True

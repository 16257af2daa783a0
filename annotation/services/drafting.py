"""Saving what is being written. A stale write is refused and kept, so that no text is lost."""

from typing import Any

from django.db.models.constants import OnConflict
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Refused
from annotation.models import Assignment, AssignmentState, Draft, RefusedDraft
from annotation.services import asking, authorship, gate, leases
from annotation.services.active_time import Sign
from annotation.services.errors import BadInput, Conflict
from annotation.services.prepared import PreparedInsert
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
# One statement whether or not there is a draft: an error would need a savepoint around it.
FIRST = PreparedInsert(Draft, on_conflict=OnConflict.IGNORE)


def save_draft(
    *, assignment: Assignment, payload: Any, revision: int, sign: Sign | None = None, counted: Any = None
) -> Draft:
    """Store the text in progress on top of `revision` (0 for the first) and keep the lease.

    sign: in which step the writer is; counted: the page's counts for the authorship record. Both are kept with consent
    only.

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
    counts = authorship.checked(counted)
    draft, stale = _save(assignment, cleaned, revision, sign, counts)
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
def _save(
    assignment: Assignment, payload: dict[str, Any], revision: int, sign: Sign | None, counts: dict[str, Any] | None
) -> tuple[Draft, bool]:
    """The draft as it now stands, and whether this write was stale."""
    now = timezone.now()
    pages = pages_of(assignment, counts)
    kept = {} if pages is None else {"authorship": pages}
    activity = leases.activity_after(assignment, sign)
    with write():
        is_new = revision == 0 and getattr(assignment, "draft", None) is None
        if (is_new and _first(assignment, payload, kept)) or Draft.objects.filter(
            pk=assignment.pk, revision=revision
        ).update(payload=payload, revision=revision + 1, updated_at=now, **kept):
            minutes = assignment.project.lease_minutes
            leases.extend(claim_id=assignment.claim_id, minutes=minutes, activity=activity)
            return Draft(assignment=assignment, payload=payload, revision=revision + 1, updated_at=now, **kept), False
        found = Draft.objects.filter(pk=assignment.pk).first()
        if found is None:
            found = Draft(assignment=assignment, payload={}, revision=0, updated_at=now)
        if found.payload == payload:
            return found, False
        RefusedDraft.objects.create(assignment=assignment, payload=payload, revision=revision)
        return found, True


def pages_of(assignment: Assignment, counts: dict[str, Any] | None) -> authorship.Pages | None:
    """The authorship counts of an attempt by page, with those that came now; None where they stay as they are. Empty
    where consent is missing: what was counted before it was taken back goes."""
    draft = getattr(assignment, "draft", None)
    before: authorship.Pages = draft.authorship if draft is not None else {}
    if not gate.consents_to(assignment):
        return {} if before else None
    after = authorship.merged(before, counts)
    return None if after is before else after


def _first(assignment: Assignment, payload: dict[str, Any], kept: dict[str, Any]) -> bool:
    """Store the first draft; False when there is one already."""
    now = timezone.now()
    row = {"assignment_id": assignment.pk, "payload": payload, "revision": 1, "authorship": kept.get("authorship", {})}
    return bool(FIRST.run([{**row, "started_at": now, "updated_at": now}]))

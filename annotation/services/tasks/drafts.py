"""Saves drafts. A stale write is refused but stored, so that no text is lost."""

from typing import Any

from django.db.models.constants import OnConflict
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import PayloadRefused
from annotation.models import Assignment, AssignmentState, Draft, RefusedDraft
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.prepared_queries import PreparedInsert
from annotation.services.core.retry import retry_on_contention
from annotation.services.guidelines import gate
from annotation.services.tasks import authorship, leases, task_context
from annotation.services.tasks.active_time import Sign
from annotation.transactions import write_transaction

MAX_REVISION = 2_000_000_000
# One insert that ignores an existing draft: a unique-key error would need a savepoint.
FIRST_DRAFT = PreparedInsert(Draft, on_conflict=OnConflict.IGNORE)


def save_draft(
    *, assignment: Assignment, payload: Any, revision: int, sign: Sign | None = None, counted: Any = None
) -> Draft:
    """Save the draft on top of `revision` (0 for the first) and extend the lease.

    sign: the writer's current step; counted: the page's counts for the authorship record. Both are stored with consent
    only.

    Raises BadInput for an invalid payload; Conflict (code stale) with `mine`, `theirs` and the current `revision` if
    the draft was saved in between: the refused text is stored in RefusedDraft. Saving the same text is no conflict.
    """
    if isinstance(revision, bool) or not isinstance(revision, int) or not 0 <= revision <= MAX_REVISION:
        raise BadInput(_("revision must be the number of the last saved draft, 0 for none."), field="revision")
    if assignment.state not in AssignmentState.WRITABLE:
        raise leases.closed_error(assignment)
    try:
        cleaned = task_context.kind_for(assignment).draft(payload)
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    counts = authorship.parse_page_counts(counted)
    draft, stale = _store_draft(assignment, cleaned, revision, sign, counts)
    if stale:
        raise _stale_error(draft, cleaned)
    return draft


def _stale_error(draft: Draft, payload: dict[str, Any]) -> Conflict:
    return Conflict(
        _("This draft was edited in another tab. Both versions are saved. Choose the one to continue with."),
        code="stale",
        revision=draft.revision,
        theirs=draft.payload,
        mine=payload,
    )


def check_revision(*, assignment: Assignment, payload: Any, revision: int) -> None:
    """Raise Conflict (code stale) if another text than this one was saved on top of `revision`, so that no page submits
    over the text of another. Nothing is stored. A closed task is not checked: its submit may be a repetition."""
    draft = getattr(assignment, "draft", None)
    if draft is None or draft.revision == revision or assignment.state not in AssignmentState.WRITABLE:
        return
    try:
        cleaned = task_context.kind_for(assignment).draft(payload)
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    if draft.payload != cleaned:
        raise _stale_error(draft, cleaned)


@retry_on_contention(unique_keys=True)
def _store_draft(
    assignment: Assignment, payload: dict[str, Any], revision: int, sign: Sign | None, counts: dict[str, Any] | None
) -> tuple[Draft, bool]:
    """The current draft, and whether this write was stale."""
    now = timezone.now()
    pages = merge_pages(assignment, counts)
    extra_fields = {} if pages is None else {"authorship": pages}
    activity = leases.activity_after(assignment, sign)
    with write_transaction():
        is_new = revision == 0 and getattr(assignment, "draft", None) is None
        if (is_new and _insert_first_draft(assignment, payload, extra_fields)) or Draft.objects.filter(
            pk=assignment.pk, revision=revision
        ).update(payload=payload, revision=revision + 1, updated_at=now, **extra_fields):
            minutes = assignment.project.lease_minutes
            leases.extend_lease(claim_id=assignment.claim_id, minutes=minutes, activity=activity)
            return Draft(
                assignment=assignment, payload=payload, revision=revision + 1, updated_at=now, **extra_fields
            ), False
        draft = Draft.objects.filter(pk=assignment.pk).first()
        if draft is None:
            draft = Draft(assignment=assignment, payload={}, revision=0, updated_at=now)
        if draft.payload == payload:
            return draft, False
        RefusedDraft.objects.create(assignment=assignment, payload=payload, revision=revision)
        return draft, True


def merge_pages(assignment: Assignment, counts: dict[str, Any] | None) -> authorship.Pages | None:
    """The authorship counts of an attempt by page, merged with the new counts; None if unchanged. Empty without
    consent: counts from before consent was withdrawn are deleted."""
    draft = getattr(assignment, "draft", None)
    stored_pages: authorship.Pages = draft.authorship if draft is not None else {}
    if not gate.writer_allows_record(assignment):
        return {} if stored_pages else None
    merged_pages = authorship.merge_page_counts(stored_pages, counts)
    return None if merged_pages is stored_pages else merged_pages


def _insert_first_draft(assignment: Assignment, payload: dict[str, Any], extra_fields: dict[str, Any]) -> bool:
    """Insert the first draft; False if a draft exists."""
    now = timezone.now()
    row = {
        "assignment_id": assignment.pk,
        "payload": payload,
        "revision": 1,
        "authorship": extra_fields.get("authorship", {}),
    }
    return bool(FIRST_DRAFT.run([{**row, "started_at": now, "updated_at": now}]))

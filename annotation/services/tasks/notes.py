"""Notes on tasks: written by annotators, read, released or hidden by staff, shown to a sample's next annotator.

Raters never see one, and neither do the writers of samples that several people write for.
"""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import PayloadRefused
from annotation.kinds.checks import is_blank, normalize_text
from annotation.models import Assignment, AuditVerb, NoteState, Project, Sample, Slot, TaskNote
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.word_patterns import join_names
from annotation.services.tasks import leases, task_context
from annotation.transactions import write_transaction

MAX_TEXT = 2000
MAX_NOTES = 20
"""Notes of one person on one task."""


def normalize_note(value: Any, field: str = "note") -> str:
    """The text as it is stored. Raises BadInput naming the field."""
    try:
        return normalize_text(value, field, MAX_TEXT)
    except PayloadRefused as error:
        task_context.raise_bad_input(error)


@retry_on_contention()
def write_note(*, assignment: Assignment, text: str) -> TaskNote:
    """Leave a note on one's own task, open or closed. The same text again is the note that exists.

    Raises BadInput for a blank text, Conflict (code `notes`) beyond MAX_NOTES.
    """
    text = normalize_note(text, "text")
    if is_blank(text):
        raise BadInput(_("Please enter a text."), field="text")
    with write_transaction():
        leases.lock_claim_of(assignment)
        rows = TaskNote.objects.filter(assignment_id=assignment.pk)
        existing = rows.filter(text=text, with_skip=False).first()
        if existing is not None:
            return existing
        if rows.count() >= MAX_NOTES:
            words = ngettext(
                "There is %(n)d note on this task already.", "There are %(n)d notes on this task already.", MAX_NOTES
            )
            raise Conflict(words % {"n": MAX_NOTES}, code="notes")
        return _store_note(assignment, text=text)


def keep_skip_note(assignment: Assignment) -> None:
    """Store the text of a skip as a note. Called in the transaction of the skip."""
    _store_note(assignment, with_skip=True)


def _store_note(assignment: Assignment, **values: Any) -> TaskNote:
    project = assignment.project.front
    note = TaskNote.objects.create(project=project, assignment_id=assignment.pk, written_at=timezone.now(), **values)
    audit.record_event(
        project=project, actor=assignment.annotator, verb=AuditVerb.NOTE_WRITE, target=f"note:{note.public_id}"
    )
    return note


def list_own_notes(assignment: Assignment) -> list[TaskNote]:
    """The annotator's own notes on the task, the oldest first."""
    return list(TaskNote.objects.filter(assignment_id=assignment.pk).select_related("assignment").order_by("pk"))


def list_notes_for_next(assignment: Assignment) -> list[TaskNote]:
    """Notes of earlier annotators of the sample that this one may see. No query where the project shows none."""
    project = assignment.project
    if project.notes_to_next != Project.NotesToNext.RELEASED or project.pilot_of_id is not None:
        return []
    if assignment.sample_id is None or project.overlap > 1:
        return []
    several = Slot.objects.filter(sample=OuterRef("assignment__sample"), number__gt=1)
    rows = TaskNote.objects.filter(~Exists(several), assignment__sample_id=assignment.sample_id)
    rows = rows.filter(state=NoteState.RELEASED).exclude(assignment__annotator_id=assignment.annotator_id)
    return list(rows.select_related("assignment").order_by("pk"))


def list_notes(project: Project, state: str = "") -> QuerySet[TaskNote]:
    """Notes for staff, the newest first; state: only those."""
    rows = TaskNote.objects.filter(project=project).select_related(
        "assignment__annotator", "assignment__group__document", "assignment__sample", "decided_by"
    )
    return (rows.filter(state=state) if state else rows).order_by("-pk")


def list_sample_notes(sample: Sample) -> list[TaskNote]:
    """The notes on the tasks of a sample, for staff, the oldest first."""
    rows = TaskNote.objects.filter(assignment__sample=sample).select_related("assignment")
    return list(rows.order_by("pk"))


def count_notes_by_state(project: Project) -> dict[str, int]:
    """State -> number of notes, states without one included. One query."""
    rows = TaskNote.objects.filter(project=project).order_by().values_list("state").annotate(n=Count("pk"))
    return dict.fromkeys(NoteState.values, 0) | dict(rows)


def change_note_state(*, note: TaskNote, by: AbstractBaseUser, state: str) -> TaskNote:
    """Mark a note as read, release it for the sample's next annotator, or hide it. Raises BadInput for other states."""
    if state not in NoteState.DECISIONS:
        state_names = join_names(NoteState.DECISIONS)
        raise BadInput(_("Give one of these states: %(known)s.") % {"known": state_names}, field="state")
    with write_transaction():
        rows = TaskNote.objects.filter(pk=note.pk).exclude(state=state)
        if rows.update(state=state, decided_by_id=by.pk, decided_at=timezone.now()):
            audit.record_event(
                project=note.project,
                actor=by,
                verb=AuditVerb.NOTE_CHANGE,
                target=f"note:{note.public_id}",
                state=str(state),
            )
    note.refresh_from_db(fields=["state", "decided_by", "decided_at"])
    return note

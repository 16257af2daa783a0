"""Undoing a draw that nobody has begun to use: its samples, groups and slots are deleted, in one transaction.

A claim and an undo of the same samples exclude each other: a claim locks its unit (group or source) before it reads the
slots, and the undo locks sources, groups, slots and samples, in this order, before it looks whether they are in use.
"""

from collections.abc import Callable
from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, connection
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.claiming import lock_rows
from annotation.extension_points import ExtensionPoint, qualified_name
from annotation.models import (
    Annotation,
    Assignment,
    AuditVerb,
    Draw,
    Group,
    Job,
    PilotSample,
    PoolExit,
    Project,
    Reservation,
    Sample,
    Slot,
    SourceDocument,
)
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.core.sample_subjects import find_subject
from annotation.transactions import write_transaction

SampleUse = Callable[["QuerySet[Sample]"], str]
"""Samples -> a sentence that says what uses some of them, "" for nothing."""
SAMPLE_USES: ExtensionPoint[SampleUse] = ExtensionPoint("uses of samples", key=qualified_name)
DELETED_WITH_SAMPLES: ExtensionPoint[Callable[["QuerySet[Sample]"], None]] = ExtensionPoint(
    "what is deleted with samples", key=qualified_name
)
"""Called with the samples of a draw that is being undone, inside its transaction."""
DELETIONS = {
    "slots": """
        DELETE FROM annotation_slot WHERE group_id IN (SELECT group_id FROM annotation_sample WHERE draw_id = %s)
    """,
    "groups": "DELETE FROM annotation_group WHERE id IN (SELECT group_id FROM annotation_sample WHERE draw_id = %s)",
    "samples": "DELETE FROM annotation_sample WHERE draw_id = %s",
}
"""By the fields of UndoneDraw; in this order, since the samples say which groups and slots are the draw's."""


class UndoneDraw(NamedTuple):
    """What was deleted."""

    samples: int
    groups: int
    slots: int


def list_draws(project: Project) -> "QuerySet[Draw]":
    """The draws of a project, newest first."""
    return Draw.objects.filter(project=project).select_related("drawn_by", "undone_by").order_by("-id")


def find_obstacle(draw: Draw) -> str:
    """Why the draw cannot be undone, as a sentence; "" if it can."""
    if draw.undone_at is not None:
        return _("This draw was undone already.")
    if draw.job_id is not None and Job.objects.under_way().filter(pk=draw.job_id).exists():
        return _("This draw is still running. Wait until it is done.")
    samples = Sample.objects.filter(draw=draw)
    groups = samples.values("group")
    if n_tasks := Assignment.objects.filter(group__in=groups).count():
        return ngettext(
            "%(n)d task of this draw has been assigned already, so the draw cannot be undone.",
            "%(n)d tasks of this draw have been assigned already, so the draw cannot be undone.",
            n_tasks,
        ) % {"n": n_tasks}
    if Reservation.objects.filter(slot__group__in=groups).exists():
        return _("Tasks of this draw are reserved for somebody. Cancel the reservation first.")
    if PilotSample.objects.filter(origin__in=samples).exists():
        return _("Samples of this draw are in a pilot, so the draw cannot be undone.")
    is_chosen = Group.objects.filter(pk__in=groups, chosen_by__isnull=False).exists()
    if is_chosen or Annotation.objects.filter(sample__in=samples).exists():
        return _("Work on this draw has begun, so it cannot be undone.")
    if PoolExit.objects.filter(sample__in=samples).exists() or samples.filter(redrawn_from__isnull=False).exists():
        return _("Samples of this draw were retired or redrawn, so the draw cannot be undone.")
    return next((sentence for describe in SAMPLE_USES if (sentence := describe(samples))), "")


@retry_on_contention()
def undo_draw(*, draw: Draw, by: AbstractBaseUser | None) -> UndoneDraw:
    """Delete the samples of a draw that nothing uses. Raises Conflict with a sentence when something does."""
    try:
        with write_transaction():
            locked = Draw.objects.select_for_update(of=("self",)).select_related("project").get(pk=draw.pk)
            _lock_draw(locked)
            if obstacle := find_obstacle(locked):
                raise Conflict(obstacle, code="drawinuse")
            undone = _delete_rows(locked)
            Draw.objects.filter(pk=locked.pk).update(undone_at=timezone.now(), undone_by_id=by.pk if by else None)
            _restore_record(locked.project)
            audit.record_event(
                project=locked.project,
                actor=by,
                verb=AuditVerb.SAMPLE_UNDO_DRAW,
                target=f"draw:{locked.public_id}",
                **undone._asdict(),
            )
    except IntegrityError as error:  # something began to use a sample between the check and the commit
        raise Conflict(_("Something began to use these samples just now. The draw was not undone.")) from error
    return undone


def _lock_draw(draw: Draw) -> None:
    """Lock the rows of the draw, waiting for claims under way. Sources as claims lock them; the others exclusively, as
    a reference to a row that is about to be deleted must wait."""
    samples = Sample.objects.filter(draw=draw)
    groups = samples.values("group")
    sources = SourceDocument.everything.filter(pk__in=samples.values("document"))
    locks: list[QuerySet[SourceDocument] | QuerySet[Group] | QuerySet[Slot] | QuerySet[Sample]] = [
        lock_rows(sources, skip_locked=False),
        Group.objects.filter(pk__in=groups).select_for_update(of=("self",)),
        Slot.objects.filter(group__in=groups).select_for_update(of=("self",)),
        samples.select_for_update(of=("self",)),
    ]
    for rows in locks:
        list(rows.order_by("pk").values_list("pk"))


def _delete_rows(draw: Draw) -> UndoneDraw:
    """Delete slots, groups and samples; references among them and from elsewhere are checked at the commit.

    By SQL: `QuerySet.delete` would load every row and query the 20 tables that may refer to it, four times as long.
    """
    samples = Sample.objects.filter(draw=draw)
    if subject := find_subject(draw.project.kind):
        subject.delete(list(samples.values_list("pk", flat=True)))
    for delete_with in DELETED_WITH_SAMPLES:
        delete_with(samples)
    counts = {}
    with connection.cursor() as cursor:
        for name, sql in DELETIONS.items():
            cursor.execute(sql, [draw.pk])
            counts[name] = cursor.rowcount
    return UndoneDraw(**counts)


def _restore_record(project: Project) -> None:
    """Record on the project the options of the newest draw that was not undone."""
    newest = Draw.objects.filter(project=project, undone_at=None, finished_at__isnull=False).order_by("-id").first()
    Project.objects.filter(pk=project.pk).update(sampler=newest.options if newest is not None else {})

"""Finds and locks the open slots of an annotator's next task.

Every query reads a bounded number of rows, so that a claim costs the same in a large project: first the sources this
annotator read last, then the front of the queue, then the slots after the annotator's newest one, and only if all are
empty the whole queue.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import BigIntegerField, Case, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from annotation.claiming import lock_rows
from annotation.models import Assignment, Claim, Project, Slot, SourceDocument
from annotation.services.core.prepared_queries import IntParam, Param, Prepared
from annotation.services.tasks import reservations

SOURCES_REMEMBERED = 8
FRONT = 64


def exclude_assigned(slots: QuerySet[Slot], annotator: int | Param) -> QuerySet[Slot]:
    """Slots of samples (or choosing tasks) never assigned to this annotator. A subquery value per slot instead of
    EXISTS: the database then uses the unique key and cannot plan a join with all of the annotator's attempts."""
    attempts = Assignment.objects.filter(annotator=annotator)
    written = attempts.filter(sample_id=OuterRef("sample_id")).values("pk")[:1]
    chosen = attempts.filter(sample__isnull=True, group_id=OuterRef("group_id")).values("pk")[:1]
    return slots.alias(had=Case(When(sample__isnull=False, then=Subquery(written)), default=Subquery(chosen))).filter(
        had__isnull=True
    )


def _open_slots() -> QuerySet[Slot]:
    """Open slots, oldest first. Filtering the project as a range and ordering by it makes the database use the index of
    open slots; by the primary key it would scan all filled slots."""
    project_slots = Slot.objects.filter(project__gte=IntParam("project"), project__lte=IntParam("project"))
    return project_slots.filter(state="open").order_by("project_id", "pk")


def _available_slots(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Slots never assigned to the annotator and not reserved for others."""
    reserved_for_others = reservations.reserved_for_others(IntParam("annotator")).values("pk")[:1]
    available = (
        exclude_assigned(slots, IntParam("annotator"))
        .alias(kept=Subquery(reserved_for_others))
        .filter(kept__isnull=True)
    )
    return available.only("pk", "number", "sample_id", "group_id", "document_id")


def _prepare_slot_lock(slots: Callable[[], QuerySet[Slot]], *, skip_locked: bool = True) -> "Prepared[Slot]":
    """A query that locks the first available slot of an undamaged source, skipping slots locked by others."""
    damaged = SourceDocument.everything.filter(pk=OuterRef("document_id")).values("damaged")
    return Prepared(
        lambda: lock_rows(
            _available_slots(slots()).alias(is_damaged=Subquery(damaged[:1])).filter(is_damaged=False),
            skip_locked=skip_locked,
        )[:1]
    )


def _last_sources() -> QuerySet[Claim, Any]:
    claims = Claim.objects.filter(project=IntParam("project"), annotator=IntParam("annotator"))
    return claims.order_by("-pk").values("document_id")[:SOURCES_REMEMBERED]


def _open_slots_in(scope: Q) -> QuerySet[Slot]:
    """Open slots of a group or of sources; without a project filter, whose index would be slower."""
    return Slot.objects.filter(scope, state="open").order_by("pk")


def _prepare_unit_lock(scope: Q) -> "Prepared[Slot]":
    """Locks all available slots of a unit for a few milliseconds, more than are claimed. Locked slots are skipped, not
    waited for, so that claims cannot deadlock; a concurrent claim moves on to the next unit."""
    return Prepared(lambda: lock_rows(_available_slots(_open_slots_in(scope))))


def _end_of_front() -> Coalesce:
    """The id of the last slot of the front; if fewer slots are open, all of them belong to it."""
    last = Subquery(_open_slots().values("pk")[FRONT - 1 : FRONT])
    return Coalesce(last, Value(2**62, output_field=BigIntegerField()))


RESERVED = _prepare_slot_lock(lambda: reservations.reserved_slots(IntParam("project"), IntParam("annotator")))
READ_BEFORE = _prepare_slot_lock(lambda: _open_slots_in(Q(document_id__in=_last_sources())))
AT_THE_FRONT = _prepare_slot_lock(lambda: _open_slots().filter(pk__lte=_end_of_front()))
BEHIND_THE_LAST = _prepare_slot_lock(
    lambda: _open_slots_in(Q(project=IntParam("project"), pk__gt=IntParam("last_slot")))
)
ANYWHERE = _prepare_slot_lock(_open_slots, skip_locked=False)
IN_GROUP = _prepare_unit_lock(Q(group=IntParam("group")))
IN_SOURCE = _prepare_unit_lock(Q(document=IntParam("document")))


def lock_slot(
    project: Project, annotator: AbstractBaseUser, *, last_slot: int | None, has_reservation: bool
) -> Slot | None:
    """Lock one available slot. last_slot: the annotator's newest one. Only the last query waits for slots that are
    locked by others."""
    params = {"project": project.pk, "annotator": annotator.pk, "last_slot": last_slot or 0}
    queries = (READ_BEFORE, AT_THE_FRONT, BEHIND_THE_LAST, ANYWHERE) if last_slot else (AT_THE_FRONT, ANYWHERE)
    for query in (RESERVED, *queries) if has_reservation else queries:
        slot = query.first(**params)
        if slot is not None:
            return slot
    return None


def lock_rest_of_unit(project: Project, annotator: AbstractBaseUser, picked: Slot) -> list[Slot]:
    """One available slot for each other sample of the group or source."""
    params = {"project": project.pk, "annotator": annotator.pk}
    if project.claim_unit == Project.ClaimUnit.GROUP:
        return _one_slot_per_sample(IN_GROUP.rows(**params, group=picked.group_id), picked)
    if project.claim_unit == Project.ClaimUnit.SOURCE:
        return _one_slot_per_sample(IN_SOURCE.rows(**params, document=picked.document_id), picked)
    return []


def _one_slot_per_sample(available: list[Slot], picked: Slot) -> list[Slot]:
    """One slot per sample, preferably with the number of the picked one."""
    best: dict[tuple[str, int], Slot] = {}
    for slot in available:
        key = _sample_key(slot.sample_id, slot.group_id)
        if key not in best or (slot.number == picked.number and best[key].number != picked.number):
            best[key] = slot
    best.pop(_sample_key(picked.sample_id, picked.group_id), None)
    return list(best.values())


def _sample_key(sample_id: int | None, group_id: int) -> tuple[str, int]:
    return ("group", group_id) if sample_id is None else ("sample", sample_id)

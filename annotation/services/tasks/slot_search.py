"""Finds the open slots of an annotator's next unit of tasks, and locks the unit.

Sources of higher priority come first. Within the highest priority that has open slots, every query reads a bounded
number of rows, so that a claim costs the same in a large project: first the sources this annotator read last, then the
front of the queue, then the first slots after the annotator's newest one, and only if all are empty the whole queue.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import BigIntegerField, Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from annotation.models import Assignment, Claim, Project, Slot, SourceDocument
from annotation.services.core.prepared_queries import IntParam, Param, Prepared
from annotation.services.core.retry import Overtaken
from annotation.services.tasks import reservations

SOURCES_REMEMBERED = 8
FRONT = 64
AVAILABLE = ("pk", "number", "sample_id", "group_id", "document_id")
GROUP, SOURCE = "group", "document"
"""The relations of a slot whose row represents a unit of claims; a single sample is claimed under its group's lock."""


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
    """Open slots, those of the highest priority first, then the oldest. Filtering the project as a range and ordering
    by it makes the database use the index of open slots; by the primary key it would scan all filled slots."""
    project_slots = Slot.objects.filter(project__gte=IntParam("project"), project__lte=IntParam("project"))
    return project_slots.filter(state="open").order_by("project_id", "-priority", "pk")


def _highest_priority() -> Subquery:
    """The priority of the first slot of the queue, no matter who may claim it."""
    return Subquery(_open_slots().values("priority")[:1])


def _urgent_slots() -> QuerySet[Slot]:
    """Open slots of the project with the highest priority, oldest first."""
    return _open_slots().filter(priority__gte=_highest_priority())


def _available_slots(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Slots never assigned to the annotator, not reserved for others, and of no group that somebody else holds before
    its topics and speakers are chosen: who comes second would write under a choice that he did not make."""
    reserved_for_others = reservations.reserved_for_others(IntParam("annotator")).values("pk")[:1]
    available = (
        exclude_assigned(slots, IntParam("annotator"))
        .alias(kept=Subquery(reserved_for_others))
        .filter(chosen_or_not_held(IntParam("annotator")), kept__isnull=True)
    )
    return available.only(*AVAILABLE)


def chosen_or_not_held(annotator: int | Param) -> Q:
    """Whether a slot's group is frozen (as it is where there is nothing to choose), or is held by nobody else."""
    held = Assignment.objects.filter(group=OuterRef("group_id"), state="claimed").exclude(annotator=annotator)
    return Q(group__frozen_at__isnull=False) | Q(~Exists(held))


def _prepare_first_slot(
    slots: Callable[[], QuerySet[Slot]], *, skip_locked: bool = True
) -> "dict[str, Prepared[Slot]]":
    """For each unit of claims a query for the first available slot of an undamaged source. It locks the unit's row, not
    the slot: of two people who see slots of one unit, only one may take any of them."""
    damaged = SourceDocument.everything.filter(pk=OuterRef("document_id")).values("damaged")

    def locking(unit: str) -> "Prepared[Slot]":
        return Prepared(
            lambda: (
                _available_slots(slots())
                .alias(is_damaged=Subquery(damaged[:1]))
                .filter(is_damaged=False)
                .select_related(unit)
                .only(*AVAILABLE, f"{unit}__id")
                .select_for_update(skip_locked=skip_locked, of=(unit,), no_key=True)[:1]
            )
        )

    return {unit: locking(unit) for unit in (GROUP, SOURCE)}


def _last_sources() -> QuerySet[Claim, Any]:
    claims = Claim.objects.filter(project=IntParam("project"), annotator=IntParam("annotator"))
    return claims.order_by("-pk").values("document_id")[:SOURCES_REMEMBERED]


def _open_slots_in(scope: Q) -> QuerySet[Slot]:
    """Open slots of a group or of sources; without a project filter, whose index would be slower."""
    return Slot.objects.filter(scope, state="open").order_by("pk")


def _read_before() -> QuerySet[Slot]:
    """Open slots of the sources read last, unless others are more urgent."""
    return _open_slots_in(Q(document_id__in=_last_sources(), priority__gte=_highest_priority()))


def _first_few(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """The first FRONT of these slots, or all if there are fewer. The bound is an id, so that no plan of the database
    reads more of them; they must have one priority."""
    last = Coalesce(Subquery(slots.values("pk")[FRONT - 1 : FRONT]), Value(2**62, output_field=BigIntegerField()))
    return slots.filter(pk__lte=last)


RESERVED = _prepare_first_slot(lambda: reservations.reserved_slots(IntParam("project"), IntParam("annotator")))
READ_BEFORE = _prepare_first_slot(_read_before)
AT_THE_FRONT = _prepare_first_slot(lambda: _first_few(_urgent_slots()))
BEHIND_THE_LAST = _prepare_first_slot(lambda: _first_few(_urgent_slots().filter(pk__gt=IntParam("last_slot"))))
ANYWHERE = _prepare_first_slot(_open_slots)
ANYWHERE_WAITING = _prepare_first_slot(_open_slots, skip_locked=False)


def _prepare_unit(unit: str) -> "Prepared[Slot]":
    """The available slots of one group or source."""
    return Prepared(lambda: _available_slots(_open_slots_in(Q(**{unit: IntParam("unit")}))))


OF_UNIT = {unit: _prepare_unit(unit) for unit in (GROUP, SOURCE)}


def lock_unit(
    project: Project, annotator: AbstractBaseUser, *, last_slot: int | None, has_reservation: bool
) -> list[Slot]:
    """Lock the next unit and return one available slot for each of its samples; [] if nothing is available.

    last_slot: the annotator's newest one. Units that others lock at the moment are passed over; only if nothing else is
    left they are waited for. Raises Overtaken if somebody else took the unit just before the lock.
    """
    params = {"project": project.pk, "annotator": annotator.pk, "last_slot": last_slot or 0}
    unit = SOURCE if project.claim_unit == Project.ClaimUnit.SOURCE else GROUP
    everywhere = (ANYWHERE, ANYWHERE_WAITING)
    queries = (READ_BEFORE, AT_THE_FRONT, BEHIND_THE_LAST, *everywhere) if last_slot else (AT_THE_FRONT, *everywhere)
    for query in (RESERVED, *queries) if has_reservation else queries:
        slot = query[unit].first(**params)
        if slot is not None:
            return _slots_of_unit(project, params, unit, slot)
    return []


def _slots_of_unit(project: Project, params: dict[str, int], unit: str, first: Slot) -> list[Slot]:
    """The slots of the locked unit, read again: what the search saw may be older than the lock."""
    available = OF_UNIT[unit].rows(**params, unit=first.document_id if unit == SOURCE else first.group_id)
    if project.claim_unit == Project.ClaimUnit.SAMPLE:
        available = [slot for slot in available if slot.pk == first.pk]
    if not available:
        raise Overtaken
    return _one_slot_per_sample(available, preferred_number=first.number)


def _one_slot_per_sample(available: list[Slot], *, preferred_number: int) -> list[Slot]:
    best: dict[tuple[str, int], Slot] = {}
    for slot in available:
        key = _sample_key(slot.sample_id, slot.group_id)
        if key not in best or (slot.number == preferred_number and best[key].number != preferred_number):
            best[key] = slot
    return list(best.values())


def _sample_key(sample_id: int | None, group_id: int) -> tuple[str, int]:
    return ("group", group_id) if sample_id is None else ("sample", sample_id)

"""The next task of an annotator: exactly N attempts per sample, nobody twice, one unit at a time.

Looking for a free slot only picks; conditional updates and the unique keys decide. Every look reads a bounded number
of rows, so that the next task costs the same in a large project: first the sources this annotator read last, then the
front of the queue, then what follows the annotator's newest slot, and only when all that is empty the whole queue.
"""

import functools
import uuid
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import BigIntegerField, Case, Exists, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import (
    Assignment,
    AssignmentState,
    Claim,
    Project,
    Slot,
    SlotState,
    SourceDocument,
)
from annotation.services import active_time, gate, leases, participation, pilot, reserving, work
from annotation.services.assistance import assistance_of
from annotation.services.prepared import Given, Prepared, PreparedInsert, PreparedUpdate, span, whole
from annotation.services.retrying import Overtaken, retried
from annotation.transactions import write

# Attempts of one claim: (primary key, public id, state), oldest first.
Unit = list[tuple[int, uuid.UUID, str]]
# A lease that began this long ago is not begun afresh by asking for the task again.
JUST_NOW = timedelta(seconds=30)
SOURCES_REMEMBERED = 8
FRONT = 64


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """`reason`, when there is no assignment: done (everything is filled), all_yours (what is left you have had),
    leased (others hold what is left; ask again later), gate (the guideline in force is not confirmed), frozen (staff
    stopped the project for now; what is held can be finished), paused or quota (no more for this person; see
    annotation.services.participation), or one of pilot.REASONS.
    `fresh`: claimed just now, not held before."""

    assignment: Assignment | None
    reason: str = ""
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Past:
    """What one look at an annotator's claims tells. `guideline`: the version confirmed; None: the gate is closed.
    `qualified`: for ordinary tasks, where the project asks for a pilot. `paused`, `limited`: by staff. `reserved`: a
    place is kept for this person."""

    open_claim: int | None
    just_leased: bool
    last_slot: int | None
    given_back: bool
    guideline: int | None
    qualified: bool = False
    paused: bool = False
    limited: bool = False
    reserved: bool = False


def _past_of_one() -> QuerySet[Any, Any]:
    claims = Claim.objects.filter(project=whole("project"), annotator=whole("annotator"))
    held = claims.filter(closed_at=None, parked=False)
    own = Assignment.objects.filter(project=whole("project"), annotator=whole("annotator"))
    given_back = own.filter(state__in=[AssignmentState.EXPIRED, AssignmentState.RELEASED])
    return (
        Project.objects.filter(pk=whole("project"))
        .annotate(
            open_claim=Subquery(held.values("pk")[:1]),
            just_leased=Exists(held.filter(lease_until__gt=leases.lease_end(span("almost")))),
            last_slot=Subquery(own.order_by("-pk").values("slot_id")[:1]),
            given_back=Exists(given_back),
            guideline=Subquery(gate.passed(whole("project"), whole("annotator")).values("pk")[:1]),
            qualified=Exists(pilot.qualified(whole("project"), whole("annotator"))),
            paused=participation.paused(whole("project"), whole("annotator")),
            limited=participation.limited(whole("project"), whole("annotator")),
            reserved=reserving.any_for(whole("project"), whole("annotator")),
        )
        .values_list(*(field.name for field in fields(Past)))
    )


def _not_had(slots: QuerySet[Slot], annotator: int | Given) -> QuerySet[Slot]:
    """Slots of samples (or of choosing tasks) this annotator never had. A value per slot, not an EXISTS: the database
    then looks each up by the unique key, and cannot decide to join with all that the annotator ever did."""
    own = Assignment.objects.filter(annotator=annotator)
    written = own.filter(sample_id=OuterRef("sample_id")).values("pk")[:1]
    chosen = own.filter(sample__isnull=True, group_id=OuterRef("group_id")).values("pk")[:1]
    return slots.alias(had=Case(When(sample__isnull=False, then=Subquery(written)), default=Subquery(chosen))).filter(
        had__isnull=True
    )


def _open_slots() -> QuerySet[Slot]:
    """Open slots, first come first. The project as a range and in the order leaves the database only the index of open
    slots to follow; by the primary key it would read past everything that is filled already."""
    one = Slot.objects.filter(project__gte=whole("project"), project__lte=whole("project"))
    return one.filter(state="open").order_by("project_id", "pk")


def _free(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """Those one annotator never had and that are kept for nobody else."""
    kept = reserving.for_others(whole("annotator")).values("pk")[:1]
    free = _not_had(slots, whole("annotator")).alias(kept=Subquery(kept)).filter(kept__isnull=True)
    return free.only("pk", "number", "sample_id", "group_id", "document_id")


def _look(slots: Callable[[], QuerySet[Slot]], *, skip_locked: bool = True) -> "Prepared[Slot]":
    """A look that locks the first free slot of a sound source, one nobody else is taking at this moment."""
    damaged = SourceDocument.everything.filter(pk=OuterRef("document_id")).values("damaged")
    return Prepared(
        lambda: (
            _free(slots())
            .alias(is_damaged=Subquery(damaged[:1]))
            .filter(is_damaged=False)
            .select_for_update(skip_locked=skip_locked, of=("self",), no_key=True)[:1]
        )
    )


def _last_sources() -> QuerySet[Claim, Any]:
    claims = Claim.objects.filter(project=whole("project"), annotator=whole("annotator"))
    return claims.order_by("-pk").values("document_id")[:SOURCES_REMEMBERED]


def _slots(scope: Q) -> QuerySet[Slot]:
    """Open slots of a group or of sources: without naming the project, whose index would be the longer way."""
    return Slot.objects.filter(scope, state="open").order_by("pk")


def _rest(scope: Q) -> "Prepared[Slot]":
    """What is free in a unit, locked: more than is taken, for a few milliseconds. Nobody waits for another's slot while
    holding one, so that no two people stand in each other's way; who comes in between goes on to the next unit."""
    return Prepared(lambda: _free(_slots(scope)).select_for_update(skip_locked=True, of=("self",), no_key=True))


def _end_of_front() -> Coalesce:
    """The id of the last slot of the front; where fewer are open, all of them are the front."""
    last = Subquery(_open_slots().values("pk")[FRONT - 1 : FRONT])
    return Coalesce(last, Value(2**62, output_field=BigIntegerField()))


PAST: Prepared[Any] = Prepared(_past_of_one)
RESERVED = _look(lambda: reserving.kept_for(whole("project"), whole("annotator")))
READ_BEFORE = _look(lambda: _slots(Q(document_id__in=_last_sources())))
AT_THE_FRONT = _look(lambda: _open_slots().filter(pk__lte=_end_of_front()))
BEHIND_THE_LAST = _look(lambda: _slots(Q(project=whole("project"), pk__gt=whole("last_slot"))))
ANYWHERE = _look(_open_slots, skip_locked=False)
NEW_CLAIM = PreparedInsert(Claim, lease_until=lambda: leases.lease_end(span("lease0")))
NEW_ATTEMPTS = PreparedInsert(Assignment)
IN_GROUP = _rest(Q(group=whole("group")))
IN_SOURCE = _rest(Q(document=whole("document")))


def claim_next(*, project: Project, annotator: AbstractBaseUser) -> ClaimResult:
    """The annotator's live task, else the one that ran out and is still free, else a new one, leased with its unit.

    The caller has made sure that the person is an annotator of the project. Conflict only when many tries in a row
    were overtaken.
    """
    if project.archived_at is not None:
        return ClaimResult(None, "done")
    try:
        claim_id, unit = _claim(project, annotator)
    except gate.Closed:
        return ClaimResult(None, "gate")
    except participation.NoRoom as refused:
        return ClaimResult(None, refused.reason)
    except pilot.NotQualified:
        return _claim_in_pilot(project, annotator)
    if claim_id is None:
        return ClaimResult(None, "frozen" if project.frozen_at else _why_nothing(project, annotator))
    held = work.FIRST_OF_CLAIM.first(claim=claim_id)
    if held is None:  # finished in another tab in this very moment
        leases.close_if_empty(claim_id)
        return claim_next(project=project, annotator=annotator)
    if unit:
        held.unit = unit  # type: ignore[attr-defined]  # told now, so that describing it needs no query
    return ClaimResult(held, fresh=bool(unit))


def _claim_in_pilot(project: Project, annotator: AbstractBaseUser) -> ClaimResult:
    """A pilot task; without one left, why there is no other."""
    room, reason = pilot.next_in_pilot(project, annotator)
    if room is None:
        return ClaimResult(None, reason)
    found = claim_next(project=room, annotator=annotator)
    return found if found.assignment is not None else ClaimResult(None, pilot.why_nothing(room))


@retried(6, unique_keys=True)
def _claim(project: Project, annotator: AbstractBaseUser) -> tuple[int | None, Unit]:
    """The id of the claim that is now open, None when there is nothing; and the attempts of a new one."""
    past = _past(project, annotator)
    if past.open_claim is not None and past.just_leased:
        return past.open_claim, []
    if past.open_claim is None and project.frozen_at is not None:
        return None, []
    if past.open_claim is None and past.paused:
        raise participation.NoRoom(participation.PAUSED)
    if past.open_claim is None and past.guideline is None:  # what is held already may be finished
        raise gate.closed(project)
    if past.open_claim is None and project.needs_pilot and not past.qualified:
        raise pilot.NotQualified
    with write():
        if past.open_claim is not None:
            if not leases.extend(claim_id=past.open_claim, minutes=project.lease_minutes):
                raise Overtaken  # submitted or swept since
            return past.open_claim, []
        room = participation.room_for(project, annotator) if past.limited else FRONT
        if past.given_back:
            back = _take_up(project, annotator, AssignmentState.EXPIRED, past.guideline, room)
            if back is not None:
                return back, []
        picked = _pick(project, annotator, past)
        if picked is not None:
            slots = [picked, *_rest_of_unit(project, annotator, picked)]
            if past.limited:
                slots = slots[:room]
            return _open(project, annotator, slots, past.guideline)
        if past.given_back:
            # Given back by this person and wanted by nobody else: better than a place that nobody can fill.
            return _take_up(project, annotator, AssignmentState.RELEASED, past.guideline, room), []
    return None, []


def _past(project: Project, annotator: AbstractBaseUser) -> Past:
    almost = timedelta(minutes=project.lease_minutes) - JUST_NOW
    found = PAST.first(project=project.pk, annotator=annotator.pk, almost=almost)
    return Past(*found) if found is not None else Past(None, False, None, False, None)


def _pick(project: Project, annotator: AbstractBaseUser, past: Past) -> Slot | None:
    """One free slot, locked by itself. Only the last look waits for slots that others are taking at this moment."""
    given = {"project": project.pk, "annotator": annotator.pk, "last_slot": past.last_slot or 0}
    looks = (READ_BEFORE, AT_THE_FRONT, BEHIND_THE_LAST, ANYWHERE) if past.last_slot else (AT_THE_FRONT, ANYWHERE)
    for look in (RESERVED, *looks) if past.reserved else looks:
        found = look.first(**given)
        if found is not None:
            return found
    return None


def _rest_of_unit(project: Project, annotator: AbstractBaseUser, picked: Slot) -> list[Slot]:
    """One free slot for each other sample of the group or source."""
    given = {"project": project.pk, "annotator": annotator.pk}
    if project.claim_unit == Project.ClaimUnit.GROUP:
        return _one_each(IN_GROUP.rows(**given, group=picked.group_id), picked)
    if project.claim_unit == Project.ClaimUnit.SOURCE:
        return _one_each(IN_SOURCE.rows(**given, document=picked.document_id), picked)
    return []


def _one_each(free: list[Slot], picked: Slot) -> list[Slot]:
    """One slot per sample, with the picked one's number where it is free."""
    best: dict[tuple[str, int], Slot] = {}
    for slot in free:
        key = _key(slot.sample_id, slot.group_id)
        if key not in best or (slot.number == picked.number and best[key].number != picked.number):
            best[key] = slot
    best.pop(_key(picked.sample_id, picked.group_id), None)
    return list(best.values())


def _key(sample_id: int | None, group_id: int) -> tuple[str, int]:
    return ("group", group_id) if sample_id is None else ("sample", sample_id)


def _take(slot_ids: list[int]) -> None:
    """Make open slots taken, all or none."""
    taken = _taking(len(slot_ids)).run(**{f"slot{i}": slot_id for i, slot_id in enumerate(slot_ids)})
    if taken != len(slot_ids):
        raise Overtaken


@functools.cache
def _taking(count: int) -> PreparedUpdate:
    slots: list[Any] = [whole(f"slot{i}") for i in range(count)]
    return PreparedUpdate(lambda: (Slot.objects.filter(pk__in=slots, state="open"), {"state": "taken"}))


def _new_claim(
    project: Project, annotator: AbstractBaseUser, document_id: int, activity: dict[str, Any] | None = None
) -> int:
    return NEW_CLAIM.one(
        public_id=uuid.uuid4(),
        project_id=project.pk,
        annotator_id=annotator.pk,
        document_id=document_id,
        opened_at=timezone.now(),
        lease=timedelta(minutes=project.lease_minutes),
        closed_at=None,
        parked=False,
        activity=activity or {},
    )


def _open(project: Project, annotator: AbstractBaseUser, slots: list[Slot], guideline: int | None) -> tuple[int, Unit]:
    """Take the slots and make one attempt for each, all under one claim. They are of one source."""
    _take([slot.pk for slot in slots])
    claim_id = _new_claim(project, annotator, slots[0].document_id)
    assistance = assistance_of(project, slots[0].document_id)
    now = timezone.now()
    rows = [
        {
            "public_id": uuid.uuid4(),
            "project_id": project.pk,
            "claim_id": claim_id,
            "slot_id": slot.pk,
            "sample_id": slot.sample_id,
            "group_id": slot.group_id,
            "annotator_id": annotator.pk,
            "state": AssignmentState.CLAIMED.value,
            "guideline_version_id": guideline,
            "assistance": assistance,
            "claimed_at": now,
            "finished_at": None,
            "skip_reason": "",
            "skip_note": "",
        }
        for slot in sorted(slots, key=lambda slot: slot.pk)
    ]
    keys = NEW_ATTEMPTS.run(rows)
    return claim_id, [(key, row["public_id"], row["state"]) for key, row in zip(keys, rows, strict=True)]


def _take_up(
    project: Project, annotator: AbstractBaseUser, state: AssignmentState, guideline: int | None, most: int
) -> int | None:
    """Claim again what this annotator let go of, with its texts, where a slot of the sample is still open: to be
    finished under the guideline this person has confirmed by now. most: as many as the person may still take."""
    free = Slot.objects.filter(~Exists(reserving.for_others(annotator.pk)), state=SlotState.OPEN)
    still_open = free.filter(group_id=OuterRef("group_id")).filter(
        Q(sample_id=OuterRef("sample_id")) | Q(sample__isnull=True, pk=OuterRef("slot_id"))
    )
    attempts = list(
        Assignment.objects.select_for_update(of=("self",), no_key=True)
        .filter(Exists(still_open), project=project, annotator_id=annotator.pk, state=state)
        .order_by("-pk")[:FRONT]
    )
    attempts = sorted((one for one in attempts if one.claim_id == attempts[0].claim_id), key=lambda one: one.pk)
    attempts = attempts[:most]
    if not attempts:
        return None
    slots = free.filter(
        Q(sample_id__in=[one.sample_id for one in attempts if one.sample_id is not None])
        | Q(pk__in=[one.slot_id for one in attempts])
    )
    chosen: dict[int, Slot] = {}
    for attempt in attempts:
        fitting = [s for s in slots if (s.sample_id, s.group_id) == (attempt.sample_id, attempt.group_id)]
        if not fitting:
            raise Overtaken
        chosen[attempt.pk] = min(fitting, key=lambda s: (s.pk != attempt.slot_id, s.pk))
    _take([slot.pk for slot in chosen.values()])
    before = Claim.objects.filter(pk=attempts[0].claim_id).values_list("activity", flat=True)
    activity = active_time.carried(before, [one.pk for one in attempts])
    claim_id = _new_claim(project, annotator, next(iter(chosen.values())).document_id, activity)
    for attempt in attempts:
        Assignment.objects.filter(pk=attempt.pk).update(
            state=AssignmentState.CLAIMED,
            claim_id=claim_id,
            slot=chosen[attempt.pk],
            guideline_version_id=guideline,
            finished_at=None,
        )
    return claim_id


def _why_nothing(project: Project, annotator: AbstractBaseUser) -> str:
    """done | all_yours | leased, after a look that found nothing."""
    unfilled = Slot.objects.filter(project=project, state__in=[SlotState.OPEN, SlotState.TAKEN, SlotState.WAITING])
    elsewhere = ~Q(state=SlotState.OPEN) | Exists(reserving.for_others(annotator.pk))
    if _not_had(unfilled.filter(elsewhere), annotator.pk).exists():
        return "leased"
    return "all_yours" if unfilled.exists() else "done"

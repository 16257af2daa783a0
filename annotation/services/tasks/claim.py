"""Claims the next task of an annotator: exactly N attempts per sample, nobody twice, one unit at a time.

The search for an open slot (slot_search) only selects; conditional updates and unique keys decide.

Differs from ratings (evaluation.services.rating.item_slots): slots have no planned order, a claim can hold a whole
group or source, and who may claim depends on guideline, pilot, quota and reservations.
"""

import uuid
from dataclasses import dataclass, field, fields
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from annotation.claiming import lease_end, lock_rows
from annotation.models import Assignment, AssignmentState, Claim, Group, Project, Slot, SlotState
from annotation.services.core.prepared_queries import DurationParam, IntParam, Prepared, PreparedInsert, pipeline
from annotation.services.core.retry import Overtaken, retry_on_contention
from annotation.services.core.slot_claims import check_taken, send_taken, take_slots
from annotation.services.guidelines import gate
from annotation.services.people import consent, quotas
from annotation.services.tasks import (
    active_time,
    assignments,
    leases,
    pilot_gate,
    practice_gate,
    reservations,
    suggestions,
)
from annotation.services.tasks.assistance import assistance_by_document_id
from annotation.services.tasks.slot_search import FRONT, chosen_or_not_held, exclude_assigned, lock_unit
from annotation.services.tasks.task_payload import UnitAttempt
from annotation.transactions import write_transaction

# Attempts of one claim, oldest first.
Unit = list[UnitAttempt]
# A lease younger than this is not extended when the task is requested again.
JUST_NOW = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class ClaimResult:
    """`reason`, if there is no assignment: done (everything is filled), all_yours (this annotator already had all
    remaining samples), leased (the rest is leased to others; retry later), gate (the current guideline is not
    confirmed), frozen (staff stopped new claims; claimed tasks can be finished), paused or quota (no more tasks for
    this person; see annotation.services.people.quotas), consent (to be agreed to first), in_practice (the practice is
    not passed), or one of pilot.REASONS.
    `unit`: the attempts of a new claim, so that describing the task needs no query; empty for an open claim."""

    assignment: Assignment | None
    reason: str = ""
    unit: Unit = field(default_factory=list)

    @property
    def fresh(self) -> bool:
        """Newly claimed, not an open claim."""
        return bool(self.unit)


@dataclass(frozen=True, slots=True)
class ClaimHistory:
    """State of an annotator in a project, from one query. `guideline`: the confirmed version; None: the gate is closed.
    `qualified`: for ordinary tasks, if the project requires a pilot. `paused`, `limited`: by staff. `reserved`: a
    slot is reserved for this person. `consent_due`: a consent version must be agreed to first. `practice_due`:
    the practice must be passed first."""

    open_claim: int | None
    just_leased: bool
    last_slot: int | None
    given_back: bool
    guideline: int | None
    qualified: bool = False
    paused: bool = False
    limited: bool = False
    reserved: bool = False
    consent_due: bool = False
    practice_due: bool = False


def _history_query() -> QuerySet[Any, Any]:
    claims = Claim.objects.filter(project=IntParam("project"), annotator=IntParam("annotator"))
    open_claims = claims.filter(closed_at=None, parked=False)
    attempts = Assignment.objects.filter(project=IntParam("project"), annotator=IntParam("annotator"))
    given_back = attempts.filter(state__in=AssignmentState.LATE)
    return (
        Project.objects.filter(pk=IntParam("project"))
        .annotate(
            open_claim=Subquery(open_claims.values("pk")[:1]),
            just_leased=Exists(open_claims.filter(lease_until__gt=lease_end(DurationParam("almost")))),
            last_slot=Subquery(attempts.order_by("-pk").values("slot_id")[:1]),
            given_back=Exists(given_back),
            guideline=Subquery(gate.passed_versions(IntParam("project"), IntParam("annotator")).values("pk")[:1]),
            qualified=Exists(pilot_gate.qualified_candidates(IntParam("project"), IntParam("annotator"))),
            paused=quotas.is_paused(IntParam("project"), IntParam("annotator")),
            limited=quotas.is_limited(IntParam("project"), IntParam("annotator")),
            reserved=reservations.has_reserved_slot(IntParam("project"), IntParam("annotator")),
            consent_due=consent.is_due(IntParam("project"), IntParam("annotator")),
            practice_due=practice_gate.is_due(IntParam("project"), IntParam("annotator")),
        )
        .values_list(*(column.name for column in fields(ClaimHistory)))
    )


CLAIM_HISTORY: Prepared[Any] = Prepared(_history_query)
NEW_CLAIM = PreparedInsert(Claim, lease_until=lambda: lease_end(DurationParam("lease0")))
NEW_ATTEMPTS = PreparedInsert(Assignment)


def claim_next(*, project: Project, annotator: AbstractBaseUser) -> ClaimResult:
    """The annotator's open task, else an expired one that is still available, else a new one, leased with its unit.

    The caller has checked that the user is an annotator of the project. Raises Conflict only after many retries.
    """
    if project.archived_at is not None:
        return ClaimResult(None, "done")
    try:
        claim_id, unit = _claim_or_extend(project, annotator)
    except gate.Closed:
        return ClaimResult(None, "gate")
    except quotas.NoRoom as refused:
        return ClaimResult(None, refused.reason)
    except pilot_gate.NotQualified:
        return _claim_in_pilot(project, annotator)
    if claim_id is None:
        return ClaimResult(None, "frozen" if project.frozen_at else _why_no_task(project, annotator))
    assignment = assignments.FIRST_OF_CLAIM.first(claim=claim_id)
    if assignment is None:  # finished in another tab meanwhile
        leases.close_if_empty(claim_id)
        return claim_next(project=project, annotator=annotator)
    return ClaimResult(assignment, unit=unit)


def _claim_in_pilot(project: Project, annotator: AbstractBaseUser) -> ClaimResult:
    """A pilot task, or the reason why there is none."""
    pilot_project, reason = pilot_gate.next_in_pilot(project, annotator)
    if pilot_project is None:
        return ClaimResult(None, reason)
    result = claim_next(project=pilot_project, annotator=annotator)
    return result if result.assignment is not None else ClaimResult(None, pilot_gate.why_no_task(pilot_project))


@retry_on_contention(6, unique_keys=True)
def _claim_or_extend(project: Project, annotator: AbstractBaseUser) -> tuple[int | None, Unit]:
    """The id of the open claim (None without a task), and the attempts of a new claim."""
    history = _load_history(project, annotator)
    if history.open_claim is not None and history.just_leased:
        return history.open_claim, []
    if history.open_claim is None and project.frozen_at is not None:
        return None, []
    if history.open_claim is None and history.paused:
        raise quotas.NoRoom(quotas.PAUSED)
    if history.open_claim is None and history.consent_due:
        raise quotas.NoRoom(consent.CONSENT)
    if history.open_claim is None and history.guideline is None:  # claimed tasks may be finished
        raise gate.closed_error(project)
    if history.open_claim is None and history.practice_due:
        raise quotas.NoRoom(practice_gate.IN_PRACTICE)
    if history.open_claim is None and project.needs_pilot and not history.qualified:
        raise pilot_gate.NotQualified
    with write_transaction():
        if history.open_claim is not None:
            if not leases.extend_lease(claim_id=history.open_claim, minutes=project.lease_minutes):
                raise Overtaken  # submitted or expired meanwhile
            return history.open_claim, []
        limit = quotas.remaining_tasks(project, annotator) if history.limited else FRONT
        if history.given_back:
            reclaimed_id = _reclaim_attempts(project, annotator, AssignmentState.EXPIRED, history.guideline, limit)
            if reclaimed_id is not None:
                return reclaimed_id, []
        slots = lock_unit(project, annotator, last_slot=history.last_slot, has_reservation=history.reserved)
        if slots:
            if history.limited:
                slots = slots[:limit]
            return _create_claim(project, annotator, slots, history.guideline)
        if history.given_back:
            # Released by this person and available to nobody else: better than a slot that nobody can fill.
            return _reclaim_attempts(project, annotator, AssignmentState.RELEASED, history.guideline, limit), []
    return None, []


def _load_history(project: Project, annotator: AbstractBaseUser) -> ClaimHistory:
    almost = timedelta(minutes=project.lease_minutes) - JUST_NOW
    row = CLAIM_HISTORY.first(project=project.pk, annotator=annotator.pk, almost=almost)
    return ClaimHistory(*row) if row is not None else ClaimHistory(None, False, None, False, None)


def _insert_claim(
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


def _create_claim(
    project: Project, annotator: AbstractBaseUser, slots: list[Slot], guideline: int | None
) -> tuple[int, Unit]:
    """Mark the slots as taken and create one attempt for each under one claim. All slots belong to one source."""
    slot_ids = [slot.pk for slot in slots]
    with pipeline():
        update = send_taken(Slot, slot_ids)
        claim_id = _insert_claim(project, annotator, slots[0].document_id)
    check_taken(update, slot_ids)
    assistance = assistance_by_document_id(project, slots[0].document_id)
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
    if assistance == Project.Assistance.SUGGESTED:
        samples = {key: row["sample_id"] for key, row in zip(keys, rows, strict=True) if row["sample_id"] is not None}
        suggestions.freeze_suggestions(project=project, sample_by_attempt=samples, now=now)
    return claim_id, [UnitAttempt(key, row["public_id"], row["state"]) for key, row in zip(keys, rows, strict=True)]


def _reclaim_attempts(
    project: Project, annotator: AbstractBaseUser, state: AssignmentState, guideline: int | None, limit: int
) -> int | None:
    """Reclaim this annotator's expired or released attempts with their texts, if a slot of the sample is still open;
    they get the guideline the annotator has confirmed. limit: how many tasks the annotator may still claim."""
    not_reserved = ~Exists(reservations.reserved_for_others(annotator.pk))
    open_slots = Slot.objects.filter(not_reserved, chosen_or_not_held(annotator.pk), state=SlotState.OPEN)
    still_open = open_slots.filter(group_id=OuterRef("group_id")).filter(
        Q(sample_id=OuterRef("sample_id")) | Q(sample__isnull=True, pk=OuterRef("slot_id"))
    )
    attempts = list(
        lock_rows(
            Assignment.objects.filter(Exists(still_open), project=project, annotator_id=annotator.pk, state=state),
            skip_locked=False,
        ).order_by("-pk")[:FRONT]
    )
    attempts = sorted((row for row in attempts if row.claim_id == attempts[0].claim_id), key=lambda row: row.pk)
    attempts = attempts[:limit]
    if not attempts:
        return None
    list(
        lock_rows(Group.objects.filter(pk__in={row.group_id for row in attempts}), skip_locked=False).values_list("pk")
    )
    slots = open_slots.filter(
        Q(sample_id__in=[row.sample_id for row in attempts if row.sample_id is not None])
        | Q(pk__in=[row.slot_id for row in attempts])
    )
    chosen: dict[int, Slot] = {}
    for attempt in attempts:
        fitting = [s for s in slots if (s.sample_id, s.group_id) == (attempt.sample_id, attempt.group_id)]
        if not fitting:
            raise Overtaken
        chosen[attempt.pk] = min(fitting, key=lambda s: (s.pk != attempt.slot_id, s.pk))
    take_slots(Slot, [slot.pk for slot in chosen.values()])
    activities = Claim.objects.filter(pk=attempts[0].claim_id).values_list("activity", flat=True)
    activity = active_time.carry_over_activity(activities, [row.pk for row in attempts])
    claim_id = _insert_claim(project, annotator, next(iter(chosen.values())).document_id, activity)
    for attempt in attempts:
        Assignment.objects.filter(pk=attempt.pk).update(
            state=AssignmentState.CLAIMED,
            claim_id=claim_id,
            slot=chosen[attempt.pk],
            guideline_version_id=guideline,
            finished_at=None,
        )
    return claim_id


def _why_no_task(project: Project, annotator: AbstractBaseUser) -> str:
    """done | all_yours | leased, after no slot was found."""
    unfilled = Slot.objects.filter(project=project, state__in=SlotState.UNFILLED)
    elsewhere = ~Q(state=SlotState.OPEN) | Exists(reservations.reserved_for_others(annotator.pk))
    if exclude_assigned(unfilled.filter(elsewhere), annotator.pk).exists():
        return "leased"
    return "all_yours" if unfilled.exists() else "done"

"""The pilot for candidates: who may claim ordinary tasks, who gets pilot tasks, and their progress.

A pilot is a project of its own (`Project.pilot_of`) with copies of the samples chosen for it. Claims, leases, drafts
and submissions work as for every other task; each sample has a slot for every candidate.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.models import (
    Assignment,
    AssignmentState,
    AuditVerb,
    PilotCandidate,
    PilotSample,
    PilotState,
    Project,
    Slot,
    SlotState,
)
from annotation.services.core import audit
from annotation.services.core.prepared_queries import Param
from annotation.services.core.retry import retry_on_contention
from annotation.transactions import write_transaction

SYNCED = ("name", "language", "timezone", "assistance", "lease_minutes")
"""Settings that a pilot copies from its project whenever a candidate requests a task."""
DONE = (
    AssignmentState.SUBMITTED,
    AssignmentState.ACCEPTED,
    AssignmentState.REJECTED,
    AssignmentState.SURPLUS,
    AssignmentState.SKIPPED,
)
NOT_READY, REJECTED, WAITING = "pilot_not_ready", "pilot_rejected", "pilot_waiting"
REASONS = (NOT_READY, REJECTED, WAITING)
"""Reasons why a candidate gets no task."""


class NotQualified(Exception):
    """The annotator must complete the pilot before ordinary tasks."""


def qualified_candidates(project: int | Param, user: int | Param) -> QuerySet[PilotCandidate]:
    """Has a row if this user may claim ordinary tasks of a project that requires a pilot."""
    return PilotCandidate.objects.filter(project=project, user=user, verdict="qualified")


def pilot_of(project: Project) -> Project | None:
    """The project's open pilot, if any."""
    return Project.objects.filter(pilot_of=project, archived_at=None).first()


def next_in_pilot(project: Project, annotator: AbstractBaseUser) -> tuple[Project | None, str]:
    """(the pilot to claim in, "") or (None, reason), for an annotator who may not claim ordinary tasks.

    The first request for a task makes the annotator a candidate. One or two queries, and a write for a new candidate.
    """
    rows = PilotCandidate.objects.select_related("pilot").filter(project=project, user_id=annotator.pk)
    candidate = rows.first() or _join_pilot(project, annotator)
    if candidate is None:
        return None, NOT_READY
    if candidate.verdict == PilotCandidate.Verdict.REJECTED:
        return None, REJECTED
    _sync_settings(project, candidate.pilot)
    return candidate.pilot, ""


def _join_pilot(project: Project, annotator: AbstractBaseUser) -> PilotCandidate | None:
    pilot = pilot_of(project)
    if pilot is None or not PilotSample.objects.filter(pilot=pilot).exists():
        return None
    return admit_candidate(pilot=pilot, user=annotator.pk, by=None)


def why_no_task(pilot: Project) -> str:
    """Why a pilot has no task for a candidate: all is answered, or it was started over and has no samples yet."""
    return WAITING if PilotSample.objects.filter(pilot=pilot).exists() else NOT_READY


def _sync_settings(project: Project, pilot: Project) -> None:
    changed = [name for name in SYNCED if getattr(pilot, name) != getattr(project, name)]
    for name in changed:
        setattr(pilot, name, getattr(project, name))
    if changed:
        with write_transaction():
            pilot.save(update_fields=changed)


@retry_on_contention(unique_keys=True)
def admit_candidate(*, pilot: Project, user: int, by: AbstractBaseUser | None) -> PilotCandidate:
    """Make a user a candidate, with a slot in every sample of the pilot. Idempotent."""
    with write_transaction():
        lock_pilot(pilot)
        candidate, created = PilotCandidate.objects.select_related("pilot").get_or_create(
            project=pilot.pilot_of,
            user_id=user,
            defaults={"pilot": pilot, "invited_by_id": by.pk if by else None, "invited_at": timezone.now()},
        )
        if created:
            add_places(pilot, PilotSample.objects.filter(pilot=pilot))
            audit.record_event(project=pilot.pilot_of, actor=by, verb=AuditVerb.PILOT_INVITE, target=f"user:{user}")
    return candidate


def lock_pilot(pilot: Project) -> None:
    """Lock the pilot inside a transaction, so that nobody else adds candidates or samples concurrently."""
    list(Project.objects.select_for_update(no_key=True).filter(pk=pilot.pk).values_list("pk"))


def add_places(pilot: Project, rows: Iterable[PilotSample], n: int = 1) -> None:
    """Add n open slots to each of the samples. The pilot must be locked (`lock_pilot`)."""
    slots = []
    for row in PilotSample.objects.filter(pk__in=[pilot_sample.pk for pilot_sample in rows]).select_related("sample"):
        last: int = Slot.objects.filter(sample=row.sample).aggregate(last=Max("number"))["last"] or 0
        slots += [
            Slot(
                project=pilot,
                document_id=row.sample.document_id,
                group_id=row.sample.group_id,
                sample=row.sample,
                number=last + 1 + i,
                state=SlotState.OPEN,
            )
            for i in range(n)
        ]
    Slot.objects.bulk_create(slots)


def state_of(candidate: PilotCandidate, n_answered: int, begun: int, total: int) -> PilotState:
    """n_answered: samples submitted or skipped; begun: attempts of any state; total: samples of the pilot."""
    if candidate.verdict:
        return PilotState(candidate.verdict)
    if total and n_answered >= total:
        return PilotState.SUBMITTED
    return PilotState.IN_PILOT if begun else PilotState.INVITED


@dataclass(frozen=True, slots=True)
class PilotProgress:
    """Pilot progress of one annotator. state: None if they have not requested a task yet and were not invited.
    tasks: their attempts in the pilot, oldest first."""

    state: PilotState | None
    done: int = 0
    total: int = 0
    reason: str = ""
    tasks: list[Assignment] = field(default_factory=list)

    @property
    def held(self) -> list[Assignment]:
        return [task for task in self.tasks if task.state == AssignmentState.CLAIMED]


def pilot_progress(project: Project, user: AbstractBaseUser) -> PilotProgress | None:
    """Pilot progress of a user; None if the project requires no pilot and the user wrote none. Two or four queries."""
    candidate = PilotCandidate.objects.select_related("pilot").filter(project=project, user_id=user.pk).first()
    if candidate is None:
        if not project.needs_pilot:
            return None
        pilot = pilot_of(project)
        return PilotProgress(None, total=PilotSample.objects.filter(pilot=pilot).count() if pilot else 0)
    total = PilotSample.objects.filter(pilot=candidate.pilot).count()
    tasks = _load_tasks(candidate)
    n_answered = sum(task.state in DONE for task in tasks)
    if not project.needs_pilot and not tasks:
        return None
    return PilotProgress(state_of(candidate, n_answered, len(tasks), total), n_answered, total, candidate.reason, tasks)


def _load_tasks(candidate: PilotCandidate) -> list[Assignment]:
    rows: Any = Assignment.objects.filter(project_id=candidate.pilot_id, annotator_id=candidate.user_id)
    joined = rows.select_related("group__document", "sample", "draft", "claim")
    return list(joined.defer("group__document__metadata_json").order_by("pk"))

"""Pilot candidates: invitations, progress, and the decision about each, which can be revoked."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import PayloadRefused
from annotation.kinds.checks import is_blank, normalize_text
from annotation.models import (
    Assignment,
    AssignmentState,
    AuditVerb,
    Claim,
    Membership,
    PilotCandidate,
    PilotDecision,
    PilotSample,
    PilotState,
    Project,
)
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.tasks import leases, pilot_gate, task_context
from annotation.transactions import write_transaction

MAX_REASON = 4000
STATE_AFTER_VERDICT = {
    PilotCandidate.Verdict.QUALIFIED: AssignmentState.ACCEPTED,
    PilotCandidate.Verdict.REJECTED: AssignmentState.REJECTED,
}
WRITTEN_STATES = (AssignmentState.SUBMITTED, AssignmentState.RETURNED)


@dataclass(frozen=True, slots=True)
class CandidateProgress:
    """Progress of one candidate. done: samples submitted or skipped, out of `total`."""

    candidate: PilotCandidate
    state: PilotState
    done: int
    skipped: int
    total: int


def list_candidates(project: Project, state: str = "") -> list[CandidateProgress]:
    """Candidates of the project by user name, optionally only those in one state. Three queries."""
    pilot_candidates = list(
        PilotCandidate.objects.filter(project=project)
        .select_related("user", "decided_by", "pilot")
        .order_by("user__username", "pk")
    )
    pilot_ids = {candidate.pilot_id for candidate in pilot_candidates}
    totals = dict(PilotSample.objects.filter(pilot__in=pilot_ids).values_list("pilot").annotate(n=Count("pk")))
    attempts = Assignment.objects.filter(project__in=pilot_ids).order_by().values("project_id", "annotator_id")
    counts_by_candidate = {
        (row["project_id"], row["annotator_id"]): row
        for row in attempts.annotate(
            done=Count("pk", filter=Q(state__in=pilot_gate.DONE)),
            skipped=Count("pk", filter=Q(state=AssignmentState.SKIPPED)),
            begun=Count("pk"),
        )
    }
    rows = []
    for candidate in pilot_candidates:
        counts = counts_by_candidate.get((candidate.pilot_id, candidate.user_id), {"done": 0, "skipped": 0, "begun": 0})
        total = totals.get(candidate.pilot_id, 0)
        rows.append(
            CandidateProgress(
                candidate,
                pilot_gate.state_of(candidate, counts["done"], counts["begun"], total),
                min(counts["done"], total),
                counts["skipped"],
                total,
            )
        )
    return [row for row in rows if not state or row.state == state]


def candidate_progress(candidate: PilotCandidate) -> CandidateProgress:
    return next(row for row in list_candidates(candidate.project) if row.candidate.pk == candidate.pk)


def get_candidate(project: Project, public_id: Any) -> PilotCandidate:
    rows = PilotCandidate.objects.select_related("project", "pilot", "user", "decided_by")
    candidate = rows.filter(project=project, public_id=public_id).first()
    if candidate is None:
        raise NotFound()
    return candidate


def uninvited_annotators(project: Project) -> QuerySet[Membership]:
    """Annotators of the project who are no candidates yet, by name."""
    known = PilotCandidate.objects.filter(project=project).values("user_id")
    rows = Membership.objects.active_annotators().filter(project=project)
    return rows.exclude(user_id__in=known).select_related("user").order_by("user__username")


def invite_annotators(*, project: Project, by: AbstractBaseUser, usernames: Collection[str] | None = None) -> int:
    """Invite annotators to the pilot: the named ones, or all not invited yet. Returns the number of new candidates.

    Raises BadInput for a name that is not an annotator of the project, Conflict when the pilot has no samples.
    """
    pilot_project = pilot_gate.pilot_of(project)
    if pilot_project is None or not PilotSample.objects.filter(pilot=pilot_project).exists():
        raise Conflict(_("Choose the samples of the pilot first."), code="nosamples")
    rows = Membership.objects.active_annotators().filter(project=project)
    if usernames is None:
        user_ids = list(uninvited_annotators(project).values_list("user_id", flat=True))
    else:
        known = dict(rows.filter(user__username__in=usernames).values_list("user__username", "user_id"))
        for name in usernames:
            if name not in known:
                raise BadInput(
                    _("%(name)s is not an annotator in this project.") % {"name": name[:60]}, field="usernames"
                )
        invited = PilotCandidate.objects.filter(project=project).values("user_id")
        user_ids = list(
            rows.filter(user_id__in=known.values()).exclude(user_id__in=invited).values_list("user", flat=True)
        )
    with write_transaction():
        for user_id in user_ids:
            pilot_gate.admit_candidate(pilot=pilot_project, user=user_id, by=by)
    return len(user_ids)


def _check_reason(text: Any) -> str:
    try:
        reason = normalize_text(text, "reason", MAX_REASON)
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    if is_blank(reason):
        raise BadInput(_("Give a reason. The candidate will see it."), field="reason")
    return reason


@retry_on_contention(unique_keys=True)
def decide_candidate(*, candidate: PilotCandidate, verdict: str, reason: Any, by: AbstractBaseUser) -> PilotCandidate:
    """Qualify or reject a candidate, with a reason. The candidate's claimed pilot tasks are released.

    A candidate can be qualified without having written the pilot. Raises BadInput; Conflict (code `decided`) when there
    is a decision already, (code `own`) for a decision about oneself.
    """
    if verdict not in PilotCandidate.Verdict.values:
        raise BadInput(_("Choose qualified or rejected."), field="verdict")
    text = _check_reason(reason)
    _check_not_self(candidate, by)
    with write_transaction():
        locked = _lock_candidate(candidate)
        if locked.verdict:
            raise Conflict(
                _("Already decided: %(state)s. Reverse that decision first.") % {"state": locked.get_verdict_display()},
                code="decided",
            )
        now = timezone.now()
        PilotCandidate.objects.filter(pk=locked.pk).update(
            verdict=verdict, reason=text, decided_by_id=by.pk, decided_at=now
        )
        _release_claims(locked)
        _pilot_assignments(locked, WRITTEN_STATES).update(state=STATE_AFTER_VERDICT[PilotCandidate.Verdict(verdict)])
        _store_decision(locked, verdict, text, by)
    candidate.refresh_from_db()
    return candidate


@retry_on_contention(unique_keys=True)
def reopen_candidate(*, candidate: PilotCandidate, reason: Any, by: AbstractBaseUser) -> PilotCandidate:
    """Revoke a decision, with a reason; the candidate awaits a new one. Ordinary tasks that a qualified candidate has
    already claimed can still be finished. Raises Conflict when there is no decision."""
    text = _check_reason(reason)
    _check_not_self(candidate, by)
    with write_transaction():
        locked = _lock_candidate(candidate)
        if not locked.verdict:
            raise Conflict(_("There is no decision about this candidate."), code="undecided")
        PilotCandidate.objects.filter(pk=locked.pk).update(verdict="", reason="", decided_by=None, decided_at=None)
        _pilot_assignments(locked, tuple(STATE_AFTER_VERDICT.values())).update(state=AssignmentState.SUBMITTED)
        _move_to_open_pilot(locked)
        _store_decision(locked, PilotDecision.Kind.REOPENED, text, by)
    candidate.refresh_from_db()
    return candidate


def _move_to_open_pilot(candidate: PilotCandidate) -> None:
    """Move a candidate whose pilot was closed before completion to the pilot that is open now."""
    pilot_project = pilot_gate.pilot_of(candidate.project)
    if (
        pilot_project is None
        or pilot_project.pk == candidate.pilot_id
        or candidate_progress(candidate).state == PilotState.SUBMITTED
    ):
        return
    pilot_gate.lock_pilot(pilot_project)
    PilotCandidate.objects.filter(pk=candidate.pk).update(pilot=pilot_project)
    pilot_gate.add_places(pilot_project, PilotSample.objects.filter(pilot=pilot_project))


def _check_not_self(candidate: PilotCandidate, by: AbstractBaseUser) -> None:
    if candidate.user_id == by.pk:
        raise Conflict(_("You cannot decide about yourself."), code="own")


def _lock_candidate(candidate: PilotCandidate) -> PilotCandidate:
    rows = PilotCandidate.objects.select_for_update(of=("self",)).select_related("project")
    return rows.get(pk=candidate.pk)


def _pilot_assignments(candidate: PilotCandidate, states: Collection[str]) -> QuerySet[Assignment]:
    return Assignment.objects.filter(project_id=candidate.pilot_id, annotator_id=candidate.user_id, state__in=states)


def _release_claims(candidate: PilotCandidate) -> None:
    claims = Claim.objects.filter(project_id=candidate.pilot_id, annotator_id=candidate.user_id, closed_at=None)
    for claim in claims.values_list("pk", flat=True):
        unit = leases.lock_claim(claim)
        claimed = [attempt for attempt in unit if attempt.state == AssignmentState.CLAIMED]
        if claimed:
            leases.end_attempts(claimed, AssignmentState.RELEASED)
            leases.close_or_extend(unit, minutes=1)


def _store_decision(candidate: PilotCandidate, kind: str, reason: str, by: AbstractBaseUser) -> None:
    PilotDecision.objects.create(
        candidate=candidate,
        number=PilotDecision.objects.filter(candidate=candidate).count() + 1,
        kind=kind,
        reason=reason,
        by_id=by.pk,
        at=timezone.now(),
    )
    audit.record_event(
        project=candidate.project, actor=by, verb=AuditVerb(f"pilot.{kind}"), target=f"candidate:{candidate.public_id}"
    )


def list_decisions(candidate: PilotCandidate) -> list[PilotDecision]:
    """All decisions about the candidate, newest first."""
    return list(PilotDecision.objects.filter(candidate=candidate).select_related("by").order_by("-number"))

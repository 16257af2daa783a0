"""Candidates of a pilot: inviting them, how far each is, and the decision about each, which can be taken back."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Refused
from annotation.kinds.checks import human_text, is_blank
from annotation.models import (
    Assignment,
    AssignmentState,
    Claim,
    Membership,
    PilotCandidate,
    PilotDecision,
    PilotSample,
    PilotState,
    Project,
    Role,
)
from annotation.services import asking, audit, leases, pilot
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.retrying import retried
from annotation.transactions import write

MAX_REASON = 4000
BECOMES = {
    PilotCandidate.Verdict.QUALIFIED: AssignmentState.ACCEPTED,
    PilotCandidate.Verdict.REJECTED: AssignmentState.REJECTED,
}
WRITTEN = (AssignmentState.SUBMITTED, AssignmentState.RETURNED)


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate as lists show them. done: samples handed in or skipped, of `total`."""

    candidate: PilotCandidate
    state: PilotState
    done: int
    skipped: int
    total: int


def candidates(project: Project, state: str = "") -> list[Row]:
    """Every candidate of the project, by name; of one state. Three queries."""
    found = list(
        PilotCandidate.objects.filter(project=project)
        .select_related("user", "decided_by", "pilot")
        .order_by("user__username", "pk")
    )
    rooms = {one.pilot_id for one in found}
    totals = dict(PilotSample.objects.filter(pilot__in=rooms).values_list("pilot").annotate(n=Count("pk")))
    attempts = Assignment.objects.filter(project__in=rooms).order_by().values("project_id", "annotator_id")
    counted = {
        (row["project_id"], row["annotator_id"]): row
        for row in attempts.annotate(
            done=Count("pk", filter=Q(state__in=pilot.DONE)),
            skipped=Count("pk", filter=Q(state=AssignmentState.SKIPPED)),
            begun=Count("pk"),
        )
    }
    rows = []
    for one in found:
        n = counted.get((one.pilot_id, one.user_id), {"done": 0, "skipped": 0, "begun": 0})
        total = totals.get(one.pilot_id, 0)
        rows.append(
            Row(one, pilot.state_of(one, n["done"], n["begun"], total), min(n["done"], total), n["skipped"], total)
        )
    return [row for row in rows if not state or row.state == state]


def row_of(candidate: PilotCandidate) -> Row:
    return next(row for row in candidates(candidate.project) if row.candidate.pk == candidate.pk)


def candidate_of(project: Project, public_id: Any) -> PilotCandidate:
    rows = PilotCandidate.objects.select_related("project", "pilot", "user", "decided_by")
    found = rows.filter(project=project, public_id=public_id).first()
    if found is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    return found


def not_invited(project: Project) -> QuerySet[Membership]:
    """Annotators of the project who are no candidates yet, by name."""
    known = PilotCandidate.objects.filter(project=project).values("user_id")
    rows = Membership.objects.filter(project=project, role=Role.ANNOTATOR, user__is_active=True)
    return rows.exclude(user_id__in=known).select_related("user").order_by("user__username")


def invite(*, project: Project, by: AbstractBaseUser, usernames: Collection[str] | None = None) -> int:
    """Ask annotators to write the pilot: those named, or all who were not asked yet. Returns how many are new.

    Raises BadInput for a name that is no annotator's here, Conflict where the pilot has no samples.
    """
    room = pilot.pilot_of(project)
    if room is None or not PilotSample.objects.filter(pilot=room).exists():
        raise Conflict(_("Choose the samples of the pilot first."), code="nosamples")
    rows = Membership.objects.filter(project=project, role=Role.ANNOTATOR, user__is_active=True)
    if usernames is None:
        people = list(not_invited(project).values_list("user_id", flat=True))
    else:
        known = dict(rows.filter(user__username__in=usernames).values_list("user__username", "user_id"))
        for name in usernames:
            if name not in known:
                raise BadInput(_("%(name)s is no annotator here.") % {"name": name[:60]}, field="usernames")
        asked = PilotCandidate.objects.filter(project=project).values("user_id")
        people = list(rows.filter(user_id__in=known.values()).exclude(user_id__in=asked).values_list("user", flat=True))
    with write():
        for user in people:
            pilot.admit(pilot=room, user=user, by=by)
    return len(people)


def _reason(text: Any) -> str:
    try:
        found = human_text(text, "reason", MAX_REASON)
    except Refused as error:
        asking.refuse(error)
    if is_blank(found):
        raise BadInput(_("Give a reason; the candidate reads it."), field="reason")
    return found


@retried(unique_keys=True)
def decide(*, candidate: PilotCandidate, verdict: str, reason: Any, by: AbstractBaseUser) -> PilotCandidate:
    """Qualify or reject a candidate, with a reason. What the candidate holds in the pilot is given back.

    Whoever is known to write well can be qualified without the pilot. Raises BadInput; Conflict (code `decided`) where
    somebody else was quicker, (code `own`) for oneself.
    """
    if verdict not in PilotCandidate.Verdict.values:
        raise BadInput(_("Say qualified or rejected."), field="verdict")
    text = _reason(reason)
    _not_oneself(candidate, by)
    with write():
        own = _locked(candidate)
        if own.verdict:
            raise Conflict(
                _("Somebody has decided already: %(state)s. Take that back first.")
                % {"state": own.get_verdict_display()},
                code="decided",
            )
        now = timezone.now()
        PilotCandidate.objects.filter(pk=own.pk).update(
            verdict=verdict, reason=text, decided_by_id=by.pk, decided_at=now
        )
        _give_back(own)
        _written(own, WRITTEN).update(state=BECOMES[PilotCandidate.Verdict(verdict)])
        _keep(own, verdict, text, by)
    candidate.refresh_from_db()
    return candidate


@retried(unique_keys=True)
def reopen(*, candidate: PilotCandidate, reason: Any, by: AbstractBaseUser) -> PilotCandidate:
    """Take a decision back, with a reason: the candidate waits for another one. What somebody who was qualified holds
    of the ordinary work can be finished. Conflict where nothing is decided."""
    text = _reason(reason)
    _not_oneself(candidate, by)
    with write():
        own = _locked(candidate)
        if not own.verdict:
            raise Conflict(_("Nothing is decided about this candidate."), code="undecided")
        PilotCandidate.objects.filter(pk=own.pk).update(verdict="", reason="", decided_by=None, decided_at=None)
        _written(own, tuple(BECOMES.values())).update(state=AssignmentState.SUBMITTED)
        _into_the_open_pilot(own)
        _keep(own, PilotDecision.Kind.REOPENED, text, by)
    candidate.refresh_from_db()
    return candidate


def _into_the_open_pilot(candidate: PilotCandidate) -> None:
    """Whose pilot was closed before everything was answered writes the one that is open now."""
    room = pilot.pilot_of(candidate.project)
    if room is None or room.pk == candidate.pilot_id or row_of(candidate).state == PilotState.SUBMITTED:
        return
    pilot.lock(room)
    PilotCandidate.objects.filter(pk=candidate.pk).update(pilot=room)
    pilot.add_places(room, PilotSample.objects.filter(pilot=room))


def _not_oneself(candidate: PilotCandidate, by: AbstractBaseUser) -> None:
    if candidate.user_id == by.pk:
        raise Conflict(_("This is you; somebody else decides."), code="own")


def _locked(candidate: PilotCandidate) -> PilotCandidate:
    rows = PilotCandidate.objects.select_for_update(of=("self",)).select_related("project")
    return rows.get(pk=candidate.pk)


def _written(candidate: PilotCandidate, states: Collection[str]) -> QuerySet[Assignment]:
    return Assignment.objects.filter(project_id=candidate.pilot_id, annotator_id=candidate.user_id, state__in=states)


def _give_back(candidate: PilotCandidate) -> None:
    claims = Claim.objects.filter(project_id=candidate.pilot_id, annotator_id=candidate.user_id, closed_at=None)
    for claim in claims.values_list("pk", flat=True):
        unit = leases.hold(claim)
        held = [one for one in unit if one.state == AssignmentState.CLAIMED]
        if held:
            leases.put_down(held, AssignmentState.RELEASED)
            leases.settle(unit, minutes=1)


def _keep(candidate: PilotCandidate, kind: str, reason: str, by: AbstractBaseUser) -> None:
    PilotDecision.objects.create(
        candidate=candidate,
        number=PilotDecision.objects.filter(candidate=candidate).count() + 1,
        kind=kind,
        reason=reason,
        by_id=by.pk,
        at=timezone.now(),
    )
    audit.record(project=candidate.project, actor=by, verb=f"pilot.{kind}", target=f"candidate:{candidate.public_id}")


def decisions(candidate: PilotCandidate) -> list[PilotDecision]:
    """What was decided so far, the newest first."""
    return list(PilotDecision.objects.filter(candidate=candidate).select_related("by").order_by("-number"))

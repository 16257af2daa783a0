"""Staff actions on a running round: pause, resume, close, reopen, unblind, replace a rater. All are audited."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.claiming import SlotState
from annotation.models import AuditVerb, WebhookTopic
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.core.word_patterns import join_names
from annotation.services.webhooks.deliveries import announce_event
from annotation.transactions import write_transaction
from evaluation.models import ItemAssignment, ItemAssignmentState, RatingSlot, Round, RoundRater, RoundState
from evaluation.services.rating import item_claims
from evaluation.services.rounds.rater_eligibility import team_raters

ACTIONS: dict[str, tuple[tuple[RoundState, ...], RoundState]] = {
    "pause": ((RoundState.OPEN,), RoundState.PAUSED),
    "resume": ((RoundState.PAUSED,), RoundState.OPEN),
    "close": (RoundState.RUNNING, RoundState.CLOSED),
    "reopen": ((RoundState.CLOSED,), RoundState.OPEN),
    "unblind": ((RoundState.OPEN, RoundState.PAUSED, RoundState.CLOSED), RoundState.UNBLINDED),
}
"""Action -> (states in which it is allowed, resulting state). Unblinding closes a round permanently."""


def allowed_actions(round_: Round) -> list[str]:
    """The actions allowed in the current state, in the order of ACTIONS."""
    return [name for name, (from_states, _to_state) in ACTIONS.items() if round_.state in from_states]


def apply_action(*, round_: Round, action: str, by: AbstractBaseUser | None) -> Round:
    """Apply one of ACTIONS. Idempotent; raises Conflict if the current state does not allow it."""
    if action not in ACTIONS:
        raise BadInput(_("Use one of: %(list)s.") % {"list": join_names(ACTIONS)}, field="do")
    from_states, to_state = ACTIONS[action]
    with write_transaction():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if locked.state == to_state:
            return locked
        if locked.state not in from_states:
            raise Conflict(
                _("This is not possible while the round is %(state)s.") % {"state": RoundState(locked.state).label},
                code="state",
            )
        changed: dict[str, Any] = {"state": to_state}
        now = timezone.now()
        if action in ("close", "unblind"):
            changed["closed_at"] = locked.closed_at or now
            _release_claims(locked)
        if action == "reopen":
            changed["closed_at"] = None
        if action == "unblind":
            changed["unblinded_at"] = now
        Round.objects.filter(pk=locked.pk).update(**changed)
        _record_audit(locked, by, AuditVerb(f"round.{action}"))
        if locked.state in RoundState.RUNNING and "closed_at" in changed:
            _announce_close(locked)
    round_.refresh_from_db()
    return round_


def _announce_close(round_: Round) -> None:
    """Notify webhooks that a round takes no more answers: its id and counts, no names, since it may be blind."""

    def describe() -> dict[str, Any]:
        done = ItemAssignment.objects.filter(round=round_, state=ItemAssignmentState.DONE)
        rated = done.filter(slot__isnull=False).count()
        return {"round": str(round_.public_id), "number": round_.number, "items": round_.n_items, "ratings": rated}

    announce_event(project_id=round_.project_id, topic=WebhookTopic.ROUND_CLOSED, describe=describe)


def unblind_by_name(*, round_: Round, name: str, by: AbstractBaseUser | None) -> Round:
    """Unblind a round whose name somebody has typed to confirm it. Raises BadInput for another name, Conflict."""
    if " ".join(name.split()) != " ".join(round_.name.split()):
        raise BadInput(_("This is not the name of the round. Nothing was unblinded."), field="name")
    return apply_action(round_=round_, action="unblind", by=by)


def _release_claims(round_: Round) -> None:
    """Release all claimed items when a round closes; stored answers are kept."""
    for assignment in ItemAssignment.objects.filter(round=round_, state=ItemAssignmentState.CLAIMED):
        item_claims.end_claim(assignment, ItemAssignmentState.RELEASED)


def find_rater(round_: Round, username: str, field: str) -> RoundRater:
    """A rater of the round, also one who has left. Raises BadInput."""
    row = round_.raters.select_related("rater").filter(rater__username=username).first()
    if row is None:
        raise BadInput(_("This person is not a rater in this round."), field=field)
    return row


def replace_rater(
    *, round_: Round, leaves: User, joins: User | None, keep: bool, by: AbstractBaseUser | None
) -> RoundRater | None:
    """Remove one rater and optionally add another in the same lane. keep: whether the answers given so far count; if
    not, the items are rated again. Returns the new rater's row, or None."""
    with write_transaction():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if locked.state not in RoundState.RUNNING:
            raise Conflict(_("Raters can only be replaced while a round is running."), code="state")
        row = RoundRater.objects.filter(round=locked, rater=leaves, left_at=None).first()
        if row is None:
            raise BadInput(_("This person is not a rater in this round."), field="leaves")
        _remove_rater(locked, row, keep=keep)
        new_rater = _add_rater(locked, joins, row.lane) if joins is not None else None
        _record_audit(
            locked,
            by,
            AuditVerb.ROUND_REPLACE,
            leaves=leaves.pk,
            joins=joins.pk if joins is not None else None,
            kept=keep,
        )
    return new_rater


def _remove_rater(round_: Round, row: RoundRater, *, keep: bool) -> None:
    assignments = ItemAssignment.objects.filter(round=round_, rater=row.rater_id)
    for assignment in assignments.filter(state=ItemAssignmentState.CLAIMED):
        item_claims.end_claim(assignment, ItemAssignmentState.RELEASED)
    if not keep:
        slot_ids = list(assignments.filter(state=ItemAssignmentState.DONE).values_list("slot_id", flat=True))
        assignments.filter(state__in=ItemAssignmentState.ANSWERED).update(state=ItemAssignmentState.VOID)
        RatingSlot.objects.filter(pk__in=slot_ids).update(state=SlotState.OPEN)
    RoundRater.objects.filter(pk=row.pk).update(left_at=timezone.now(), void=not keep)


def _add_rater(round_: Round, joins: User, lane: int) -> RoundRater:
    if not team_raters(round_.project).filter(pk=joins.pk).exists():
        raise BadInput(
            _("%(name)s cannot rate here: raters need the role rater and no role that shows system names.")
            % {"name": joins.get_username()},
            field="joins",
        )
    if RoundRater.objects.filter(round=round_, rater=joins).exists():
        raise Conflict(_("This person is or was already a rater in this round."), code="joined")
    return RoundRater.objects.create(round=round_, rater=joins, lane=lane, joined_at=timezone.now())


def _record_audit(round_: Round, by: AbstractBaseUser | None, verb: AuditVerb, **detail: Any) -> None:
    audit.record_event(project=round_.project, actor=by, verb=verb, target=f"round:{round_.public_id}", **detail)

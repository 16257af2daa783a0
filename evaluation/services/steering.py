"""What staff do with a running round: pause, resume, close, reopen, replace a rater, unblind. All of it is audited."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.claiming import SlotState
from annotation.services import audit
from annotation.services.errors import BadInput, Conflict
from annotation.transactions import write
from evaluation.models import ItemView, RatingSlot, Round, RoundRater, RoundState, ViewState
from evaluation.services import rating
from evaluation.services.barring import may_rate

MOVES: dict[str, tuple[tuple[RoundState, ...], RoundState]] = {
    "pause": ((RoundState.OPEN,), RoundState.PAUSED),
    "resume": ((RoundState.PAUSED,), RoundState.OPEN),
    "close": ((RoundState.OPEN, RoundState.PAUSED), RoundState.CLOSED),
    "reopen": ((RoundState.CLOSED,), RoundState.OPEN),
    "unblind": ((RoundState.OPEN, RoundState.PAUSED, RoundState.CLOSED), RoundState.UNBLINDED),
}
"""What can be done -> in which states, and the state it leads to. Unblinding closes for good."""


def can(round_: Round) -> list[str]:
    """What can be done now, in the order of MOVES."""
    return [name for name, (before, _after) in MOVES.items() if round_.state in before]


def move(*, round_: Round, what: str, by: AbstractBaseUser | None) -> Round:
    """Do one of MOVES. Twice is as good as once; Conflict from a state in which it cannot be done."""
    if what not in MOVES:
        raise BadInput(_("Use one of: %(list)s.") % {"list": ", ".join(MOVES)}, field="do")
    before, after = MOVES[what]
    with write():
        held = Round.objects.select_for_update().get(pk=round_.pk)
        if held.state == after:
            return held
        if held.state not in before:
            raise Conflict(
                _("A round that is %(state)s cannot do this.") % {"state": RoundState(held.state).label}, code="state"
            )
        changed: dict[str, Any] = {"state": after}
        now = timezone.now()
        if what in ("close", "unblind"):
            changed["closed_at"] = held.closed_at or now
            _give_back(held)
        if what == "reopen":
            changed["closed_at"] = None
        if what == "unblind":
            changed["unblinded_at"] = now
        Round.objects.filter(pk=held.pk).update(**changed)
        _audit(held, by, f"round.{what}")
    round_.refresh_from_db()
    return round_


def _give_back(round_: Round) -> None:
    """End what is held when a round closes; answers given so far stay."""
    for view in ItemView.objects.filter(round=round_, state=ViewState.CLAIMED):
        rating.put_down(view, ViewState.RELEASED)


def replace(
    *, round_: Round, leaves: User, joins: User | None, keep: bool, by: AbstractBaseUser | None
) -> RoundRater | None:
    """One rater leaves, another may join in the same lane. keep: whether what was answered so far counts; if not, all
    of it is rated again. Returns the new rater's row."""
    with write():
        held = Round.objects.select_for_update().get(pk=round_.pk)
        if held.state not in (RoundState.OPEN, RoundState.PAUSED):
            raise Conflict(_("Only in a running round can a rater be replaced."), code="state")
        row = RoundRater.objects.filter(round=held, rater=leaves, left_at=None).first()
        if row is None:
            raise BadInput(_("This person does not rate in the round."), field="leaves")
        _leave(held, row, keep=keep)
        made = _join(held, joins, row.lane) if joins is not None else None
        _audit(
            held,
            by,
            "round.replace",
            leaves=leaves.pk,
            joins=joins.pk if joins is not None else None,
            kept=keep,
        )
    return made


def _leave(round_: Round, row: RoundRater, *, keep: bool) -> None:
    own = ItemView.objects.filter(round=round_, rater=row.rater_id)
    for view in own.filter(state=ViewState.CLAIMED):
        rating.put_down(view, ViewState.RELEASED)
    if not keep:
        again = list(own.filter(state=ViewState.DONE).values_list("slot_id", flat=True))
        own.filter(state__in=[ViewState.DONE, ViewState.SURPLUS]).update(state=ViewState.VOID)
        RatingSlot.objects.filter(pk__in=again).update(state=SlotState.OPEN)
    RoundRater.objects.filter(pk=row.pk).update(left_at=timezone.now(), void=not keep)


def _join(round_: Round, joins: User, lane: int) -> RoundRater:
    if not may_rate(round_.project).filter(pk=joins.pk).exists():
        raise BadInput(
            _("%(name)s cannot rate here: raters have the role rater, and no role that shows systems' names.")
            % {"name": joins.get_username()},
            field="joins",
        )
    if RoundRater.objects.filter(round=round_, rater=joins).exists():
        raise Conflict(_("This person rates or has rated in the round already."), code="joined")
    return RoundRater.objects.create(round=round_, rater=joins, lane=lane, joined_at=timezone.now())


def _audit(round_: Round, by: AbstractBaseUser | None, verb: str, **detail: Any) -> None:
    audit.record(project=round_.project, actor=by, verb=verb, target=f"round:{round_.public_id}", **detail)

"""Outside raters: people whose answers to a round came in from another tool.

Each is an account that nobody can sign in to, named by a pseudonym of the project. In the round they have no lane and
fill no planned slot; their answers count in tables and agreement like those of its own raters.
"""

from typing import NamedTuple

from django.contrib.auth.models import AbstractBaseUser, User
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict
from annotation.transactions import write_transaction
from evaluation.models import ItemAssignment, Round, RoundRater, RoundState


class OutsideRater(NamedTuple):
    """number: in the round, from 1. account: the username. items: answered."""

    number: int
    account: str
    user_id: int
    tool: str
    outside_name: str
    items: int

    @property
    def label(self) -> str:
        return _("outside rater %(n)d") % {"n": self.number}


def list_outside_raters(round_: Round) -> list[OutsideRater]:
    """In the order in which they came in; two queries."""
    rows = RoundRater.objects.filter(round=round_).exclude(tool="").select_related("rater").order_by("pk")
    answered = ItemAssignment.objects.filter(round=round_, slot=None).order_by()
    items = dict(answered.values_list("rater").annotate(n=Count("pk")))
    return [
        OutsideRater(
            number, row.rater.get_username(), row.rater_id, row.tool, row.outside_name, items.get(row.rater_id, 0)
        )
        for number, row in enumerate(rows, 1)
    ]


def check_takes_answers(round_: Round) -> None:
    """Raises Conflict unless the round takes answers: running, with its items chosen. Answers to an unblinded round
    would come in after its results are known."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("Launch the round first: a draft has no items."), code="state")
    if round_.state == RoundState.UNBLINDED:
        raise Conflict(_("The round is unblinded, so it takes no more answers."), code="state")
    if round_.state == RoundState.CLOSED:
        raise Conflict(_("The round is closed. Reopen it to import answers."), code="state")
    if round_.waits_for_judges:
        raise Conflict(_("The items for people are not chosen yet: the round waits for its judges."), code="state")


class OutsidePerson(NamedTuple):
    """A person as a file of a tool names them."""

    tool: str
    name: str


def join_outside_rater(round_: Round, account: str, person: OutsidePerson) -> RoundRater:
    """The rater's row in the round, created where the person is new; inside a transaction that has locked the round."""
    user = User.objects.filter(username=account).first()
    if user is None:
        user = User(username=account, is_active=False)
        user.set_unusable_password()
        user.save(force_insert=True)
    now = timezone.now()
    row, _created = RoundRater.objects.get_or_create(
        round=round_,
        rater=user,
        defaults={
            "lane": round_.raters_per_item + 2,  # behind the planned lanes and that of additional ratings
            "joined_at": now,
            "left_at": now,
            "tool": person.tool,
            "outside_name": person.name[:120],
        },
    )
    return row


def remove_outside_rater(*, round_: Round, account: str, by: AbstractBaseUser | None) -> int:
    """Delete what one outside rater answered in a round, also of a closed or unblinded one: people may withdraw. The
    number of items. Raises BadInput for somebody who is none."""
    with write_transaction():
        locked = Round.objects.select_for_update().select_related("project").get(pk=round_.pk)
        row = RoundRater.objects.filter(round=locked, rater__username=account).exclude(tool="").first()
        if row is None:
            raise BadInput(_("This is no outside rater of the round."), field="rater")
        assignments = ItemAssignment.objects.filter(round=locked, rater=row.rater_id, slot=None)
        n_items = assignments.count()
        assignments.delete()
        user_id = row.rater_id
        row.delete()
        audit.record_event(
            project=locked.project,
            actor=by,
            verb=AuditVerb.ROUND_REMOVE_IMPORT,
            target=f"round:{locked.public_id}",
            rater=user_id,
            items=n_items,
            state=locked.state,
        )
        if not RoundRater.objects.filter(rater=user_id).exists():
            User.objects.filter(pk=user_id).delete()
    return n_items

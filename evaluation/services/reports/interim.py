"""Results of a round that is looked at while it runs, by the rule that it declared.

For staff only, without the names of systems until the round is unblinded. A round without a rule shows none: whoever
looks and stops when the numbers please finds differences that are not there.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import cast

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.claiming import SlotState
from annotation.models import AuditVerb
from annotation.services.core import audit
from annotation.services.core.errors import Conflict
from annotation.transactions import write_transaction
from epitome.combined.stopping import Followed, Rule, expect_end, find_end, follow_comparisons
from epitome.sampling.generator import Generator
from evaluation.models import Item, RatingSlot, Round, RoundState
from evaluation.services.monitoring import round_control
from evaluation.services.monitoring.round_spending import Spending, count_spending
from evaluation.services.reports.combined_rows import load_rows

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Interim:
    """rule, width: as frozen. followed: the comparisons. names: target -> what it is called here. max_sources: that
    people judge. ratings: of each source by its place, of those that are complete."""

    rule: Rule
    width: float
    followed: list[Followed]
    names: Mapping[str, str]
    max_sources: int
    ratings: Mapping[int, int]
    spending: Spending | None
    launched_at: datetime | None

    @property
    def n_sources(self) -> int:
        """Sources complete in their order, so that they are looked at."""
        return len(self.ratings)

    @property
    def n_ratings(self) -> int:
        return sum(self.ratings.values())

    @cached_property
    def met_at(self) -> int | None:
        """The source at which the rule was fulfilled; None: not yet."""
        return find_end(self.followed, self.rule, self.width)

    @cached_property
    def expected_at(self) -> int | None:
        """The source at which it will be, at most the last; None where that cannot be said."""
        expected = expect_end(self.followed, self.rule, self.width)
        return None if expected is None else min(expected, self.max_sources)

    @property
    def expected_day(self) -> datetime | None:
        """When, at the pace so far; None where that cannot be said, or the rule is met."""
        if self.met_at is not None or self.expected_at is None or not self.n_sources or self.launched_at is None:
            return None
        elapsed = timezone.now() - self.launched_at
        try:
            return self.launched_at + elapsed * (self.expected_at / self.n_sources)
        except OverflowError:
            return None

    @property
    def expected_amount(self) -> float | None:
        """The pay at the expected end; None where no pay is stated or the end is not known."""
        if self.spending is None or self.expected_at is None or not self.n_sources:
            return None
        return self.spending.amount * max(1.0, self.expected_at / self.n_sources)

    def count_ratings(self, place: int) -> int:
        """Ratings of the sources up to this place."""
        return sum(n for at, n in self.ratings.items() if at <= place)


def analyse_interim(round_: Round) -> Interim:
    """Look now. Deterministic: the same answers give the same looks. Raises Conflict for a draft, and for a round
    without a rule."""
    if round_.state == RoundState.DRAFT:
        raise Conflict(_("The round has not been launched, so there is nothing to look at."), code="state")
    stopping = round_.rules.stopping
    if not stopping.looks:
        raise Conflict(
            _("The round declared no stopping rule, so that its results are shown once it is unblinded."), code="fixed"
        )
    rows = load_rows(round_)
    order: list[str] = json.loads(round_.design)["sources"]
    return Interim(
        rule=cast(Rule, stopping.rule),
        width=stopping.width,
        followed=follow_comparisons(rows, stopping.questions),
        names=name_systems(round_),
        max_sources=min(stopping.maximum or len(order), len(order)),
        ratings=_count_ratings(round_, {row.source: row.look for row in rows if row.look}),
        spending=count_spending(round_),
        launched_at=round_.launched_at,
    )


def name_systems(round_: Round) -> dict[str, str]:
    """Target -> its key once the round is unblinded; until then a letter that reveals nothing."""
    keys = [target.key for target in round_.rules.targets]
    if not round_.is_blind:
        return {key: key for key in keys}
    shuffled = Generator(round_.items_hash, "letters@1").shuffled(keys)
    letters = (LETTERS[index] if len(keys) <= len(LETTERS) else str(index + 1) for index in range(len(keys)))
    return dict(zip(shuffled, letters, strict=True))


def _count_ratings(round_: Round, looks: Mapping[str, int]) -> dict[int, int]:
    slots = RatingSlot.objects.filter(round=round_, item__kind=Item.Kind.REAL, state=SlotState.FILLED)
    counted = slots.order_by().values_list("document__external_id").annotate(n=Count("pk"))
    return {looks[source]: n for source, n in counted if source in looks}


def close_by_rule(*, round_: Round, by: AbstractBaseUser | None) -> Round:
    """Close a running round whose stopping rule is met; what was found is in the audit log. Idempotent. Raises
    Conflict where the rule is not met."""
    with write_transaction():
        locked = Round.objects.select_for_update().select_related("project").get(pk=round_.pk)
        if locked.state not in RoundState.RUNNING:
            return round_
        analysis = analyse_interim(locked)
        if analysis.met_at is None:
            raise Conflict(_("The stopping rule is not met yet."), code="not_met")
        round_control.apply_action(round_=locked, action="close", by=by)
        audit.record_event(
            project=locked.project,
            actor=by,
            verb=AuditVerb.ROUND_STOP,
            target=f"round:{locked.public_id}",
            rule=analysis.rule,
            sources=analysis.n_sources,
            met_at=analysis.met_at,
        )
    round_.refresh_from_db()
    return round_

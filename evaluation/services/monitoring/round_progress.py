"""Progress of a round for staff: filled slots and figures per rater."""

from collections.abc import Collection
from dataclasses import dataclass, field

from django.contrib.auth.models import User
from django.db.models import Count

from annotation.claiming import SlotState
from annotation.services.core.pseudonyms import Pseudonyms
from evaluation.models import RatingSlot, Round
from evaluation.services.monitoring import rater_quality
from evaluation.services.monitoring.rater_quality import RaterFigures
from evaluation.services.rating import rater_pauses
from evaluation.services.rating.outside_raters import OutsideRater, list_outside_raters


@dataclass(frozen=True)
class RaterRow:
    """One rater as staff see them. name: the account; outside: of one whose answers were imported, else None."""

    name: str
    pseudonym: str
    figures: RaterFigures
    broken: list[str]
    paused: bool
    pause_reason: str
    outside: OutsideRater | None = None


@dataclass
class RoundProgress:
    """Slot counts of a round. places: items x raters. in_progress: slots of items that raters hold now."""

    places: int = 0
    filled: int = 0
    in_progress: int = 0
    raters: list[RaterRow] = field(default_factory=list)

    @property
    def open(self) -> int:
        return self.places - self.filled - self.in_progress


def count_places(round_: Round) -> RoundProgress:
    """Count all, filled and taken slots in one query."""
    return count_places_by_round([round_.pk])[round_.pk]


def count_places_by_round(rounds: Collection[int]) -> dict[int, RoundProgress]:
    """Round -> its counts, also of rounds without slots, in one query."""
    states: dict[int, dict[str, int]] = {pk: {} for pk in rounds}
    rows = RatingSlot.objects.filter(round__in=rounds).values_list("round", "state").annotate(n=Count("pk"))
    for pk, state, n in rows:
        states[pk][state] = n
    return {
        pk: RoundProgress(sum(counts.values()), counts.get(SlotState.FILLED, 0), counts.get(SlotState.TAKEN, 0))
        for pk, counts in states.items()
    }


def build_progress(round_: Round) -> RoundProgress:
    """Progress with figures per rater. The number of queries does not depend on the number of items."""
    progress = count_places(round_)
    figures = rater_quality.rater_figures(round_)
    names = dict(User.objects.filter(pk__in=[row.rater_id for row in figures]).values_list("pk", "username"))
    pseudonyms = Pseudonyms(round_.project)
    rules = round_.rules.exclusion
    reasons = {row.rater_id: rater_pauses.describe_reason(row.pause_reason) for row in rater_pauses.list_paused(round_)}
    has_outside = any(row.tool for row in figures)
    outside_raters = {rater.user_id: rater for rater in list_outside_raters(round_)} if has_outside else {}
    progress.raters = [
        RaterRow(
            names[row.rater_id],
            pseudonyms.of(row.rater_id) or "",
            row,
            row.broken(rules),
            row.rater_id in reasons,
            reasons.get(row.rater_id, ""),
            outside_raters.get(row.rater_id),
        )
        for row in figures
    ]
    return progress

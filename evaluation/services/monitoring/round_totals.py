"""Rounds of many projects in numbers, for the cards of Home. Three queries for any number of projects."""

from collections import defaultdict
from uuid import UUID

from django.db.models import Count

from annotation.claiming import SlotState
from annotation.services.core.prepared_queries import Among, Prepared
from annotation.services.staff.project_progress import ROUND_TOTALS, RoundTotals
from evaluation.models import Adjudication, RatingSlot, Round, RoundState

LAUNCHED_ROUNDS: Prepared[tuple[int, int, str, UUID, int | None]] = Prepared(
    lambda: (
        Round.objects.filter(Among("project", "projects"), state__in=RoundState.LAUNCHED)
        .order_by("pk")
        .values_list("pk", "project_id", "state", "public_id", "n_disagreements")
    )
)


@ROUND_TOTALS.register
def count_rounds(projects: list[int]) -> dict[int, RoundTotals]:
    """Launched rounds by project; projects without any are left out."""
    rounds = LAUNCHED_ROUNDS.rows(projects=projects)
    totals: dict[int, RoundTotals] = defaultdict(RoundTotals)
    if not rounds:
        return totals
    places, filled = _count_slots([row[0] for row in rounds])
    disputed = [key for key, *_columns, n_disagreements in rounds if n_disagreements]
    decided = _count_decisions(disputed) if disputed else {}
    for key, project, state, public_id, n_disagreements in rounds:
        round_totals = totals[project]
        undecided = max(0, (n_disagreements or 0) - decided.get(key, 0))
        if undecided and not round_totals.undecided:
            round_totals.undecided_round = str(public_id)
        round_totals.undecided += undecided
        round_totals.ratings += places[key]
        round_totals.rated += filled[key]
        round_totals.launched += 1
        round_totals.unblinded += state == RoundState.UNBLINDED
        if state == RoundState.OPEN:
            round_totals.open += 1
            round_totals.complete += places[key] == filled[key]
    return totals


def _count_decisions(rounds: list[int]) -> dict[int, int]:
    """Decisions about disagreements by round."""
    decisions = Adjudication.objects.filter(round__in=rounds).order_by()
    return dict(decisions.values_list("round").annotate(n=Count("pk")))


def _count_slots(rounds: list[int]) -> tuple[dict[int, int], dict[int, int]]:
    """(all, filled) slots by round."""
    places: dict[int, int] = defaultdict(int)
    filled: dict[int, int] = defaultdict(int)
    slots = RatingSlot.objects.filter(round__in=rounds).order_by()
    for key, state, n in slots.values_list("round", "state").annotate(n=Count("pk")):
        places[key] += n
        filled[key] += n if state == SlotState.FILLED else 0
    return places, filled

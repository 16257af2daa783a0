"""Rounds of many projects in numbers, for the cards of Home. Three queries for any number of projects."""

from collections import defaultdict

from django.db.models import Count

from annotation.claiming import SlotState
from annotation.services.staff.project_progress import ROUND_TOTALS, RoundTotals, UndecidedRound
from evaluation.models import Adjudication, RatingSlot, Round, RoundState


@ROUND_TOTALS.register
def count_rounds(projects: list[int]) -> dict[int, RoundTotals]:
    """Launched rounds by project; projects without any are left out."""
    launched = Round.objects.filter(project__in=projects, state__in=RoundState.LAUNCHED)
    rounds = list(launched.only("project_id", "state", "public_id", "number", "n_disagreements").order_by("pk"))
    totals: dict[int, RoundTotals] = defaultdict(RoundTotals)
    if not rounds:
        return totals
    places, filled = _count_slots([round_.pk for round_ in rounds])
    disputed = [round_.pk for round_ in rounds if round_.n_disagreements]
    decided = _count_decisions(disputed) if disputed else {}
    for round_ in rounds:
        round_totals = totals[round_.project_id]
        undecided = max(0, (round_.n_disagreements or 0) - decided.get(round_.pk, 0))
        if undecided:
            round_totals.undecided.append(UndecidedRound(str(round_.public_id), round_.number, undecided))
        round_totals.ratings += places[round_.pk]
        round_totals.rated += filled[round_.pk]
        round_totals.launched += 1
        round_totals.unblinded += round_.state == RoundState.UNBLINDED
        if round_.state == RoundState.OPEN:
            round_totals.open += 1
            round_totals.complete += places[round_.pk] == filled[round_.pk]
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

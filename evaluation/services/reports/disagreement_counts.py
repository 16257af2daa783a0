"""How many disagreements each unblinded round has, counted once: after unblinding no answer changes any more."""

from annotation.jobs import register_sweeper
from annotation.transactions import write_transaction
from evaluation.models import Round, RoundState
from evaluation.services.reports.adjudication import list_disputes


@register_sweeper
def count_disagreements() -> int:
    """Count those of rounds that were unblinded since the last time; returns how many rounds."""
    uncounted = Round.objects.filter(state=RoundState.UNBLINDED, n_disagreements=None).select_related("project")
    rounds = list(uncounted.order_by("pk"))
    for round_ in rounds:
        n_disputes = len(list_disputes(round_))
        with write_transaction():
            Round.objects.filter(pk=round_.pk).update(n_disagreements=n_disputes)
    return len(rounds)

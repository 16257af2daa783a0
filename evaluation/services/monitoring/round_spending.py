"""What a round has cost so far: its stated pay, or the project's usual pay, for what people have done."""

from dataclasses import dataclass

from django.db.models import Sum

from annotation.models import CrowdLink
from epitome.rounds.config import Pay
from evaluation.models import ItemAssignment, ItemAssignmentState, Round


@dataclass(frozen=True)
class Spending:
    """ratings: finished ones, foils and repeats included. amount: of the currency, for these. per_rating: on average.
    hours: of active time."""

    currency: str
    amount: float
    ratings: int
    hours: float

    @property
    def per_rating(self) -> float:
        return self.amount / self.ratings if self.ratings else 0.0


def find_pay(round_: Round) -> Pay:
    """The pay of the frozen design, else of the round's newest crowd link, else the project's usual pay per hour."""
    if round_.rules.pay.amount:
        return round_.rules.pay
    link = CrowdLink.objects.filter(round_link__round=round_).exclude(pay_amount=None).order_by("-pk").first()
    if link is not None:
        return Pay(float(link.pay_amount or 0), link.pay_currency, "item")
    return Pay(round_.project.pay_per_hour or 0.0, round_.project.pay_currency, "hour")


def count_spending(round_: Round) -> Spending | None:
    """None where no pay is stated anywhere."""
    pay = find_pay(round_)
    if not pay.amount:
        return None
    done = ItemAssignment.objects.filter(round=round_, state__in=ItemAssignmentState.ANSWERED, slot__isnull=False)
    ratings = done.count()
    hours = (done.aggregate(seconds=Sum("active_seconds"))["seconds"] or 0.0) / 3600
    return Spending(pay.currency, pay.amount * (ratings if pay.per == "item" else hours), ratings, hours)

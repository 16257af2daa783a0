"""What the raters of a round are paid, in words: by its frozen design, else by its crowd links."""

import json

from annotation.models import CrowdLink
from annotation.services.people.pay import format_amount
from evaluation.models import Round
from evaluation.rounds.costing import PayEstimate


def describe_pay(round_: Round) -> str:
    """Such as "USD 0.60 per item (about USD 9.20 per hour of estimated work)"; "" where no pay is stated."""
    pay = round_.rules.pay
    if not pay.amount:
        links = CrowdLink.objects.filter(round_link__round=round_).exclude(pay_amount=None).order_by("pk")
        stated = dict.fromkeys(format_amount(link.pay_currency, link.pay_amount) for link in links)
        return " or ".join(f"{amount} per item" for amount in stated)
    words = f"{format_amount(pay.currency, pay.amount)} per {pay.per}"
    estimate = json.loads(round_.design).get("check", {}).get("pay") or {}
    other = "per_hour" if pay.per == "item" else "per_item"
    if estimate.get(other) is None:
        return words
    more = "per hour of estimated work" if pay.per == "item" else "per item"
    return f"{words} (about {format_amount(pay.currency, estimate[other])} {more})"


def describe_estimate(pay: PayEstimate) -> str:
    """Such as "USD 120.00 in all, 0.60 per item, 9.20 per hour"; without a currency, amounts only."""
    amounts = [f"{pay.total:,.2f} in all", f"{pay.per_item:,.2f} per item"]
    if pay.per_hour is not None:
        amounts.append(f"{pay.per_hour:,.2f} per hour")
    return f"{pay.currency} {', '.join(amounts)}".strip()

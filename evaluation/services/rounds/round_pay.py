"""What the raters of a round are paid, in words: by its frozen design, else by its crowd links."""

import json

from django.utils.translation import gettext as _

from annotation.models import CrowdLink
from annotation.services.core.word_patterns import join_with_or
from annotation.services.people.pay import format_amount
from epitome.rounds.costing import PayEstimate
from evaluation.models import Round


def describe_pay(round_: Round) -> str:
    """Such as "USD 0.60 per item (about USD 9.20 per hour of estimated work)"; "" where no pay is stated."""
    pay = round_.rules.pay
    if not pay.amount:
        links = CrowdLink.objects.filter(round_link__round=round_).exclude(pay_amount=None).order_by("pk")
        stated = dict.fromkeys(format_amount(link.pay_currency, link.pay_amount) for link in links)
        return join_with_or([_("%(amount)s per item") % {"amount": amount} for amount in stated])
    estimate = json.loads(round_.design).get("check", {}).get("pay") or {}
    other = estimate.get("per_hour" if pay.per == "item" else "per_item")
    values = {"amount": format_amount(pay.currency, pay.amount)}
    if other is None:
        return (_("%(amount)s per item") if pay.per == "item" else _("%(amount)s per hour")) % values
    if pay.per == "item":
        words = _("%(amount)s per item (about %(other)s per hour of estimated work)")
    else:
        words = _("%(amount)s per hour (about %(other)s per item)")
    return words % {**values, "other": format_amount(pay.currency, other)}


def describe_estimate(pay: PayEstimate) -> str:
    """Such as "USD 120.00 in all, 0.60 per item, 9.20 per hour"; without a currency, amounts only."""
    amounts = [f"{pay.total:,.2f} in all", f"{pay.per_item:,.2f} per item"]
    if pay.per_hour is not None:
        amounts.append(f"{pay.per_hour:,.2f} per hour")
    return f"{pay.currency} {', '.join(amounts)}".strip()

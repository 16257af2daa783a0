"""What people of a crowd link are paid: amounts as text."""

import re
from decimal import Decimal, InvalidOperation

from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput

CURRENCY = re.compile(r"[A-Z]{3}")
MOST_PAY = Decimal(1_000_000)


def check_pay(amount: Decimal | None, currency: str) -> None:
    """Raises BadInput for an amount without a currency, and for one outside 0.01 to a million."""
    if amount is None:
        if currency:
            raise BadInput(_("Give the amount that is paid, or leave the currency empty."), field="pay_amount")
        return
    try:
        fits = Decimal("0.01") <= amount <= MOST_PAY
    except InvalidOperation:  # not a number
        fits = False
    if not fits:
        raise BadInput(_("Pay is at least 0.01 and at most 1,000,000."), field="pay_amount")
    if not CURRENCY.fullmatch(currency):
        raise BadInput(_("A currency has three capital letters, such as USD."), field="pay_currency")


def format_amount(currency: str, amount: Decimal | float | None) -> str:
    """Such as "USD 0.60"."""
    return f"{currency} {amount:,.2f}"

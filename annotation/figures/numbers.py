"""Numbers as people read them. Every number on a page or in a message is written here; files keep plain numbers."""

import re

GROUP = "\u202f"
MINUS = "−"
UNKNOWN = "–"


def format_count(n: float | None) -> str:
    """12 345: thousands apart by a narrow no-break space; a dash for an unknown number."""
    return UNKNOWN if n is None else f"{n:,}".replace(",", GROUP).replace("-", MINUS)


def format_decimal(value: float | None, digits: int) -> str:
    """1 234.5, always with `digits` decimals and a true minus sign; a dash for an unknown number."""
    if value is None:
        return UNKNOWN
    text = f"{value:,.{digits}f}"
    if not float(text.replace(",", "")):
        text = text.lstrip("-")
    return text.replace(",", GROUP).replace("-", MINUS)


def format_score(value: float | None, digits: int = 2) -> str:
    """.45: a decimal number without the 0 before the point, as tables of papers have it."""
    return re.sub(r"^(−?)0\.", r"\1.", format_decimal(value, digits))


def format_share(share: float, digits: int = 1) -> str:
    """A share as percent without its sign: .045 is 4.5 and .4 is 40; no decimals where they are zeros."""
    text = format_decimal(100 * share, digits)
    return re.sub(r"\.0+$", "", text)


def format_percent(share: float, digits: int = 0) -> str:
    """A share as percent with its sign: .45 is 45 %."""
    return f"{format_share(share, digits)} %"


def format_measure(value: float, significant: int = 3) -> str:
    """A measured number of any size with so many significant digits: 12.3, 0.0123, 1 230."""
    text = f"{value:.{significant}g}"
    return format_count(int(float(text))) if "e+" in text else text.replace("-", MINUS)


def format_difference(difference: float, digits: int | None = None) -> str:
    """A number with its sign: +3, −0.2, ±0. digits: decimals; None: as many as its size asks for."""
    if digits is not None:
        text = f"{difference:+.{digits}f}"
    elif abs(difference) >= 10 or difference == int(difference):
        text = f"{difference:+.0f}"
    else:
        text = f"{difference:+.2g}"
    return "±0" if not float(text) else text.replace("-", MINUS)


def format_rate(per_second: float) -> tuple[str, bool]:
    """(number, whether it is per second): slow rates are given per minute."""
    if per_second >= 1:
        return format_decimal(per_second, 1 if per_second < 100 else 0), True
    return format_decimal(60 * per_second, 1), False


def format_money(amount: float, currency: str = "") -> str:
    """12.50 USD; four decimals below 1."""
    return f"{format_decimal(amount, 2 if amount >= 1 else 4)} {currency}".strip()

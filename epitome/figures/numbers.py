"""Numbers as people read them. Every number on a page or in a message is written here; files keep plain numbers.

Digits are 0-9 in every language, so that a number on a page is the one in texts and files. The sign of a number and a
point at its start are kept at its left side in Arabic by a mark that is not seen.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

GROUP = "\u202f"
MINUS = "−"
UNKNOWN = "–"
LEFT_TO_RIGHT = "\u200e"


class NumberStyle(NamedTuple):
    """How a language writes numbers. before_sign: what keeps a sign at the left; drops_zero: .45 in place of 0.45."""

    point: str = "."
    before_sign: str = ""
    before_percent: str = " "
    drops_zero: bool = False


STYLES = {
    "en": NumberStyle(drops_zero=True),
    "de": NumberStyle(point=","),
    "zh-hans": NumberStyle(before_percent=""),
    "ar": NumberStyle(before_sign=LEFT_TO_RIGHT),
}
SIGN = re.compile(r"^(?=[−+±])")


def _read_english() -> str:
    return "en"


_read_language: Callable[[], str] = _read_english
_is_file: ContextVar[bool] = ContextVar("is_file", default=False)


def follow_language(read_language: Callable[[], str]) -> None:
    """Write numbers in the language that the function returns; without this they are English, as in the library."""
    global _read_language
    _read_language = read_language


@contextmanager
def numbers_of_files() -> Iterator[None]:
    """Write numbers as files have them, in English notation, whatever the language of the page."""
    token = _is_file.set(True)
    try:
        yield
    finally:
        _is_file.reset(token)


def _style() -> NumberStyle:
    return STYLES["en"] if _is_file.get() else STYLES.get(_read_language(), STYLES["en"])


def _write(text: str) -> str:
    """A number in English notation (1,234.5) as the language writes it."""
    if text.isdigit():  # written alike everywhere
        return text
    style = _style()
    text = text.replace(",", GROUP).replace("-", MINUS).replace(".", style.point)
    return SIGN.sub(style.before_sign, text) if style.before_sign else text


def format_count(n: float | None) -> str:
    """12 345: thousands apart by a narrow no-break space; a dash for an unknown number."""
    return UNKNOWN if n is None else _write(f"{n:,}")


def format_decimal(value: float | None, digits: int) -> str:
    """1 234.5, always with `digits` decimals and a true minus sign; a dash for an unknown number."""
    return UNKNOWN if value is None else _write(_round(value, digits))


def _round(value: float, digits: int) -> str:
    text = f"{value:,.{digits}f}"
    return text if float(text.replace(",", "")) else text.lstrip("-")


def format_half_width(value: float | None, digits: int) -> str:
    """± 4.5: half the width of an interval; a dash for an unknown number."""
    return UNKNOWN if value is None else _write(f"± {_round(value, digits)}")


def format_score(value: float | None, digits: int = 2) -> str:
    """.45 in English: a decimal number without the 0 before the point, as tables of papers have it; 0,45 in German."""
    if value is None:
        return UNKNOWN
    text = _round(value, digits)
    return _write(_drop_zero(text))


def _drop_zero(text: str) -> str:
    """A decimal number without the 0 before the point, where the language drops it."""
    has_zero = text.lstrip("+-").startswith("0.") and _style().drops_zero
    return text.replace("0.", ".", 1) if has_zero else text


def format_share(share: float, digits: int = 1) -> str:
    """A share as percent without its sign: .045 is 4.5 and .4 is 40; no decimals where they are zeros."""
    return _write(re.sub(r"\.0+$", "", _round(100 * share, digits)))


def format_percent(share: float, digits: int = 0) -> str:
    """A share as percent with its sign: .45 is 45 %."""
    return add_percent_sign(format_share(share, digits))


def add_percent_sign(number: str) -> str:
    """A written number with the sign as the language places it: 45 % in English, 45% in Chinese."""
    return f"{number}{_style().before_percent}%"


def format_measure(value: float, significant: int = 3) -> str:
    """A measured number of any size with this many significant digits: 12.3, 0.0123, 1 230."""
    text = f"{value:.{significant}g}"
    return format_count(int(float(text))) if "e+" in text else _write(text)


def format_difference(difference: float, digits: int | None = None) -> str:
    """A number with its sign: +3, −.2, ±0, and no 0 before the point where `format_score` has none. digits: decimals;
    None: as many as its size asks for."""
    if digits is not None:
        text = f"{difference:+.{digits}f}"
    elif abs(difference) >= 10 or difference == int(difference):
        text = f"{difference:+.0f}"
    else:
        text = f"{difference:+.2g}"
    return _write(_drop_zero(text) if float(text) else "±0")


def format_range(low: object, high: object) -> str:
    """8–20: two written numbers, the lower at the left in every language."""
    return f"{_style().before_sign}{low}–{high}"


def format_rate(per_second: float) -> tuple[str, bool]:
    """(number, whether it is per second): slow rates are given per minute."""
    if per_second >= 1:
        return format_decimal(per_second, 1 if per_second < 100 else 0), True
    return format_decimal(60 * per_second, 1), False


def format_money(amount: float, currency: str = "") -> str:
    """12.50 USD; four decimals below 1."""
    return f"{format_decimal(amount, 2 if amount >= 1 else 4)} {currency}".strip()

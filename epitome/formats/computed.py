"""Results of formulas in a sheet, told apart from what somebody typed.

A text that begins with "=" is stored as a formula by some programs; its result in the file is 0, or there is none. As
an id or as metadata a result counts like any value, as a text or a summary it is refused.
"""

from __future__ import annotations

FORMULA_FAULT = (
    "holds a formula, of which the file has {result}; if it is a text that begins with =, type it with ' before it, "
    "else open the file in the program that computes it and save it again"
)


class Computed:
    """The mark of a formula's result that is no text."""


class ComputedNumber(Computed, int):
    pass


class ComputedNothing(Computed, str):
    """The empty result of a formula that nobody has computed yet."""


def mark_computed(value: object) -> object:
    """A whole number, or no result, with the mark; a text or a date is what the sheet shows and stays as it is."""
    if value is None:
        return ComputedNothing()
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return ComputedNumber(value) if is_whole and not isinstance(value, bool) else value  # type: ignore[call-overload]


def describe_computed(value: Computed) -> str:
    """Why a formula's result is no text."""
    result = "no result" if isinstance(value, ComputedNothing) else f"the result {value}"
    return FORMULA_FAULT.format(result=result)

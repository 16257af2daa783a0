"""What a number is when it is computed again."""

from typing import NamedTuple


class UnknownFormula(Exception):
    """The file names a formula that this version does not have; says which."""


class Result(NamedTuple):
    """value: None where the number is undefined. low, high: of its interval; n: what was counted, None where nothing is
    said of it."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    n: int | None = None

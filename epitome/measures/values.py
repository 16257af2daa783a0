"""A number, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Profile = Literal["release", "literal"]
"""`release` gives the published numbers, `literal` is what the paper's text says."""


class Undefined(ValueError):
    """A number was requested where there is none; the message says why."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number (`value`), or None and the reason (`undefined`). Never NaN, never 0 for "there is none"."""

    value: float | None
    undefined: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.undefined):
            raise ValueError(f"a Value is a number or a reason, not value={self.value!r}, reason={self.undefined!r}")
        if self.value is not None and not abs(self.value) < float("inf"):  # also false for NaN
            raise ValueError(f"a Value is a finite number, not {self.value!r}: use Value.none(reason)")

    @classmethod
    def of(cls, number: float) -> Value:
        """The number; raises ValueError unless it is finite."""
        return cls(float(number))

    @classmethod
    def none(cls, reason: str) -> Value:
        """No number, and why."""
        return cls(None, reason)

    @property
    def defined(self) -> bool:
        """Whether there is a number."""
        return self.value is not None

    def __float__(self) -> float:
        """The number; raises Undefined with the reason."""
        if self.value is None:
            raise Undefined(self.undefined)
        return self.value

"""Offsets that count UTF-16 units, as Java and browsers do, as offsets of characters."""

from __future__ import annotations

from bisect import bisect_right


class Utf16Offsets:
    """Converts the offsets of one text. A character outside the basic plane counts two units and one character."""

    def __init__(self, text: str) -> None:
        self.n_units = len(text) + sum(char > "\uffff" for char in text)
        # The unit at which each wide character begins.
        wide = (place for place, char in enumerate(text) if char > "\uffff")
        self.wide = [place + n_earlier for n_earlier, place in enumerate(wide)]

    def to_characters(self, unit: int) -> int | None:
        """The offset in characters; None outside the text and inside a character."""
        n_wide = bisect_right(self.wide, unit - 1)
        is_inside = n_wide > 0 and self.wide[n_wide - 1] == unit - 1
        return unit - n_wide if 0 <= unit <= self.n_units and not is_inside else None

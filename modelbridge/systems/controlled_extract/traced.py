"""Text whose characters know where in the source sentence they come from, so that every change can be traced back."""

import re
from collections.abc import Callable
from dataclasses import dataclass

NEW = -1
"""The origin of a character that no change of the source's own text explains."""


@dataclass(frozen=True, slots=True)
class Traced:
    """origins: for each character of text its code point in the source sentence, or NEW."""

    text: str
    origins: tuple[int, ...]

    @classmethod
    def of(cls, text: str, start: int = 0) -> "Traced":
        """The source's own text, which begins at `start`."""
        return cls(text, tuple(range(start, start + len(text))))

    @classmethod
    def new(cls, text: str, start: int = NEW, end: int = NEW) -> "Traced":
        """Text that stands for source[start:end]; for nothing of the source by default."""
        if start == NEW or not text:
            return cls(text, (NEW,) * len(text))
        return cls(text, (start,) * (len(text) - 1) + (end - 1,))

    def __add__(self, other: "Traced") -> "Traced":
        return Traced(self.text + other.text, self.origins + other.origins)

    def cut(self, start: int, end: int) -> "Traced":
        return Traced(self.text[start:end], self.origins[start:end])

    def replace(self, start: int, end: int, other: "Traced") -> "Traced":
        return self.cut(0, start) + other + self.cut(end, len(self.text))

    def locate(self, start: int, end: int) -> tuple[int, int] | None:
        """Where source[start:end] stands unchanged and in one piece, or None."""
        if end <= start or start not in self.origins:
            return None
        at = self.origins.index(start)
        size = end - start
        return (at, at + size) if self.origins[at : at + size] == tuple(range(start, end)) else None

    def source_span(self, start: int, end: int) -> tuple[int, int] | None:
        """The smallest span of the source sentence that text[start:end] comes from; None for new text alone."""
        known = [origin for origin in self.origins[start:end] if origin != NEW]
        return (min(known), max(known) + 1) if known else None

    def sub(self, pattern: re.Pattern[str], replacement: Callable[[re.Match[str]], str] | str) -> "Traced":
        """Like `re.sub`; what replaces a match stands for the match's origins."""
        traced = self
        for match in reversed(list(pattern.finditer(self.text))):
            text = replacement if isinstance(replacement, str) else replacement(match)
            if text == match[0]:
                continue
            span = self.source_span(*match.span()) if text else None
            traced = traced.replace(*match.span(), Traced.new(text, *(span or (NEW, NEW))))
        return traced

    def strip(self, characters: str = " ") -> "Traced":
        start = len(self.text) - len(self.text.lstrip(characters))
        return self.cut(start, max(start, len(self.text.rstrip(characters))))

    def capitalized(self) -> "Traced":
        return Traced(self.text[:1].upper() + self.text[1:], self.origins) if self._keeps_size() else self

    def lowered(self) -> "Traced":
        return Traced(self.text[:1].lower() + self.text[1:], self.origins) if self._keeps_size() else self

    def _keeps_size(self) -> bool:
        """Whether a change of case leaves one character ("ß" becomes two)."""
        return len(self.text[:1].upper()) == len(self.text[:1].lower()) == 1


def align(text: str, source: str) -> tuple[int, ...]:
    """Origins of a text of which no more is known than what it was made from: the longest matches in order."""
    from difflib import SequenceMatcher

    origins = [NEW] * len(text)
    for block in SequenceMatcher(None, text.lower(), source.lower(), autojunk=False).get_matching_blocks():
        if block.size > 1:
            origins[block.a : block.a + block.size] = range(block.b, block.b + block.size)
    return tuple(origins)

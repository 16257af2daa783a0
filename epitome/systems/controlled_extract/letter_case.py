"""Small first letters for what no longer begins its sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from epitome.measures.stopwords import STOP_WORDS

_SMALL = re.compile(r"(?<![\w'’-])[a-z]+\b")
_INNER = re.compile(r"(?<![\w'’.-])[a-z]+,? ([A-Z][a-z]+)\b")
_HAS_CAPITALS = re.compile(r".+[A-Z]|(?!A$)[A-Z]$|.*\d")
_COMMON_TAGS = frozenset({"NNS", "RB", "VBG", "VBN"})
_ALWAYS_SMALL_WORDS = """
    another each every either neither since although though despite amid among also meanwhile many several most nearly
    almost today yesterday however perhaps sometimes often early late last next some all
    one two three four five six seven eight nine ten twenty thirty forty fifty sixty seventy eighty ninety
"""
_ALWAYS_SMALL = _ALWAYS_SMALL_WORDS.split()


@dataclass(frozen=True, slots=True)
class Casing:
    """How a source writes its words. small: those that it writes with small letters. inner: those with a capital inside
    of sentences."""

    small: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Casing":
        return cls(
            frozenset({word for text in texts for word in _SMALL.findall(text)} | STOP_WORDS | set(_ALWAYS_SMALL)),
            frozenset(word for text in texts for word in _INNER.findall(text)),
        )

    def keeps_capital(self, word: str, tag: str) -> bool:
        """Whether a word at the beginning of a sentence keeps its capital elsewhere. tag: Penn, "" if unknown."""
        if _HAS_CAPITALS.match(word):
            return True
        if not self.small:
            return tag in ("NNP", "NNPS")
        if word not in self.inner and tag in _COMMON_TAGS:
            return False
        if word.lower() not in self.small:
            return True
        return word in self.inner and tag in ("NNP", "NNPS", "")


PLAIN_CASING = Casing()
"""Of a source that is not known: tags alone decide."""

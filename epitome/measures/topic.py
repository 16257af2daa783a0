"""Topic (Tpc): whether a summary names the requested topics."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from epitome.measures.requested_names import parse_names
from epitome.measures.values import Value

_BORDERS = re.compile(r"[\s,;:@#$%&?!()\[\]{}<>\"“”«»‘’`…。！？｡।॥؟۔።။។،؛、，；：「」『』（）《》]+|--+|\.\.+")
_ENDING = re.compile(r"(?:n't|'(?:s|m|d|ll|re|ve))\Z")


def topic_words(topics: Sequence[str] | str) -> list[str]:
    """The alphabetic words of the topics, lower case, in their order, duplicates kept: "21 jump streets" has two.

    White space and punctuation separate words; full stops and a genitive or contracted ending are removed. A word with
    a hyphen, a digit or a full stop inside is dropped. Vowel signs and accents belong to their letters.
    """
    text = topics if isinstance(topics, str) else " , ".join(topics)
    pieces = (_ENDING.sub("", piece.rstrip("'.")).lstrip("'.") for piece in _BORDERS.split(text.lower()))
    return [piece for piece in pieces if _is_alphabetic(piece)]


def _is_alphabetic(word: str) -> bool:
    if word.isascii() or word.isalpha():
        return word.isalpha()
    return word[0].isalpha() and all(letter.isalpha() or unicodedata.category(letter)[0] == "M" for letter in word)


def topic_share(text: str, topics: Sequence[str] | str) -> Value:
    """f_Tpc: share of the topics' alphabetic words that occur in the text, ignoring case, also inside other words.

    0 where the topics have no alphabetic word; undefined where no topic was requested.
    Source: MACSum, as its authors' released code computes it.
    """
    if not parse_names(topics):
        return Value.none("no topic requested")
    words = topic_words(topics)
    lowered = text.lower()
    return Value.of(sum(word in lowered for word in words) / len(words) if words else 0.0)

"""Keyword success (SR): which of the requested keywords a text has, compared by word stem."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from annotation.measures.requested_names import parse_names
from annotation.measures.values import Value

STEMMER = "porter"
_WORD = re.compile(r"[^\W_]+")


def match_keywords(text: str, keywords: Sequence[str]) -> list[bool]:
    """For each keyword whether the text has its words, Porter-stemmed, side by side and in order.

    A keyword without a word ("--") is never found. Source: CCSBench's SR (exact match after stemming).
    """
    stems = stem_words(text)
    return [_contains_phrase(stems, stem_words(keyword)) for keyword in keywords]


def success_rate(text: str, keywords: Sequence[str] | str) -> Value:
    """Share of the keywords that the text has, 0 to 1; undefined where none was requested."""
    if not (names := parse_names(keywords)):
        return Value.none("no keywords requested")
    hits = match_keywords(text, names)
    return Value.of(sum(hits) / len(hits))


def _contains_phrase(stems: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return size > 0 and any(stems[at : at + size] == phrase for at in range(len(stems) - size + 1))


def stem_words(text: str) -> list[str]:
    """Words of the text in lower case, each reduced to its Porter stem."""
    stem = _load_stemmer()
    return [stem(word) for word in _WORD.findall(text.lower())]


@lru_cache(maxsize=1)
def _load_stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stemmer = snowballstemmer.stemmer(STEMMER)
    return lru_cache(maxsize=65536)(stemmer.stemWord)

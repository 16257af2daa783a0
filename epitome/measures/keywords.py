"""Keyword success (SR): which of the requested keywords a text has, compared by word stem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import accumulate

from epitome.measures.requested_names import parse_names
from epitome.measures.values import Value
from epitome.text.unspaced import has_unspaced
from epitome.text.words import split_words

STEMMER = "porter"


def match_keywords(text: str, keywords: Sequence[str]) -> list[bool]:
    """For each keyword whether the text has its words, Porter-stemmed, side by side and in order.

    A keyword without a word ("--") is never found. Source: CCSBench's SR (exact match after stemming).
    """
    stems = stem_words(text)
    return [
        _contains_characters(stems, "".join(stem_words(keyword)))
        if has_unspaced(keyword)
        else _contains_phrase(stems, stem_words(keyword))
        for keyword in keywords
    ]


def success_rate(text: str, keywords: Sequence[str] | str) -> Value:
    """Share of the keywords that the text has, 0 to 1; undefined where none was requested."""
    if not (names := parse_names(keywords)):
        return Value.none("no keywords requested")
    hits = match_keywords(text, names)
    return Value.of(sum(hits) / len(hits))


def _contains_phrase(stems: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return size > 0 and any(stems[at : at + size] == phrase for at in range(len(stems) - size + 1))


def _contains_characters(stems: Sequence[str], characters: str) -> bool:
    """Whether words side by side are these characters: a keyword alone may be cut into other words than in the text."""
    if not characters:
        return False
    ends = set(accumulate(map(len, stems)))
    joined = "".join(stems)
    at = joined.find(characters)
    while at >= 0:
        if (at == 0 or at in ends) and at + len(characters) in ends:
            return True
        at = joined.find(characters, at + 1)
    return False


def stem_words(text: str) -> list[str]:
    """Words of the text in lower case, each reduced to its Porter stem: runs of letters with their vowel signs and
    accents, and digits; in scripts that write no words apart, what `split_words` cuts."""
    stem = _load_stemmer()
    return [stem(word) for word in _find_words(" ".join(split_words(text)).lower())]


def _find_words(text: str) -> list[str]:
    import regex

    words: list[str] = regex.findall(r"[\p{L}\p{M}\p{N}]+", text)
    return words


@lru_cache(maxsize=1)
def _load_stemmer() -> Callable[[str], str]:
    import snowballstemmer

    stemmer = snowballstemmer.stemmer(STEMMER)
    return lru_cache(maxsize=65536)(stemmer.stemWord)

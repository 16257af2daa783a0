"""Readability: the Flesch-Kincaid grade level, and the syllables it counts."""

from __future__ import annotations

import re

from annotation.measures.length import sentences
from annotation.measures.values import Undefined, Value

SYLLABLES = "vowel-groups@1"
"""The name of the syllable method; it goes into the signature, because the grade depends on it."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_GROUP = re.compile(r"[aeiouyà-öø-ý]+")


def fkgl_of_counts(words: int, sentences: int, syllables: int) -> float:
    """0.39 words/sentences + 11.8 syllables/words - 15.59, a US school grade.

    Raises Undefined without words or sentences. Source: Kincaid et al. (1975).
    """
    if words <= 0 or sentences <= 0:
        raise Undefined(f"a grade level needs words and sentences, not {words} and {sentences}")
    return 0.39 * words / sentences + 11.8 * syllables / words - 15.59


def fkgl(text: str) -> Value:
    """The grade level of a text; undefined where it has no word. Words: letters and digits, hyphens kept inside."""
    words = _WORD.findall(text)
    if not words:
        return Value.none("the text has no word")
    return Value.of(fkgl_of_counts(len(words), max(1, len(sentences(text))), sum(map(syllables, words))))


def syllables(word: str) -> int:
    """Syllables of an English word by its vowel groups; a silent final e is none; at least 1."""
    low = word.lower()
    count = len(_GROUP.findall(low))
    if low.endswith("e") and not low.endswith(("le", "ee", "ye")) and count > 1:
        count -= 1
    return max(1, count)

"""Readability: the Flesch-Kincaid grade level."""

from __future__ import annotations

import re

from epitome.measures.length import list_sentences
from epitome.measures.syllables import DEFAULT_METHOD, SyllableMethod, count_syllables
from epitome.measures.values import Profile, Undefined, Value
from epitome.text.scripts import OTHER_SCRIPT, is_latin

VERSION = "3"

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def fkgl_of_counts(words: int, sentences: int, syllables: int) -> float:
    """0.39 words/sentences + 11.8 syllables/words - 15.59, a US school grade.

    Raises Undefined without words or sentences. Source: Kincaid et al. (1975).
    """
    if words <= 0 or sentences <= 0:
        raise Undefined(f"a grade level needs words and sentences, not {words} and {sentences}")
    return 0.39 * words / sentences + 11.8 * syllables / words - 15.59


def fkgl(text: str, profile: Profile = "release", *, syllables: SyllableMethod = DEFAULT_METHOD) -> Value:
    """The grade level of a text; undefined where it has no word or is in another script than English.

    Words: letters and digits, hyphens kept inside.

    profile: of the sentences. syllables: how they are counted, see `count_syllables`; raises ImportError for `pyphen`
    where it is not installed.
    """
    words = _WORD.findall(text)
    if not words:
        return Value.none("the text has no word")
    if not is_latin(text):
        return Value.none(OTHER_SCRIPT)
    sentences = max(1, len(list_sentences(text, profile)))
    return Value.of(fkgl_of_counts(len(words), sentences, sum(count_syllables(word, syllables) for word in words)))

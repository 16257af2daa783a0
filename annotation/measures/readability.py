"""Readability: the Flesch-Kincaid grade level, and the syllables it counts."""

from __future__ import annotations

import re
import unicodedata

from annotation.measures.length import list_sentences
from annotation.measures.values import Undefined, Value

SYLLABLES = "vowel-groups@1"
"""The name of the syllable method; it goes into the signature, because the grade depends on it."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# A group of vowels is a syllable. "y" is a vowel after a consonant and a border between vowels (try-ing, play-er).
_VOWEL_GROUP = re.compile(r"[aeiou]+|(?<=[^aeiou])y")
_CONSONANT = "[bcdfghjklmnpqrstvwxyz]"
_SILENT_E = (
    re.compile(rf"(?<={_CONSONANT})(?<!{_CONSONANT}l)e\Z"),  # make, but not table
    re.compile(rf"(?<={_CONSONANT})(?<!{_CONSONANT}l)(?<![szxcg])(?<!sh)(?<!ch)es\Z"),  # makes, but not boxes
    re.compile(rf"(?<={_CONSONANT})(?<!{_CONSONANT}l)(?<![td])ed\Z"),  # walked, but not wanted
    re.compile(rf"(?<={_CONSONANT})e(?=(?:ly|ments?|ful|less|ness)\Z)"),  # lovely, statement
)
_EXTRA_SYLLABLE = (
    re.compile(r"(?<![ctsgnlx])i(?=[aou])"),  # radio, but not nation
    re.compile(r"(?<![qg])u(?=[ao])"),  # actual, but not quality
    re.compile(r"(?<=[aeou])i(?=ng)"),  # doing
    re.compile(r"(?<!t)(?<!fic)i(?=et|enc)"),  # quiet, science, but not patience
    re.compile(rf"[aeiouy][a-z]*{_CONSONANT}(?:ea|eo)\Z"),  # idea and video, but not sea
    re.compile(r"creat(?!u)"),  # created, but not creature
    re.compile(r"(?:sm|thm)\Z"),  # tourism, rhythm
)


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
    return Value.of(fkgl_of_counts(len(words), max(1, len(list_sentences(text))), sum(map(count_syllables, words))))


def count_syllables(word: str) -> int:
    """Syllables of an English word, at least 1; those of its parts where it has a hyphen.

    Counts groups of vowels; a silent e is none; some neighbouring vowels are two. There is no list of exceptions, so
    a few words in a hundred are off by one. Digits and other scripts count as one.
    """
    return sum(_count_unhyphenated(piece) for piece in re.split("[-–]", word) if piece) or 1


def _count_unhyphenated(word: str) -> int:
    lowered = _strip_accents(word)
    base = lowered.removesuffix("'s").removesuffix("n't")
    count = len(_VOWEL_GROUP.findall(base)) + sum(len(pattern.findall(base)) for pattern in _EXTRA_SYLLABLE)
    if count > 1 and any(pattern.search(base) for pattern in _SILENT_E):
        count -= 1
    if lowered.endswith("n't") and base[-1:] not in "aeiou":  # does-n't, but not don't
        count += 1
    return max(1, count)


def _strip_accents(word: str) -> str:
    """Lower case without accents; an e with an accent is never silent, so it becomes an i."""
    lowered = re.sub("[éèêë]", "i", unicodedata.normalize("NFC", word.lower())).replace("’", "'")
    return "".join(letter for letter in unicodedata.normalize("NFD", lowered) if not unicodedata.combining(letter))

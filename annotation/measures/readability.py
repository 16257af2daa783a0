"""Readability: the Flesch-Kincaid grade level, and the syllables it counts."""

from __future__ import annotations

import re
import unicodedata

from annotation.measures.length import sentences
from annotation.measures.values import Undefined, Value

SYLLABLES = "vowel-groups@1"
"""The name of the syllable method; it goes into the signature, because the grade depends on it."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

# A group of vowels is a syllable. "y" is a vowel after a consonant and a border between vowels (try-ing, play-er).
_GROUP = re.compile(r"[aeiou]+|(?<=[^aeiou])y")
_CONSONANT = "[bcdfghjklmnpqrstvwxyz]"
_SILENT = (
    re.compile(rf"(?<={_CONSONANT})(?<!{_CONSONANT}l)e\Z"),  # make, but not table
    re.compile(rf"(?<={_CONSONANT})(?<!{_CONSONANT}l)(?<![szxcg])(?<!sh)(?<!ch)es\Z"),  # makes, but not boxes
    re.compile(rf"(?<={_CONSONANT})(?<!{_CONSONANT}l)(?<![td])ed\Z"),  # walked, but not wanted
    re.compile(rf"(?<={_CONSONANT})e(?=(?:ly|ments?|ful|less|ness)\Z)"),  # lovely, statement
)
_MORE = (
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
    return Value.of(fkgl_of_counts(len(words), max(1, len(sentences(text))), sum(map(syllables, words))))


def syllables(word: str) -> int:
    """Syllables of an English word, at least 1; those of its parts where it has a hyphen.

    Groups of vowels are counted; a silent e is none; some neighbouring vowels are two. It knows no exceptions, so a few
    words in a hundred are one off. Digits and other scripts count as one.
    """
    return sum(_of_part(part) for part in re.split("[-–]", word) if part) or 1


def _of_part(word: str) -> int:
    low = _plain(word)
    base = low.removesuffix("'s").removesuffix("n't")
    count = len(_GROUP.findall(base)) + sum(len(pattern.findall(base)) for pattern in _MORE)
    if count > 1 and any(pattern.search(base) for pattern in _SILENT):
        count -= 1
    if low.endswith("n't") and base[-1:] not in "aeiou":  # does-n't, but not don't
        count += 1
    return max(1, count)


def _plain(word: str) -> str:
    """Lower case without accents; an e with an accent is never silent, so it becomes an i."""
    low = re.sub("[éèêë]", "i", unicodedata.normalize("NFC", word.lower())).replace("’", "'")
    return "".join(letter for letter in unicodedata.normalize("NFD", low) if not unicodedata.combining(letter))

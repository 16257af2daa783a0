"""Syllables of English words, by one of two methods."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from importlib import metadata
from typing import Any, Final, Literal, get_args

SyllableMethod = Literal["vowel-groups", "pyphen"]
DEFAULT_METHOD: Final = "vowel-groups"
SYLLABLES = f"{DEFAULT_METHOD}@1"
"""The name of the default method; it goes into the signature, because a grade depends on it."""

_LANGUAGE = "en_US"
_HYPHEN = re.compile("[-–]")
_APOSTROPHE = re.compile("['’]")

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


def count_syllables(word: str, method: SyllableMethod = DEFAULT_METHOD) -> int:
    """Syllables of an English word, at least 1; those of its parts where it has a hyphen.

    `vowel-groups` counts groups of vowels; a silent e is none; some neighbouring vowels are two. There is no list of
    exceptions, so a few words in a hundred are off by one. Digits and other scripts count as one.
    `pyphen` takes the places where a line may break plus one, as textstat does: too few for many words ("ago" has
    one), but published grades were often counted so. Raises ImportError where pyphen is not installed.
    """
    count = _count_break_points if method == "pyphen" else _count_unhyphenated
    return sum(count(piece) for piece in _HYPHEN.split(word) if piece) or 1


def syllable_id(method: SyllableMethod = DEFAULT_METHOD) -> str:
    """The method with its version, for the signature. Raises ImportError where pyphen is not installed, ValueError."""
    if method not in get_args(SyllableMethod):
        raise ValueError(f"syllables are counted by {' or '.join(get_args(SyllableMethod))}, not {method!r}")
    if method == "pyphen":
        _load_pyphen()
        return f"pyphen@{metadata.version('pyphen')}+{_LANGUAGE}"
    return SYLLABLES


@lru_cache(maxsize=1)
def _load_pyphen() -> Any:
    try:
        import pyphen
    except ImportError as error:
        raise ImportError('syllables by pyphen need it: pip install "epitome[analysis]"') from error
    return pyphen.Pyphen(lang=_LANGUAGE)


def _count_break_points(word: str) -> int:
    return len(_load_pyphen().positions(_APOSTROPHE.sub("", word.lower()))) + 1


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

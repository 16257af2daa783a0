"""Finds personal data by its form: e-mail addresses and phone numbers in any text, names of people in titles.

The search is by rules, so that it runs offline on any number of texts and gives the same hits each time. It misses
what has no such form: a person decides about the hits, and reads a sample of the texts besides.
"""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from epitome.publication.given_names import GIVEN_NAMES

KINDS = ("email", "phone", "name")
MASK = "█"
MIN_DIGITS, MAX_DIGITS = 7, 15
"""Of a phone number; E.164 allows 15."""

_AT = r"(?:@|\s?[\[(]\s?(?:at|AT)\s?[\])]\s?)"
_EMAIL = re.compile(rf"(?<![\w.%+-])[\w.%+-]{{1,64}}{_AT}(?:[\w-]{{1,63}}\.){{1,8}}[^\W\d_]{{2,24}}")
_BRACKETED_AT = re.compile(r"[\[(]\s?(?:at|AT)\s?[\])]")
_PHONES = (
    re.compile(r"(?<![\w+])(?:\+|00)\d[\d\s()./-]{5,20}\d(?!\w)"),
    re.compile(r"(?<![\w.,/-])\(?0\d{1,5}\)?[\s/-]{1,3}\d[\d\s/-]{3,12}\d(?![\w.,/-]?\d)"),
    re.compile(r"(?<![\w.,/-])(?:\(\d{3}\)\s?|\d{3}[\s.-])\d{3}[\s.-]\d{4}(?![\w-])"),
    re.compile(r"(?i:\b(?:tel|telephone|phone|fax|mobile|cell)\b)\W{1,4}\(?\d[\d\s()./-]{4,18}\d"),
)
_DIGIT = re.compile(r"\d")
_LEADING_WORD = re.compile(r"^[^\W\d_]+\W*")
_NAME_PART = r"[^\W\d_a-z][^\W\d_]{1,39}(?:[-'’][^\W\d_]{1,39}){0,3}"
_HONORIFIC = re.compile(
    rf"\b(?:Mr|Mrs|Ms|Mx|Miss|Dr|Prof|Professor|Sir|Dame|Lord|Lady|Herr|Frau|Monsieur|Madame|Mme|Señora?|Rev)\b\.?\s+"
    rf"{_NAME_PART}(?:\s+{_NAME_PART}){{0,2}}"
)
_WITH_INITIAL = re.compile(rf"\b{_NAME_PART}\s+(?:[^\W\d_a-z]\.\s?){{1,3}}\s?{_NAME_PART}")
_PAIR = re.compile(rf"\b({_NAME_PART})\s+{_NAME_PART}(?:\s+{_NAME_PART})?")


class Match(NamedTuple):
    """Something that looks like personal data: its kind, and where it is in the text, in code points, half open."""

    kind: str
    start: int
    end: int


def find_contacts(text: str) -> list[Match]:
    """E-mail addresses and phone numbers, in order; none overlaps another."""
    matches: list[Match] = []
    if "@" in text or _BRACKETED_AT.search(text):
        matches.extend(Match("email", *match.span()) for match in _EMAIL.finditer(text))
    if _DIGIT.search(text):
        matches.extend(_find_phones(text))
    return _drop_overlaps(matches)


def _find_phones(text: str) -> Iterator[Match]:
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            start = match.start() + (word.end() if (word := _LEADING_WORD.match(match[0])) else 0)
            n_digits = len(_DIGIT.findall(text[start : match.end()]))
            if MIN_DIGITS <= n_digits <= MAX_DIGITS:
                yield Match("phone", start, match.end())


def find_names(title: str, known_names: Collection[str] = ()) -> list[Match]:
    """Names of people in a title, in order; none overlaps another. known_names: names to look for besides, such as
    those of a conversation's speakers."""
    matches = [Match("name", *match.span()) for match in _HONORIFIC.finditer(title)]
    matches += [Match("name", *match.span()) for match in _WITH_INITIAL.finditer(title)]
    matches += [Match("name", *match.span()) for match in _PAIR.finditer(title) if match[1].casefold() in GIVEN_NAMES]
    for name in known_names:
        if is_personal(name):
            pattern = re.compile(rf"(?<!\w){re.escape(name.strip())}(?!\w)")
            matches += [Match("name", *match.span()) for match in pattern.finditer(title)]
    return _drop_overlaps([_end_with_word(title, match) for match in matches])


def _end_with_word(text: str, match: Match) -> Match:
    """The match up to the end of its last word, which the patterns bound."""
    end = match.end
    while end < len(text) and text[end].isalpha():
        end += 1
    return match._replace(end=end)


def is_personal(speaker: str) -> bool:
    """Whether a speaker's name can be a person's: one to four capitalised words, no role such as `PM`, `Speaker 2`."""
    words = speaker.split()
    if not 1 <= len(words) <= 4 or any(_DIGIT.search(word) for word in words):
        return False
    is_role = words[0].casefold() in {"speaker", "user", "participant", "chair", "interviewer", "host", "agent"}
    return not is_role and all(len(word) > 1 and word[0].isupper() and not word.isupper() for word in words)


def mask_text(text: str, matches: Collection[tuple[int, int]]) -> str:
    """The text with every character but white space of the places replaced, so that no offset and no number of words
    changes."""
    characters = list(text)
    for start, end in matches:
        characters[start:end] = [letter if letter.isspace() else MASK for letter in characters[start:end]]
    return "".join(characters)


def _drop_overlaps(matches: list[Match]) -> list[Match]:
    """In order of place; of overlapping ones the longest."""
    chosen: list[Match] = []
    for match in sorted(matches, key=lambda match: (match.start - match.end, match.start, match.kind)):
        if all(match.end <= other.start or other.end <= match.start for other in chosen):
            chosen.append(match)
    return sorted(chosen, key=lambda match: match.start)

"""Errors marked in a text: their stored form, the characters they cover, and a model's quotes found in the text."""

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, TypeGuard

from epitome.text.words import n_words, word_spans

OMISSION = "omission"
"""The category of an error without a place: something that the text should say and does not."""
MOST_MARKS = 100
LEAST_ALIKE = 0.8
"""Least likeness of a quote to the words it is aligned with, where it is not in the text exactly."""
LEAST_FUZZY = 4
"""Shorter quotes are only aligned as they are."""
LEAST_SAME = 0.5
"""F1 of the marked characters from which two answers of one person count as the same."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One error. start, end: code points of the text, half open; None for an omission. category: "" where the question
    has none."""

    severity: str
    category: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def is_omission(self) -> bool:
        return self.start is None

    @property
    def place(self) -> range:
        """The characters it covers; empty for an omission."""
        return range(self.start, self.end) if self.start is not None and self.end is not None else range(0)

    def as_dict(self) -> dict[str, Any]:
        fields = {"start": self.start, "end": self.end, "category": self.category, "severity": self.severity}
        return {name: value for name, value in fields.items() if value not in (None, "")}


def write_marks(marks: Iterable[Mark]) -> str:
    """The marks as they are stored: one JSON list, in the order of the text, omissions last."""
    ordered = sorted(marks, key=lambda mark: (mark.is_omission, mark.start or 0, mark.end or 0, mark.category))
    return json.dumps([mark.as_dict() for mark in ordered], ensure_ascii=False, separators=(",", ":"))


def read_marks(answer: str) -> tuple[Mark, ...]:
    """The marks of a JSON list of {start, end, category, severity}; of an omission without start and end.

    Raises ValueError saying what is wrong.
    """
    try:
        entries = json.loads(answer)
    except ValueError as error:
        raise ValueError("must be a JSON list of marks") from error
    if not isinstance(entries, list) or len(entries) > MOST_MARKS:
        raise ValueError(f"must be a JSON list of at most {MOST_MARKS} marks")
    marks = tuple(_read_mark(entry) for entry in entries)
    places = [(mark.start, mark.end, mark.category) for mark in marks if not mark.is_omission]
    if len(set(places)) < len(places):
        raise ValueError("marks the same words twice in one category")
    return marks


@lru_cache(1 << 14)
def load_marks(answer: str) -> tuple[Mark, ...]:
    """The marks of a stored answer (cached)."""
    return read_marks(answer)


def _read_mark(entry: object) -> Mark:
    if not isinstance(entry, dict) or not set(entry) <= {"start", "end", "category", "severity"}:
        raise ValueError("holds a mark with other keys than start, end, category and severity")
    category, severity = entry.get("category", ""), entry.get("severity")
    if not isinstance(category, str) or not isinstance(severity, str):
        raise ValueError("holds a mark whose category or severity is no text")
    start, end = entry.get("start"), entry.get("end")
    if start is None and end is None:
        return Mark(severity, category)
    if not _is_whole(start) or not _is_whole(end) or not 0 <= start < end:
        raise ValueError("holds a mark without 0 <= start < end")
    return Mark(severity, category, start, end)


def check_marks(
    marks: Iterable[Mark], categories: Sequence[str], severities: Collection[str], *, omission: bool
) -> None:
    """Whether the marks are of the declared kinds; categories: () where marks have none. Raises ValueError."""
    for mark in marks:
        if mark.is_omission and not (omission and mark.category == OMISSION):
            raise ValueError("holds a mark without start and end")
        if not mark.is_omission and mark.category not in (categories or ("",)):
            raise ValueError(f"has a mark of another category than {', '.join(categories) or 'none'}")
        if mark.severity not in severities:
            raise ValueError(f"has a mark of another severity than {', '.join(severities)}")


def check_places(marks: Iterable[Mark], text: str) -> None:
    """Whether the marks are in the text. Raises ValueError."""
    for mark in marks:
        if mark.end is not None and mark.end > len(text):
            raise ValueError(f"has a mark that ends at {mark.end}, behind the text of {len(text)} characters")


def _is_whole(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool)


def find_words(text: str) -> list[tuple[int, int]]:
    """Start and end of each word, as words are counted elsewhere."""
    return word_spans(text)


def covered_words(words: Sequence[tuple[int, int]], marks: Iterable[Mark]) -> list[bool]:
    """Whether each word is touched by a mark. words: as `find_words` gives them."""
    covered = [False] * len(words)
    ends = [end for _start, end in words]
    for mark in marks:
        if mark.start is None or mark.end is None:
            continue
        index = bisect_left(ends, mark.start + 1)
        while index < len(words) and words[index][0] < mark.end:
            covered[index] = True
            index += 1
    return covered


def covered_characters(marks: Iterable[Mark]) -> set[int]:
    """The places of all marked characters."""
    return {place for mark in marks for place in mark.place}


def character_f1(marks: Iterable[Mark], others: Iterable[Mark]) -> float | None:
    """F1 of the marked characters of two raters of one text; None where nobody marked any."""
    mine, theirs = covered_characters(marks), covered_characters(others)
    return 2 * len(mine & theirs) / (len(mine) + len(theirs)) if mine or theirs else None


@dataclass(frozen=True)
class Alignment:
    """A model's marks found in a text. n_quotes: how many errors it quoted; n_fuzzy: aligned though not word for word;
    unaligned: the quotes that are not in the text."""

    marks: tuple[Mark, ...]
    n_quotes: int
    n_fuzzy: int
    unaligned: tuple[str, ...]


def align_quotes(text: str, quoted: Iterable[tuple[str, str, str]]) -> Alignment:
    """Find quotes in a text: the first exact match that no other mark of the same words took, then one that differs in
    case and white space, then the words most alike. quoted: (quote, category, severity) in the order of the answer."""
    marks: dict[tuple[int, int, str], Mark] = {}
    n_quotes = n_fuzzy = 0
    unaligned = []
    for quote, category, severity in quoted:
        n_quotes += 1
        used_places = {(start, end) for start, end, _category in marks}
        place = _find_exact(text, quote.strip(), used_places)
        if place is None:
            place = _find_folded(text, quote) or _find_alike(text, quote)
            n_fuzzy += place is not None
        if place is None:
            unaligned.append(quote)
        else:
            marks.setdefault((*place, category), Mark(severity, category, *place))
    return Alignment(tuple(marks.values()), n_quotes, n_fuzzy, tuple(unaligned))


def _find_exact(text: str, quote: str, used_places: set[tuple[int, int]]) -> tuple[int, int] | None:
    """The first match, rather one of whole words and one that is not used yet."""
    if not quote:
        return None
    places = [match.span(1) for match in re.finditer(f"(?=({re.escape(quote)}))", text)]
    whole_words = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(quote)}(?!\w)", text)]
    candidates = whole_words or places
    return next((place for place in candidates if place not in used_places), candidates[0] if candidates else None)


def _find_folded(text: str, quote: str) -> tuple[int, int] | None:
    """A match whatever the case, the white space, the form of quotation marks, and ends such as "..."."""
    words = quote.strip(" \t\r\n\"'“”‘’«»….").split()
    pattern = r"\s+".join(re.sub(r"['’‘\"“”]", "['’‘\"“”]", re.escape(word)) for word in words)
    match = re.search(pattern, text, re.IGNORECASE) if words else None
    return match.span() if match else None


def _find_alike(text: str, quote: str) -> tuple[int, int] | None:
    """The run of words most alike to the quote, of one word less or more than it at most; None below LEAST_ALIKE."""
    if len(quote.strip()) < LEAST_FUZZY:
        return None
    words, n = find_words(text), max(1, n_words(quote))
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(quote.strip().casefold())
    best, place = LEAST_ALIKE, None
    for size in dict.fromkeys((n, max(1, n - 1), n + 1)):
        for first in range(len(words) - size + 1):
            start, end = words[first][0], words[first + size - 1][1]
            matcher.set_seq1(text[start:end].casefold())
            if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and matcher.ratio() > best:
                best, place = matcher.ratio(), (start, end)
    return place

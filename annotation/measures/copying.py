"""Copied runs: words of a summary that stand in the source exactly so, with their places in both."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.measures.source import SourceIndex

_PIECE = re.compile(r"\S+")


class Place(NamedTuple):
    """Where a run stands in the source: segment number, start and end (exclusive) in code points of its text."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """Copied words: start and end (exclusive) in code points of the summary, and every place of theirs."""

    start: int
    end: int
    places: list[Place]


class _Word(NamedTuple):
    """A white-space token without the full stops at its ends; `gap` is what stands between it and the word before."""

    gap: str
    core: str
    start: int
    end: int


_Words = Sequence[_Word]
_At = tuple[int, int]  # segment, number of the word in it
_Places = Mapping[tuple[str, ...], Sequence[_At]]


def copied_runs(text: str, source: SourceIndex, least: int = 3) -> list[Run]:
    """The runs of at least `least` words that stand in one segment of the source, case, marks and blanks included.

    Each is as long as can be, so none lies inside another, though two may overlap; `text[run.start:run.end]` equals
    the segment's text at each place. Full stops at the ends of a run are left out. In the order of the text.
    Raises ValueError for least < 1.
    """
    if least < 1:
        raise ValueError(f"a run has at least 1 word, not {least}")
    words = _words(text)
    segments, places = source.kept(("runs", least), lambda: _index(source.texts, least))
    runs: list[Run] = []
    ongoing: dict[_At, int] = {}  # how many words match from this place on
    last = 0
    for first in range(len(words) - least + 1):
        ongoing = {
            (segment, at): ongoing[segment, at - 1] - 1
            if (segment, at - 1) in ongoing
            else _length(words, first, segments[segment], at, least)
            for segment, at in places.get(_key(words, first, least), ())
        }
        size = max(ongoing.values(), default=0)
        if size and first + size > last:
            last = first + size
            runs.append(_run(words[first:last], segments, [at for at, own in ongoing.items() if own == size]))
    return runs


def _words(text: str) -> list[_Word]:
    """The words of a text; a word of full stops alone is part of the gap."""
    words: list[_Word] = []
    end = 0
    for match in _PIECE.finditer(text):
        core = match.group().strip(".")
        if core:
            start = match.start() + match.group().index(core)
            words.append(_Word(text[end:start], core, start, start + len(core)))
            end = start + len(core)
    return words


def _index(texts: Sequence[str], least: int) -> tuple[list[_Words], _Places]:
    """The words of each segment, and where each sequence of `least` words begins."""
    segments: list[_Words] = [_words(text) for text in texts]
    places: dict[tuple[str, ...], list[_At]] = defaultdict(list)
    for number, words in enumerate(segments):
        for at in range(len(words) - least + 1):
            places[_key(words, at, least)].append((number, at))
    return segments, dict(places)


def _key(words: _Words, at: int, least: int) -> tuple[str, ...]:
    """The words from `at` on with what stands between them."""
    key = [words[at].core]
    for word in words[at + 1 : at + least]:
        key += word.gap, word.core
    return tuple(key)


def _length(words: _Words, first: int, theirs: _Words, at: int, least: int) -> int:
    """How many words match from here on; the first `least` are known to."""
    size = least
    for own, other in zip(words[first + least :], theirs[at + least :], strict=False):
        if own.gap != other.gap or own.core != other.core:
            break
        size += 1
    return size


def _run(words: _Words, segments: Sequence[_Words], found: Sequence[_At]) -> Run:
    size = len(words)
    places = [Place(number, segments[number][at].start, segments[number][at + size - 1].end) for number, at in found]
    return Run(words[0].start, words[-1].end, places)

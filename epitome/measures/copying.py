"""Copied runs: sequences of words that a summary takes verbatim from its source, with their places in both."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from epitome.measures.source import SourceIndex
from epitome.text.unspaced import cut_runs, has_unspaced

_TOKEN = re.compile(r"\S+")


class Place(NamedTuple):
    """Where a run occurs in the source: segment number, start and end (exclusive) in code points of its text."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Run:
    """Copied words: start and end (exclusive) in code points of the summary, and every place in the source."""

    start: int
    end: int
    places: list[Place]


class _Word(NamedTuple):
    """A white-space token without the full stops at its ends, or a piece of one where its script writes no words apart;
    `gap` is the text between it and the previous word."""

    gap: str
    core: str
    start: int
    end: int


_Words = Sequence[_Word]
_Position = tuple[int, int]  # segment number, word number in the segment
_PositionsByKey = Mapping[tuple[str, ...], Sequence[_Position]]


def copied_runs(text: str, source: SourceIndex, min_words: int = 3) -> list[Run]:
    """The runs of at least `min_words` words copied from one segment, with equal case, punctuation and white space.

    Each is as long as possible, so none is inside another, though two may overlap; `text[run.start:run.end]` equals
    the segment's text at each place. Full stops at the ends of a run are left out. In the order of the text.
    Raises ValueError for min_words < 1.
    """
    if min_words < 1:
        raise ValueError(f"a run has at least 1 word, not {min_words}")
    words = _split_words(text)
    segments, positions_by_key = source.kept(("runs", min_words), lambda: _index_segments(source.texts, min_words))
    runs: list[Run] = []
    match_lengths: dict[_Position, int] = {}  # number of words that match from this position on
    last = 0
    for first in range(len(words) - min_words + 1):
        match_lengths = {
            (segment, at): match_lengths[segment, at - 1] - 1
            if (segment, at - 1) in match_lengths
            else _match_length(words, first, segments[segment], at, min_words)
            for segment, at in positions_by_key.get(_sequence_key(words, first, min_words), ())
        }
        size = max(match_lengths.values(), default=0)
        if size and first + size > last:
            last = first + size
            runs.append(
                _build_run(words[first:last], segments, [at for at, length in match_lengths.items() if length == size])
            )
    return runs


def _split_words(text: str) -> list[_Word]:
    """The words of a text; a word of full stops alone is part of the gap."""
    words: list[_Word] = []
    end = 0
    for match in _TOKEN.finditer(text):
        core = match.group().strip(".")
        if not core:
            continue
        start = match.start() + match.group().index(core)
        for piece in cut_runs(core) if has_unspaced(core) else [core]:
            words.append(_Word(text[end:start], piece, start, start + len(piece)))
            start = end = start + len(piece)
    return words


def _index_segments(texts: Sequence[str], min_words: int) -> tuple[list[_Words], _PositionsByKey]:
    """The words of each segment, and where each sequence of `min_words` words begins."""
    segments: list[_Words] = [_split_words(text) for text in texts]
    positions_by_key: dict[tuple[str, ...], list[_Position]] = defaultdict(list)
    for index, words in enumerate(segments):
        for at in range(len(words) - min_words + 1):
            positions_by_key[_sequence_key(words, at, min_words)].append((index, at))
    return segments, dict(positions_by_key)


def _sequence_key(words: _Words, at: int, min_words: int) -> tuple[str, ...]:
    """The `min_words` words from `at` on, with the gaps between them."""
    key = [words[at].core]
    for word in words[at + 1 : at + min_words]:
        key += word.gap, word.core
    return tuple(key)


def _match_length(words: _Words, first: int, segment_words: _Words, at: int, min_words: int) -> int:
    """Number of words that match from `first` and `at` on; the first `min_words` are known to match."""
    size = min_words
    for word, segment_word in zip(words[first + min_words :], segment_words[at + min_words :], strict=False):
        if word.gap != segment_word.gap or word.core != segment_word.core:
            break
        size += 1
    return size


def _build_run(words: _Words, segments: Sequence[_Words], positions: Sequence[_Position]) -> Run:
    size = len(words)
    places = [
        Place(number, segments[number][at].start, segments[number][at + size - 1].end) for number, at in positions
    ]
    return Run(words[0].start, words[-1].end, places)

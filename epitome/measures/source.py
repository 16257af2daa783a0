"""A source text, prepared once for all the summaries that are measured against it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeVar

from epitome.measures.content_tokens import content_tokens
from epitome.measures.values import Profile
from epitome.text.sentences import Segment
from epitome.text.words import n_words, split_words

Domain = Literal["document", "dialogue"]
Result = TypeVar("Result")
Gram = tuple[str, ...]

JOINERS: dict[Domain, str] = {"document": " ", "dialogue": " </s> "}
"""The separator between two lines of a source in the released numbers."""


class SourceIndex:
    """The lines of a source and values derived from them, each computed on first use and cached.

    segments: sentences of a document or turns of a dialogue; a turn's line is `Speaker : text`, as in the release.
    """

    def __init__(self, segments: Sequence[Segment], *, domain: Domain) -> None:
        turns = [(segment["speaker"], segment["text"]) for segment in segments]
        self._set(turns, [format_segment(segment) for segment in segments], domain)

    @classmethod
    def from_lines(cls, lines: Sequence[str], domain: Domain) -> SourceIndex:
        """Build the index from lines of the released files. A turn is split at its first colon."""
        index = cls.__new__(cls)
        index._set([split_turn(line) if domain == "dialogue" else ("", line) for line in lines], lines, domain)
        return index

    def _set(self, turns: Sequence[tuple[str, str]], lines: Sequence[str], domain: Domain) -> None:
        if domain not in JOINERS:
            raise ValueError(f"domain must be document or dialogue, not {domain!r}")
        self.domain: Domain = domain
        self.speakers = tuple(speaker for speaker, _ in turns)
        self.texts = tuple(text for _, text in turns)
        self.lines = tuple(lines)
        self._kept: dict[Hashable, Any] = {}

    def kept(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result of `make` for this source, computed once per key."""
        if key not in self._kept:
            self._kept[key] = make()
        result: Result = self._kept[key]
        return result

    @cached_property
    def joined(self) -> str:
        """The whole source as one text, speaker names included, as the released numbers read it."""
        return JOINERS[self.domain].join(self.lines)

    @cached_property
    def n_words(self) -> int:
        """Words of the segments' texts, without speaker names."""
        return sum(map(n_words, self.texts))

    def grams(self, n: int, profile: Profile = "release") -> frozenset[Gram]:
        """The distinct n-grams of the source; raises ValueError for n < 1."""
        return self.kept(("grams", n, profile), lambda: frozenset(build_ngrams(self._words(profile), n)))

    @cached_property
    def chunks(self) -> tuple[str, ...]:
        """The joined source cut at every colon, as the released speaker numbers read it."""
        return tuple(self.joined.split(":"))

    def chunk_tokens(self, number: int) -> frozenset[str]:
        """Distinct content tokens of one of the `chunks`."""
        return self.kept(("chunk", number), lambda: frozenset(content_tokens(self.chunks[number])))

    def turn_tokens(self, number: int) -> frozenset[str]:
        """Distinct content tokens of one segment's text, profile literal."""
        return self.kept(("turn", number), lambda: frozenset(content_tokens(self.texts[number], "literal")))

    def _words(self, profile: Profile) -> list[str]:
        return plain_words(self.joined if profile == "release" else " ".join(self.lines), profile)


def split_turn(line: str) -> tuple[str, str]:
    """(speaker, text) of a line `Speaker : text`; the speaker is "" where the line has no colon."""
    speaker, colon, text = line.partition(":")
    return (speaker.strip(), text.removeprefix(" ")) if colon else ("", line)


def format_segment(segment: Segment) -> str:
    """A segment as a line of the released files: `Speaker : text`, or the text where there is no speaker."""
    raw = segment.get("raw")  # set by the reader where the line cannot be rebuilt from the turn
    if isinstance(raw, str):
        return raw
    return f"{segment['speaker']} : {segment['text']}" if segment["speaker"] else segment["text"]


def plain_words(text: str, profile: Profile = "release") -> list[str]:
    """Words, case kept; in the release every "." separates too, as in PyPI `rouge`.

    There, white space alone between two full stops (or before the first, or after the last) is one empty token.
    """
    if profile != "release":
        return split_words(text)
    words: list[str] = []
    for piece in text.split("."):
        if piece:
            words += split_words(piece) or [""]
    return words


def build_ngrams(words: Sequence[str], n: int) -> Iterable[Gram]:
    """Every n neighbouring words in their order; raises ValueError for n < 1."""
    if n < 1:
        raise ValueError(f"n-grams need n >= 1, not {n}")
    return zip(*[words[start:] for start in range(n)], strict=False)

"""Shared by several systems: the source as sentences, words of a text, and the target length of a summary."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from epitome.measures.stopwords import STOP_WORDS
from epitome.systems.protocol import Request
from epitome.text.tokens import sentence_texts

DEFAULT_SHARE = 0.1
"""Share of the relevant words when a request sets no length: the middle of the usual summaries."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")


@dataclass(frozen=True)
class Unit:
    """One sentence of a document, or one sentence of a dialogue's turn. segment: its index in the source, from 0."""

    segment: int
    speaker: str
    text: str

    @property
    def n_words(self) -> int:
        return len(self.text.split())


def split_into_units(request: Request) -> list[Unit]:
    """The source's sentences in order: turns are split into sentences, a document's segments already are sentences."""
    dialogue = request.schema.domain == "dialogue"
    sentences = []
    for index, segment in enumerate(request.segments):
        texts = sentence_texts(segment["text"]) if dialogue else [segment["text"].strip()]
        sentences += [Unit(index, segment["speaker"], " ".join(text.split())) for text in texts if text.strip()]
    return sentences


def split_words(text: str) -> list[str]:
    """Lower-case words without punctuation; a contraction stays one word."""
    return [word.casefold() for word in _WORD.findall(text)]


def content_words(text: str) -> list[str]:
    """The words that are not stop words."""
    return [word for word in split_words(text) if word not in STOP_WORDS]


def count_relevant_words(request: Request) -> int:
    """Number of words in the segments relevant to a request: those of the requested speakers, if any, that contain a
    content word of a requested topic; the whole source if there are none."""
    topics = {word for pick in request.picks("topic") for word in content_words(pick)}
    speakers = {pick.casefold().strip() for pick in request.picks("speaker")}
    of_speakers = [segment for segment in request.segments if not speakers or segment["speaker"].casefold() in speakers]
    on_topic = [segment for segment in of_speakers if not topics or topics & set(split_words(segment["text"]))]
    return sum(len(segment["text"].split()) for segment in on_topic or of_speakers or request.segments)


def target_length(request: Request) -> int:
    """How many words a summary should have, at least 1.

    The middle of the band that the schema gives for the requested length: of a band in words itself, of a band in
    shares of the relevant words that share of `count_relevant_words`. Without a band: DEFAULT_SHARE of them.
    """
    attribute = request.schema.find("length")
    value = request.value("length")
    band = attribute.band(attribute.canonical(value)) if attribute is not None and value else None
    if band is None or band.of == "measure":
        return max(1, round(DEFAULT_SHARE * count_relevant_words(request)))
    middle = band.low if band.high is None else (band.low + band.high) / 2
    return max(1, round(middle * count_relevant_words(request) if band.of == "relevant_words" else middle))


def select_closest(sizes: Iterable[int], target: int, *, gaps: bool = True) -> list[int]:
    """Indices of the items to select, in the given order, so that the sum of their sizes is close to the target.

    An item is selected if it brings the sum closer; otherwise it is skipped with `gaps`, or ends the selection.
    The first is always selected.
    """
    selected: list[int] = []
    total = 0
    for index, size in enumerate(sizes):
        if selected and abs(total + size - target) >= abs(total - target):
            if not gaps:
                break
            continue
        selected.append(index)
        total += size
        if total >= target:
            break
    return selected


def join_units(chosen: Iterable[Unit]) -> str:
    """The units as one text."""
    return " ".join(unit.text for unit in chosen)

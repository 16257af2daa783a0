"""Tags sources with a spaCy pipeline: tokens with parts of speech, segment boundaries, without transcript marks."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from annotation.candidates.protocol import Segments

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MAX_CHARACTERS = 250_000
"""Per source; text beyond the limit (some 45,000 words) is not searched for topics, to bound memory."""

WORDS_PER_BATCH = 12_000
"""Tokens per batch of the pipeline: large enough for speed, small enough for a small machine."""

# {disfmarker}, {vocalsound}, [laughter]: marks of the transcriber, not spoken words.
_MARK = re.compile(
    r"\{[a-z]+(?:[ _-][a-z]+)*\}"
    r"|\[(?:inaudible|unintelligible|laugh(?:ter|s)?|cross-?talk|applause|pause)\b[^\]\n]{0,20}\]",
    re.IGNORECASE,
)
# Filler sounds that taggers trained on written text tag as nouns.
_FILLERS = frozenset(
    {"ah", "eh", "er", "erm", "hm", "hmm", "huh", "mhm", "mm", "mmm", "mm-hmm", "oh", "ooh", "ok", "okay", "uh", "uhh"}
    | {"uh-huh", "uh-hmm", "um", "umm", "yeah", "yep", "yup"}
)


def searched_text(segments: Segments) -> tuple[str, list[int]]:
    """The text to tag and the start offsets of its segments (code points); empty segments are skipped.

    Segment texts are joined by one space; a transcript mark becomes spaces of the same length, so that offsets do
    not change and no phrase crosses it.
    """
    texts: list[str] = []
    starts: list[int] = []
    at = 0
    for segment in segments:
        text = segment["text"][: MAX_CHARACTERS - at]
        if not text:
            continue
        if "{" in text or "[" in text:
            text = _MARK.sub(lambda match: " " * len(match.group()), text)
        starts.append(at)
        texts.append(text)
        at += len(text) + 1
        if at >= MAX_CHARACTERS:
            break
    return " ".join(texts), starts


def tag_sources(nlp: "Language", sources: Iterable[Segments]) -> Iterator["Doc"]:
    """One Doc per source, in order, with parts of speech; its sentences are the segments."""
    fillers = {nlp.vocab.strings.add(word) for word in _FILLERS}
    for batch in _split_batches(_tokenize_segments(nlp, segments) for segments in sources):
        for doc in nlp.pipe(batch, batch_size=len(batch)):
            _mark_fillers(doc, fillers)
            yield doc


def _split_batches(docs: Iterable["Doc"]) -> Iterator[list["Doc"]]:
    batch: list[Doc] = []
    size = 0
    for doc in docs:
        batch.append(doc)
        size += len(doc)
        if size >= WORDS_PER_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _tokenize_segments(nlp: "Language", segments: Segments) -> Any:
    """Tokens with a sentence start at the first token of every segment, and nowhere else."""
    import numpy as np
    from spacy.attrs import IDX, SENT_START

    text, starts = searched_text(segments)
    doc: Any = nlp.tokenizer(text)
    if len(doc):
        # The first token at or after the start.
        first = np.searchsorted(doc.to_array([IDX]).astype(np.int64), starts)
        flags = np.full(len(doc), -1, dtype=np.int64)
        flags[first[first < len(doc)]] = 1
        flags[0] = 1
        doc.from_array([SENT_START], flags.astype(np.uint64))
    return doc


def _mark_fillers(doc: "Doc", fillers: set[int]) -> None:
    from spacy.symbols import INTJ

    for token in doc:
        if token.lower in fillers:
            token.pos = INTJ

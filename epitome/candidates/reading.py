"""Tags sources with a spaCy pipeline: tokens with parts of speech, segment boundaries, without transcript marks."""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from epitome.candidates.protocol import Segments

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

MAX_CHARACTERS = 250_000
"""Per source; text beyond the limit (some 45,000 words) is not searched for topics, to bound memory."""

MAX_RUN = 200
"""Characters without white space that are given to the tokenizer, whose time for such a run grows with its square.
Longer runs (addresses, encoded data, rows of punctuation) are not searched for topics."""

MAX_TOKENIZER_WORK = 10_000_000
"""Sum of the squared lengths of the searched runs: some seconds. A source in plain words has a tenth of it."""

MAX_TOKENS = 80_000
"""Per source; more than MAX_CHARACTERS of plain text have. Each sign of a row of punctuation is a token."""

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
_LONG_RUN = re.compile(r"\S{%d,}" % (MAX_RUN + 1))  # noqa: UP031 - the pattern has braces of its own
_RUN = re.compile(r"\S+")


class SearchFault(StrEnum):
    """Why a source is not searched for topics."""

    HARDLY_ANY_SPACES = "hardly any spaces"
    TOO_MUCH_WORK = "too much work"


def find_search_fault(nlp: "Language", segments: Segments) -> SearchFault | None:
    """Why the source cannot be searched in bounded time, or has next to nothing to search; counted, not timed."""
    if not splits_at_spaces(nlp):
        return None
    characters = long_runs = work = 0
    for text in _cut_texts(segments):
        characters += len(text)
        for match in _RUN.finditer(text):
            length = match.end() - match.start()
            if length > MAX_RUN:
                long_runs += length
            else:
                work += length * length
    if 2 * long_runs > characters:
        return SearchFault.HARDLY_ANY_SPACES
    return SearchFault.TOO_MUCH_WORK if work > MAX_TOKENIZER_WORK else None


def splits_at_spaces(nlp: "Language") -> bool:
    """Whether the tokenizer goes by rules within white space, as those of languages that write it do."""
    return hasattr(nlp.tokenizer, "infix_finditer")


def searched_text(segments: Segments, *, limit_runs: bool = True) -> tuple[str, list[int]]:
    """The text to tag and the start offsets of its segments (code points); empty segments are skipped.

    Segment texts are joined by one space; a transcript mark and a run of more than MAX_RUN characters become spaces of
    the same length, so that offsets do not change and no phrase crosses them.
    """
    texts: list[str] = []
    starts: list[int] = []
    at = 0
    for text in _cut_texts(segments):
        if "{" in text or "[" in text:
            text = _MARK.sub(_blank_match, text)
        starts.append(at)
        texts.append(_LONG_RUN.sub(_blank_match, text) if limit_runs else text)
        at += len(text) + 1
    return " ".join(texts), starts


def _cut_texts(segments: Segments) -> Iterator[str]:
    """The texts that are not empty, together with the spaces between them at most MAX_CHARACTERS."""
    at = 0
    for segment in segments:
        if at >= MAX_CHARACTERS:
            return
        text = segment["text"][: MAX_CHARACTERS - at]
        if text:
            yield text
            at += len(text) + 1


def _blank_match(match: re.Match[str]) -> str:
    return " " * len(match.group())


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

    text, starts = searched_text(segments, limit_runs=splits_at_spaces(nlp))
    doc: Any = nlp.tokenizer(text)
    if len(doc) > MAX_TOKENS:
        doc = doc[:MAX_TOKENS].as_doc()
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

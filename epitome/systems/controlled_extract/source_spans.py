"""Where in the source each sentence of a summary comes from."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from epitome.systems.controlled_extract.search import State
from epitome.systems.controlled_extract.writing import list_stretches

SourceSpan = tuple[int, int, int, int, int]
"""Start and end in the summary, number of the segment, start and end in its text; code points, ends exclusive."""
NEW = -1
"""The origin of a character that the source does not have."""


def list_source_spans(summary: str, state: State, segments: Sequence[Mapping[str, str]]) -> list[SourceSpan]:
    """One span for each source sentence that was used, in the summary's order. What was added in front ("X said that")
    belongs to none. A sentence that the source cut in two is followed into its first segment only."""
    spans: list[SourceSpan] = []
    at = 0
    for item, stretch in zip(state, list_stretches(state), strict=True):
        text = stretch.text
        index = summary.lower().find(text.lower(), at)
        if index < 0:
            continue
        at = index + len(text)
        segment = item.variant.sentence.segment
        span = _span_in_segment(item.variant.sentence.text, text, segments[segment]["text"])
        if span is not None:
            spans.append((index, at, segment, *span))
    return spans


def _span_in_segment(sentence: str, text: str, segment_text: str) -> tuple[int, int] | None:
    known = [origin for origin in align(text, sentence) if origin != NEW]
    if not known:
        return None
    inside = [origin for origin in align(sentence, segment_text)[min(known) : max(known) + 1] if origin != NEW]
    return (min(inside), max(inside) + 1) if inside else None


def align(text: str, source: str) -> tuple[int, ...]:
    """For each character of the text its code point in what it was made from, or NEW: the longest matches in order."""
    origins = [NEW] * len(text)
    for block in SequenceMatcher(None, text.lower(), source.lower(), autojunk=False).get_matching_blocks():
        if block.size > 1:
            origins[block.a : block.a + block.size] = range(block.b, block.b + block.size)
    return tuple(origins)

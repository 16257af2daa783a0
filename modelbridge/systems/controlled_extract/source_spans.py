"""Where in the source each sentence of a summary comes from."""

from collections.abc import Mapping, Sequence

from modelbridge.systems.controlled_extract.search import State
from modelbridge.systems.controlled_extract.traced import NEW, Traced, align
from modelbridge.systems.controlled_extract.variants import Variant
from modelbridge.systems.controlled_extract.writing import list_stretches

SourceSpan = tuple[int, int, int, int, int]
"""Start and end in the summary, number of the segment, start and end in its text; code points, ends exclusive."""


def list_source_spans(summary: str, state: State, segments: Sequence[Mapping[str, str]]) -> list[SourceSpan]:
    """One span for each source sentence that was used, in the summary's order. What was added in front ("X said that")
    belongs to none. A sentence that the source cut in two is followed into its first segment only."""
    spans: list[SourceSpan] = []
    at = 0
    for item, stretch in zip(state, list_stretches(state), strict=True):
        text = stretch.text
        place = summary.lower().find(text.lower(), at)
        if place < 0:
            continue
        at = place + len(text)
        segment = item.variant.sentence.segment
        span = _span_in_segment(item.variant, text, segments[segment]["text"])
        if span is not None:
            spans.append((place, at, segment, *span))
    return spans


def _span_in_segment(variant: Variant, text: str, segment_text: str) -> tuple[int, int] | None:
    sentence = variant.sentence.text
    traced = variant.traced or Traced(text, align(text, sentence))
    span = traced.source_span(0, len(traced.text))
    if span is None:
        return None
    inside = [origin for origin in align(sentence, segment_text)[span[0] : span[1]] if origin != NEW]
    return (min(inside), max(inside) + 1) if inside else None

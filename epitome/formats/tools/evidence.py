"""Marks of annotation tools that say on which parts of a text a summary rests, as segments."""

from __future__ import annotations

from epitome.text.sentences import split_sentences

_EVIDENCE = ("evidence", "relevant", "support", "rationale", "important", "salient", "highlight")
"""Words in the name of a control or label whose marks say on which parts of a text a summary rests."""


def is_evidence(name: str) -> bool:
    """Whether marks of this name are the parts of a text that a summary rests on."""
    return any(word in name.lower() for word in _EVIDENCE)


def find_segments(text: str, start: int, end: int) -> list[int]:
    """The numbers of the sentences that a span of code points touches, end exclusive."""
    return [number for number, (first, last) in enumerate(split_sentences(text)) if first < end and start < last]

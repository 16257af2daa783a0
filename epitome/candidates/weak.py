"""Candidates that name no topic. They stay stored, for the extraction follows TopicRank; the lists leave them out."""

from collections.abc import Sequence
from typing import Any

_WORDS = (
    "case cases cent cents day days fact facts hand hands hour hours kind kinds lot lots man men minute minutes",
    "month months number numbers one ones part parts people per percent person place places sort sorts",
    "thing things time times today tomorrow way ways week weeks woman women year years yesterday",
)
WEAK = frozenset(" ".join(_WORDS).split())
"""English words that say nothing of a text as a topic of their own; as part of a phrase they do."""
FEWEST = 3


def leave_out_weak(candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Candidates (with `text`) in their order, without weak ones; all where fewer than `FEWEST` would be left."""
    strong = [candidate for candidate in candidates if str(candidate["text"]).strip().lower() not in WEAK]
    return strong if len(strong) >= FEWEST else list(candidates)

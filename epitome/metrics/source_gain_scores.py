"""What a source adds to the probability of a text: log P(text given the source) - log P(text), per token.

A scorer reads each text twice, with its source and without. The number is in nats and depends on the scorer; only
numbers of one scorer are comparable. It is the pointwise mutual information of text and source by that model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from epitome.measures import Signature, Value
from epitome.metrics.semantic_scores import NO_SOURCE, NO_TEXT

if TYPE_CHECKING:
    from epitome.systems.protocol import Request, TokenScores

VERSION = "1"
KEY = "source_gain"


class TextScorer(Protocol):
    """A system of the role `score`, such as `causal-scorer`."""

    key: str

    @property
    def weights_hash(self) -> str: ...

    def score(self, batch: Sequence[Request]) -> list[TokenScores]: ...


def source_gain_signature(scorer: TextScorer) -> Signature:
    """What reproduces the number: the scorer and the hash of its weights."""
    return Signature(KEY, VERSION).with_(scorer=scorer.key, sha256=scorer.weights_hash, unit="nats-per-token")


def source_gains(scorer: TextScorer, requests: Sequence[Request]) -> list[Value]:
    """The gain of each request's text, in nats per token; undefined without a text or a source. What else the prompt
    holds, such as requested values, is there both times. Raises SystemFault: a text too long for the scorer."""
    able = [
        place
        for place, request in enumerate(requests)
        if (request.text or "").strip() and any(segment["text"].strip() for segment in request.segments)
    ]
    with_source = scorer.score([requests[place] for place in able])
    without = scorer.score([replace(requests[place], segments=()) for place in able])
    gains = {
        place: with_row.mean - alone_row.mean
        for place, with_row, alone_row in zip(able, with_source, without, strict=True)
    }
    return [
        Value.of(gains[place]) if place in gains else NO_SOURCE if (request.text or "").strip() else NO_TEXT
        for place, request in enumerate(requests)
    ]

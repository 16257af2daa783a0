"""What a step will cost before it is paid for: calls, tokens and money, estimated from the lengths of the texts."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from epitome.prompts.chat import Message
from epitome.prompts.rewrites import rewrite_messages
from epitome.systems.chat_options import Price

CHARACTERS_PER_TOKEN = 4
"""Usual for English texts and current tokenisers. The bill comes from the server's own counts."""


@dataclass(frozen=True)
class Estimate:
    """calls: at most, without second attempts. cost: None where the system's options name no price."""

    calls: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    currency: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def count_tokens(text: str) -> int:
    """Tokens of a text, estimated."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def estimate_readability(
    texts: Iterable[str], price: Price | None, own_texts: Mapping[str, str] | None = None
) -> Estimate:
    """One call for each text; its answer is taken to be as long as the text."""
    sizes = [(rewrite_messages("readability", text, own_texts=own_texts), count_tokens(text)) for text in texts]
    return _sum_up([(_count_prompt(messages), answer) for messages, answer in sizes], price)


def estimate_focus(texts: Iterable[str], price: Price | None, own_texts: Mapping[str, str] | None = None) -> Estimate:
    """Two calls for each text; the answer of either is taken to be as long as the text. A text in which one kind of
    content predominates needs the first only, so this is an upper bound."""
    calls = []
    for text in texts:
        answer = count_tokens(text)
        calls.append((_count_prompt(rewrite_messages("identification", text, own_texts=own_texts)), answer))
        second = rewrite_messages("paraphrase", text, earlier=[text], own_texts=own_texts)
        calls.append((_count_prompt(second), answer))
    return _sum_up(calls, price)


def _count_prompt(messages: Sequence[Message]) -> int:
    return sum(count_tokens(message["content"]) for message in messages)


def _sum_up(calls: Sequence[tuple[int, int]], price: Price | None) -> Estimate:
    tokens_in, tokens_out = (sum(call[index] for call in calls) for index in (0, 1))
    cost = (tokens_in * price.input + tokens_out * price.output) / 1_000_000 if price else None
    return Estimate(len(calls), tokens_in, tokens_out, cost, price.currency if price else "")

"""Texts as token ids, truncated to the model's limit, with the number of truncated tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Encoded:
    """ids: including the model's special tokens. truncated: tokens of the text that did not fit."""

    ids: tuple[int, ...]
    truncated: int


def encode_texts(tokenizer: Any, texts: Sequence[str], limit: int) -> list[Encoded]:
    """Token ids of each text, at most `limit`: the end of a longer text is cut, the special tokens after it stay."""
    if not texts:
        return []
    tail = count_end_tokens(tokenizer)
    rows = []
    for ids in tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]:
        if len(ids) > limit:
            shortened = [*ids[: limit - tail], *ids[len(ids) - tail :]]
            rows.append(Encoded(tuple(shortened), len(ids) - limit))
        else:
            rows.append(Encoded(tuple(ids), 0))
    return rows


def count_end_tokens(tokenizer: Any) -> int:
    """How many tokens the tokenizer itself adds after a text."""
    plain = tokenizer("a", add_special_tokens=False)["input_ids"]
    marked = tokenizer("a")["input_ids"]
    for start in range(len(marked) - len(plain) + 1):
        if marked[start : start + len(plain)] == plain:
            return len(marked) - start - len(plain)
    return 0


def pad_id(tokenizer: Any) -> int:
    """The id to pad with; models without one are padded with the end token, which the attention mask hides."""
    for token_id in (tokenizer.pad_token_id, tokenizer.eos_token_id, 0):
        if token_id is not None:
            return int(token_id)
    return 0


def position_limit(config: Any) -> int | None:
    """How many tokens the encoder (or the decoder alone) has positions for; None: as many as memory allows."""
    for name in ("max_encoder_position_embeddings", "max_position_embeddings", "n_positions"):
        limit = getattr(config, name, None)
        # T5's n_positions is its training length; its positions are relative and unlimited.
        if isinstance(limit, int) and not (name == "n_positions" and config.is_encoder_decoder):
            return limit
    return None

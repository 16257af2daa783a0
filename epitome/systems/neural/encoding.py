"""Texts as token ids, truncated to the model's limit, with the number of truncated tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SENTENCEPIECE_BLANK = "▁"


@dataclass(frozen=True)
class Encoded:
    """ids: including the model's special tokens. truncated: tokens of the text that did not fit. text: what the ids
    stand for, as it is sent; "" where only the whole prompt is known. requests: places of the ids that say what is
    asked for, where the prompt marks them."""

    ids: tuple[int, ...]
    truncated: int
    text: str = ""
    requests: tuple[int, ...] = ()


def encode_texts(tokenizer: Any, texts: Sequence[str], limit: int, *, literal: bool = False) -> list[Encoded]:
    """Token ids of each text, at most `limit`: the end of a longer text is cut, the special tokens after it stay.
    literal: what looks like a special token in a text is read as the text that it is."""
    if not texts:
        return []
    tail = count_end_tokens(tokenizer)
    rows = []
    encoded = tokenizer(list(texts), truncation=False, verbose=False, split_special_tokens=literal)
    for ids in encoded["input_ids"]:
        if len(ids) > limit:
            shortened = [*ids[: limit - tail], *ids[len(ids) - tail :]]
            rows.append(Encoded(tuple(shortened), len(ids) - limit))
        else:
            rows.append(Encoded(tuple(ids), 0))
    return rows


def encode_with_ending(tokenizer: Any, prompts: Sequence[str], ending: str, limit: int) -> list[Encoded]:
    """Ids of each prompt and the ending, at most `limit` in all; the ending is never cut. All of a prompt is text, also
    what looks like a special token."""
    tail = tuple(tokenizer(ending, add_special_tokens=False)["input_ids"])
    rows = []
    for row, prompt in zip(
        encode_texts(tokenizer, prompts, max(1, limit - len(tail)), literal=True), prompts, strict=True
    ):
        ids = row.ids
        while ids and ids[-1] == tokenizer.eos_token_id:  # an end mark here would end the text before the summary
            ids = ids[:-1]
        sent = tokenizer.decode(ids, skip_special_tokens=True) if row.truncated else prompt
        rows.append(Encoded((*ids, *tail), row.truncated, sent + ending))
    return rows


def encode_continuation(tokenizer: Any, text: str) -> list[int]:
    """Ids of a text after one blank. Tokenizers such as Llama-2's and Mistral's put a blank before every text: there a
    text with one of its own would begin with two."""
    ids = list(tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
    if ids and str(tokenizer.convert_ids_to_tokens(ids[0])).startswith(SENTENCEPIECE_BLANK):
        return ids
    return list(tokenizer(f" {text}", add_special_tokens=False, verbose=False)["input_ids"])


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

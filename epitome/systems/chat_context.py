"""What to do when a conversation does not fit into the context of a chat server: each kind says it otherwise."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

CODES = {"context_length_exceeded", "exceed_context_size_error"}
"""Of OpenAI's, vLLM's and llama-cpp-python's answers, and of llama.cpp's."""
_TAKES = re.compile(r"(?:maximum context length(?: of this model)? is|max_model_len(?:gth)? (?:is|of)) (\d+)", re.I)
_HAS = re.compile(
    r"(?:(?:resulted in|requested) (\d+) tokens|(?:prompt|request) (?:contains|has)(?: at least)? (\d+))", re.I
)
SPARE = 0.95
"""The share of the words that would just fit which is advised: sources differ in tokens per word."""
ROUND = 50


class ContextCounts(NamedTuple):
    """Tokens of a prompt, and of prompt and answer together that the server takes; 0: not told."""

    has: int
    takes: int


def read_context_counts(body: bytes) -> ContextCounts | None:
    """Of a refusal because a conversation is too long; None for other faults."""
    error = _read_error(body)
    message = str(error.get("message", ""))
    is_context = CODES & {str(error.get("code")), str(error.get("type"))}
    if not is_context and not _TAKES.search(message):
        return None
    has = _number(error.get("n_prompt_tokens")) or _found(_HAS, message)
    return ContextCounts(has, _number(error.get("n_ctx")) or _found(_TAKES, message))


def advise_on_context(counts: ContextCounts, n_words: int = 0) -> str:
    """A sentence. n_words: of the source that would fit, 0: not known."""
    setting = f"max_source_words = {n_words} or fewer" if n_words else "max_source_words"
    if counts.has and counts.takes:
        told = f"the prompt has {counts.has:,} tokens, the server takes {counts.takes:,} with the answer"
    else:
        told = "the prompt and the answer are longer than the server takes"
    return f"Shorten the sources with {setting}, or give the server more context: {told}"


def count_fitting_words(counts: ContextCounts, *, source: int, prompt: int, answer: int) -> int:
    """Words of the source that would fit with the rest of the prompt and an answer of so many tokens, 0: not known.
    source, prompt: words of each, the source included in the prompt."""
    if not (counts.has and counts.takes and prompt):
        return 0
    words_of_all = (counts.takes - answer) * prompt / counts.has * SPARE
    return max(0, int((words_of_all - (prompt - source)) // ROUND * ROUND))


def _read_error(body: bytes) -> Mapping[str, Any]:
    try:
        answer = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return {}
    error = answer.get("error", answer) if isinstance(answer, Mapping) else {}
    return error if isinstance(error, Mapping) else {}


def _number(value: object) -> int:
    return value if type(value) is int and value > 0 else 0


def _found(pattern: re.Pattern[str], message: str) -> int:
    """The first number that the pattern finds in a message, 0 for none."""
    match = pattern.search(message)
    return int(next(filter(None, match.groups()))) if match else 0

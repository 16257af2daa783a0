"""What to do when a chat server says that a conversation is too long for its model: each kind says it otherwise."""

import json
import re
from collections.abc import Mapping
from typing import Any

CODES = {"context_length_exceeded", "exceed_context_size_error"}
"""Of OpenAI's, vLLM's and llama-cpp-python's answers, and of llama.cpp's."""
_TAKES = re.compile(r"(?:maximum context length(?: of this model)? is|max_model_len(?:gth)? (?:is|of)) (\d+)", re.I)
_HAS = re.compile(r"(?:(?:resulted in|requested) (\d+) tokens|prompt (?:contains|has)(?: at least)? (\d+))", re.I)


def advise_on_context(body: bytes) -> str:
    """ ". The source is too long ...", with the numbers of tokens where the answer tells them; "" for other faults."""
    error = _read_error(body)
    message = str(error.get("message", ""))
    is_context = CODES & {str(error.get("code")), str(error.get("type"))}
    if not is_context and not _TAKES.search(message):
        return ""
    takes = _number(error.get("n_ctx")) or _found(_TAKES, message)
    has = _number(error.get("n_prompt_tokens")) or _found(_HAS, message)
    if has and takes:
        counts = f"the prompt has {has:,} tokens, the server takes {takes:,} with the answer"
    else:
        counts = "the prompt and the answer are longer than the server takes"
    return f". Shorten the sources with max_source_words, or give the server more context: {counts}"


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

"""How a judge's answer is held to the words that it is offered: by a JSON schema, or by its first token."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from epitome.systems.chat_text import clean_answer, match_answer

ANSWER_FORMATS = ("text", "json_schema", "logprobs")
"""text: whatever the model writes. json_schema: the server lets it write `{"answer": ...}` with one of the answers.
logprobs: the likeliest of the answers by the first token that it would write."""
MAX_TOKENS = ("max_tokens", "max_completion_tokens")
"""The names that servers have for the limit of an answer."""
TOP = 20
"""First tokens with their log-probabilities; servers give no more."""
JSON_TOKENS = 48
"""Tokens of the JSON around an answer, with blanks and line ends, at least."""


def constrain_parameters(answer_format: str, answers: Sequence[str], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent besides the configured parameters, or in their place, for an answer in this format."""
    limit = next((name for name in MAX_TOKENS if name in parameters), "max_tokens")
    if answer_format == "logprobs":
        return {limit: 1, "logprobs": True, "top_logprobs": TOP}
    if answer_format == "json_schema":
        least = JSON_TOKENS + max(len(answer.encode()) for answer in answers)
        schema = {
            "type": "object",
            "properties": {"answer": {"type": "string", "enum": list(answers)}},
            "required": ["answer"],
            "additionalProperties": False,
        }
        return {
            limit: max(least, int(parameters.get(limit, 0))),
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": schema},
            },
        }
    return {}


def answer_probabilities(first_tokens: Sequence[tuple[str, float]], answers: Sequence[str]) -> dict[str, float]:
    """The probability of each answer by the first token; what is left of 1 began no answer. A token that begins several
    answers counts for the one that it is whole, else for none. Empty where no answer was begun."""
    masses = dict.fromkeys(answers, 0.0)
    for token, log_probability in first_tokens:
        beginning = token.strip(" \t\r\n\"'*").casefold()
        begun = [answer for answer in answers if beginning and answer.casefold().startswith(beginning)]
        exact = [answer for answer in begun if answer.casefold() == beginning]
        for answer in exact or (begun if len(begun) == 1 else ()):
            masses[answer] += math.exp(log_probability)
    return masses if any(masses.values()) else {}


def read_constrained(text: str, answers: Sequence[str]) -> str | None:
    """The one of `answers` in an answer of any format: alone, or as {"answer": ...}; else None."""
    matched = match_answer(text, answers)
    if matched is not None:
        return matched
    try:
        parsed = json.loads(clean_answer(text)[0])
    except (ValueError, RecursionError):
        return None
    answer = parsed.get("answer") if isinstance(parsed, Mapping) else parsed
    return match_answer(answer, answers) if isinstance(answer, str) else None

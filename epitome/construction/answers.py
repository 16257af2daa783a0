"""Reads the answers of a model that rewrites abstracts: a plain text, or two fields of which either may be None."""

import json
import re
from collections.abc import Mapping
from typing import Any

from epitome.prompts.rewrites import Call
from epitome.systems.chat_text import clean_answer

SUMMARY, EMPIRICAL, CONCEPTUAL = "summary", "empirical", "conceptual"
FIELDS: Mapping[str, Mapping[str, str]] = {
    "identification": {EMPIRICAL: "Empirical Content", CONCEPTUAL: "Conceptual Content"},
    "paraphrase": {EMPIRICAL: "Empirical Summary", CONCEPTUAL: "Conceptual Summary"},
}
"""Call -> aspect -> name of its field in the answer."""
NOTHING = {"", "none", "null", "n/a", "na", "nil"}
_FENCE = re.compile(r"\A```[a-zA-Z]*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)


class AnswerFault(ValueError):
    """An answer that cannot be used. The message says why in words that the model is shown."""


def parse_answer(call: Call, text: str) -> dict[str, str | None]:
    """The texts of an answer: {"summary": text} of readability; {"empirical", "conceptual"} of the other calls, each a
    text or None.

    Raises AnswerFault: empty, no JSON object, a field missing or of another type; a paraphrase without any aspect.
    """
    answer = clean_answer(text)[0]
    if not answer:
        raise AnswerFault("it is empty")
    if call == "readability":
        return {SUMMARY: answer}
    fields = _read_object(answer)
    texts = {aspect: _read_field(fields, name) for aspect, name in FIELDS[call].items()}
    if call == "paraphrase" and not any(texts.values()):
        raise AnswerFault("neither field holds a text")
    return texts


def _read_object(answer: str) -> dict[str, Any]:
    """The JSON object of an answer, also inside a code fence or between sentences; keys in lower case."""
    if fenced := _FENCE.match(answer):
        answer = fenced[1]
    start, end = answer.find("{"), answer.rfind("}")
    if start < 0 or end < start:
        raise AnswerFault("it holds no JSON object")
    try:
        fields = json.loads(answer[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        raise AnswerFault("its JSON cannot be read") from None
    if not isinstance(fields, dict):
        raise AnswerFault("it holds no JSON object")
    return {_plain_key(key): value for key, value in fields.items()}


def _plain_key(key: str) -> str:
    return " ".join(key.replace("_", " ").lower().split())


def _read_field(fields: Mapping[str, Any], name: str) -> str | None:
    if _plain_key(name) not in fields:
        raise AnswerFault(f'the field "{name}" is missing')
    value = fields[_plain_key(name)]
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(sentence, str) for sentence in value):
        value = " ".join(value)
    if not isinstance(value, str):
        raise AnswerFault(f'the field "{name}" is neither a text nor null')
    text = value.strip()
    return None if text.rstrip(".").lower() in NOTHING else text


def needs_paraphrase(texts: Mapping[str, str | None]) -> bool:
    """Whether an identification is followed by the second call: only where both kinds are there. Where one
    predominates, the abstract itself is the summary of that kind, and there is nothing to ask (appendix B.2)."""
    return all(texts.get(aspect) for aspect in (EMPIRICAL, CONCEPTUAL))

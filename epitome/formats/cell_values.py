"""What cells of tables hold beside plain text: lists and objects as text, and marks of sentences and documents."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

MAX_CELL = 4_000_000
"""Characters up to which a cell is looked at as a list."""
_CLOSED_BY = {"[": "]", "{": "}"}
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_DOCUMENTS = re.compile(r"\s*(?:\|{5}|story_separator_special_tag)\s*")
_LINES = re.compile(r"\s*(?:NEWLINE_CHAR|<q>|<n>)\s*")
_SENTENCES = re.compile(r"(?:\s*</?[St]>)+\s*")
_ERRORS = re.compile(r"</?v>")
_TEXTS = re.compile(r"\s*\|{3,}\s*")


def parse_cell(value: Any) -> Any:
    """The list or object that a text holds, as JSON or as Python or NumPy print it; any other value unchanged."""
    if not isinstance(value, str) or len(value) > MAX_CELL:
        return value
    text = value.strip()
    if not text or _CLOSED_BY.get(text[0]) != text[-1]:
        return value
    for parse in (json.loads, _parse_texts, ast.literal_eval):
        try:
            parsed = parse(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(parsed, list | dict):
            return parsed
    return value


def _parse_texts(text: str) -> list[Any]:
    """The texts in brackets, with commas between them or, as NumPy prints arrays, without. Raises ValueError."""
    literals = _LITERAL.findall(text)
    if text[0] != "[" or not literals or _LITERAL.sub("", text[1:-1]).replace(",", "").strip():
        raise ValueError("holds more than texts")
    return [ast.literal_eval(literal) for literal in literals]


def has_marks(text: str) -> bool:
    """Whether a text may have marks of a data set, by what is quick to find."""
    return "|||||" in text or "NEWLINE_CHAR" in text or "</" in text or "<q>" in text or "<n>" in text or "_tag" in text


def remove_marks(text: str) -> str:
    """The text without marks that data sets put into it: `<S>`, `<t>` around sentences and `<v>` around errors, where
    they are opened and closed; `<q>`, `<n>` and NEWLINE_CHAR become line breaks, `|||||` between documents a blank
    line."""
    if not has_marks(text):
        return text
    original = text
    if ("<S>" in text and "</S>" in text) or ("<t>" in text and "</t>" in text):
        text = _SENTENCES.sub(" ", text)
    if "<v>" in text and "</v>" in text:
        text = _ERRORS.sub("", text)
    text = _DOCUMENTS.sub("\n\n", _LINES.sub("\n", text))
    return original if text == original else text.strip()


def split_texts(text: str) -> list[str]:
    """The summaries of a cell that holds several with `|||` between them."""
    return _TEXTS.split(text) if "|||" in text else [text]

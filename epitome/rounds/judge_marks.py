"""The errors that a model named in a text: its JSON answer read, its quotes found in the text."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from epitome.rounds.marks import MOST_MARKS, OMISSION, Alignment, Mark, align_quotes
from epitome.rounds.questions import Question

_LIST = re.compile(r"\[.*\]", re.DOTALL)


def read_judge_marks(question: Question, text: str, said: str) -> Alignment | None:
    """The marks of a model's answer; None where it is no JSON list of errors.

    An error whose quote is not in the text, or of an undeclared category or severity, is counted as unaligned.
    said: the whole answer; a list inside other words, such as a code block, is alignment.
    """
    entries = _find_list(said)
    if entries is None:
        return None
    categories = _names_by_word(question, question.values)
    severities = _names_by_word(question, [name for name, _weight in question.severities])
    quoted, omissions, unknown = [], [], []
    for entry in entries:
        quote, category = _text_of(entry, "quote"), _text_of(entry, "category").casefold()
        severity = severities.get(_text_of(entry, "severity").casefold())
        known = categories.get(category) if question.values else ""
        if severity and question.omission and not quote.strip() and category in _omission_words(question):
            omissions.append(Mark(severity, OMISSION))
        elif severity is None or known is None or not quote.strip():
            unknown.append(quote)
        else:
            quoted.append((quote, known, severity))
    alignment = align_quotes(text, quoted)
    return Alignment(
        (*alignment.marks, *omissions),
        alignment.n_quotes + len(unknown),
        alignment.n_fuzzy,
        (*alignment.unaligned, *unknown),
    )


def _find_list(said: str) -> list[Mapping[str, Any]] | None:
    """The list of objects in an answer, bare, under one key, or inside a code block."""
    match = _LIST.search(said)
    for candidate in (said, match[0] if match else ""):
        try:
            entries = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(entries, dict) and len(entries) == 1:
            entries = next(iter(entries.values()))
        if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
            return entries[:MOST_MARKS]
    return None


def _text_of(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _names_by_word(question: Question, names: Iterable[str]) -> dict[str, str]:
    """Name and label in small letters -> the name."""
    return {word.casefold(): name for name in names for word in (question.labels.get(name, name), name)}


def _omission_words(question: Question) -> tuple[str, ...]:
    return OMISSION, question.labels.get(OMISSION, OMISSION).casefold()

"""Guesses which columns are human summaries, and what belongs to each: its request, state, writer and title."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epitome.formats.answers import AUTHOR_COLUMNS, STATE_COLUMNS, Answer, find_state
from epitome.formats.column_guess import Doubt, Guess
from epitome.formats.column_names import (
    MANY_NAMES,
    OUTPUT_NAMES,
    OUTPUTS_BESIDE_SYSTEM,
    PIECES_NAMES,
    SYNONYMS,
    SYSTEM_NAMES,
    content_fits,
    find_by_name,
    fold_column,
    is_called_summary,
    is_list_of_texts,
    mean_words,
    names_systems,
    split_suffix,
    texts_of,
)
from epitome.formats.options import PIECES
from epitome.formats.row_references import ATTRIBUTE, SUMMARY_METADATA
from epitome.formats.tool_exports import MIN_SUMMARY_WORDS

ABOUT_SUMMARIES = ("set", "origin", "rewrittenfrom", "prompthash", "systemrevision")
"""Names of columns that say where a summary comes from, as a dataset of rewritten summaries has them."""
SENTENCE_ENDS = (".", "!", "?", "。", "…")
MOST_COLUMNS = 40
Values = Mapping[str, list[Any]]


def find_outputs(columns: Sequence[str], values: Values) -> list[str]:
    """The columns of texts that systems wrote."""
    has_system = any(fold_column(name) in SYSTEM_NAMES and names_systems(values[name]) for name in columns)
    names = (*OUTPUT_NAMES, *(OUTPUTS_BESIDE_SYSTEM if has_system else ()))
    return [
        name
        for name in columns
        if fold_column(name) in names and values[name] and mean_words(values[name]) >= 2
    ]  # fmt: skip


def add_summaries(guess: Guess, columns: Sequence[str], values: Values, *, has_texts: bool) -> None:
    """Add the columns of summaries, and of what is about them, to the mapping."""
    mapping = guess.mapping
    if "summary" not in mapping:
        _add_answers(mapping, columns, values, written=True)
    numbered = {} if "summary" in mapping else _find_numbered(columns, values, set(mapping.values()))
    if numbered:
        _add_numbered(mapping, numbered, columns, values)
    elif "summary" not in mapping:
        candidates = find_by_name("summary", columns, values, set(mapping.values()))
        candidates = [name for name in candidates if _is_written(name, values[name])]
        if candidates:
            mapping["summary"] = candidates[0]
            _doubt_others(guess, candidates, values)
        else:
            _add_answers(mapping, columns, values, written=False)
    if "summary" not in mapping:
        _doubt_all(guess, columns, values)
        return
    _add_answer_columns(mapping, columns, values)
    for name in columns:
        if fold_column(name) in ABOUT_SUMMARIES and name not in mapping.values():
            mapping[f"{SUMMARY_METADATA}{name}"] = name
    if not numbered:
        _decide_lists(guess, values)


def _is_written(name: str, values: list[Any]) -> bool:
    """Whether a column that is called like a summary holds texts; a table of references may be of numbers."""
    return not values or any(text for value in values for text in texts_of(value))


def _find_numbered(columns: Sequence[str], values: Values, taken: set[str]) -> dict[str, str]:
    """{number or letter: column} of summaries that are told apart by it, such as summary1 and summary2."""
    groups: dict[str, dict[str, str]] = {}
    for name in columns:
        stem, suffix = split_suffix(name)
        is_named = bool(suffix) and stem in (*SYNONYMS["summary"], "ref", "refs") and name not in taken
        if is_named and values[name] and content_fits("summary", values[name]):
            groups.setdefault(stem, {})[suffix] = name
    for name in columns:
        if fold_column(name) in groups and name not in taken and content_fits("summary", values[name]):
            groups[fold_column(name)].setdefault("", name)
    group = max(groups.values(), key=len, default={})
    ordered = sorted(group, key=lambda suffix: (len(suffix), suffix))[:MOST_COLUMNS]
    return {suffix: group[suffix] for suffix in ordered} if len(group) > 1 else {}


def _add_numbered(mapping: dict[str, str], numbered: Mapping[str, str], columns: Sequence[str], values: Values) -> None:
    """Map each of the columns of summaries, and the columns that bear their numbers."""
    siblings: dict[str, dict[str, str]] = {}
    for name in columns:
        stem, suffix = split_suffix(name)
        if suffix in numbered and name not in mapping.values() and name not in numbered.values():
            siblings.setdefault(stem, {})[suffix] = name
    several = {stem: by_suffix for stem, by_suffix in siblings.items() if len(by_suffix) > 1}
    fields = {_field_of_sibling(stem, by_suffix, values): by_suffix for stem, by_suffix in several.items()}
    for place, (suffix, name) in enumerate(numbered.items(), 1):
        end = f":{place}" if place > 1 else ""
        mapping[f"summary{end}"] = name
        for field, by_suffix in fields.items():
            if suffix in by_suffix:
                mapping[f"{field}{end}"] = by_suffix[suffix]


def _field_of_sibling(stem: str, by_suffix: Mapping[str, str], values: Values) -> str:
    filled = [value for name in by_suffix.values() for value in values[name]]
    if stem in AUTHOR_COLUMNS:
        return "author"
    if stem in STATE_COLUMNS and all(isinstance(value, str) and find_state(value) for value in filled):
        return "answer_state"
    if stem in SYNONYMS["summary_title"] or stem in SYNONYMS["title"]:
        return "summary_title"
    return f"{SUMMARY_METADATA}{stem}"


def name_attributes(mapping: dict[str, str], keys: Sequence[str]) -> None:
    """Numbered metadata that bears the name of an attribute of the schema is that attribute."""
    for name in list(mapping):
        stem, colon, number = name.removeprefix(SUMMARY_METADATA).partition(":")
        key = next((key for key in keys if fold_column(key) == stem), None)
        if key is not None and name.startswith(SUMMARY_METADATA):
            mapping[f"{ATTRIBUTE}{key}{colon}{number}"] = mapping.pop(name)


def _doubt_all(guess: Guess, columns: Sequence[str], values: Values) -> None:
    """Name the columns that are called like a summary of some kind, such as summary_short; who wrote them is not known,
    so none is chosen."""
    words = ("summary", "abstract", "highlight", "reference", "tldr", "zusammenfassung", "摘要", "ملخص")
    free = [name for name in columns if name not in guess.mapping.values() and content_fits("summary", values[name])]
    called = [name for name in free if any(word in name.lower() for word in words)]
    others = [name for name in called if mean_words(values[name]) >= MIN_SUMMARY_WORDS]
    if others:
        guess.doubts.append(Doubt("summary", "", tuple(others)))


def _doubt_others(guess: Guess, candidates: Sequence[str], values: Values) -> None:
    """Doubt the choice of a column of summaries where another has other texts, as long."""
    chosen = candidates[0]
    texts = {text for value in values[chosen] for text in texts_of(value)}
    others = [
        name
        for name in candidates[1:]
        if mean_words(values[name]) >= MIN_SUMMARY_WORDS
        and not {text for value in values[name] for text in texts_of(value)} <= texts
    ]
    if others:
        guess.doubts.append(Doubt("summary", chosen, tuple(others)))


def _add_answers(mapping: dict[str, str], columns: Sequence[str], values: Values, *, written: bool) -> None:
    """A column of lists of texts that are too long to be labels holds summaries: one whose name has a word for
    summaries, else the one with the longest texts. written: only of answers that a tool's file says people wrote; they
    come before a column of another name, which may be what a system wrote."""
    candidates = [
        name
        for name in columns
        if name not in mapping.values()
        and any(isinstance(value, list) and value and (not written or _is_answer(value)) for value in values[name])
        and all(isinstance(value, str) or _are_answers(value) for value in values[name])
        and mean_words(values[name]) >= MIN_SUMMARY_WORDS
    ]
    if candidates:
        mapping["summary"] = max(candidates, key=lambda name: (is_called_summary(name), mean_words(values[name])))


def _is_answer(value: list[Any]) -> bool:
    return isinstance(value[0], Answer)


def _are_answers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | Answer) for item in value)


def _add_answer_columns(mapping: dict[str, str], columns: Sequence[str], values: Values) -> None:
    """The column of the states of summaries, and that of who wrote them, as tables of annotation tools have them."""
    free = {fold_column(name): name for name in columns if name not in mapping.values() and values[name]}
    for folded in (*STATE_COLUMNS, "answer", "state"):
        if "answer_state" in mapping:
            break
        if folded in free and all(isinstance(value, str) and find_state(value) for value in values[free[folded]]):
            mapping["answer_state"] = free[folded]
    for folded in AUTHOR_COLUMNS:
        if "author" in mapping:
            break
        if folded in free and all(isinstance(value, str | int) for value in values[free[folded]]):
            mapping["author"] = free[folded]


def _decide_lists(guess: Guess, values: Values) -> None:
    """Whether a list of texts in a cell is several summaries or one in pieces: by its name, else by its shape."""
    name = guess.mapping["summary"]
    lists = [value for value in values[name] if is_list_of_texts(value) and len(value) > 1]
    folded = fold_column(name)
    if not lists or folded in MANY_NAMES:
        return
    pieces = [piece.strip() for value in lists for piece in value]
    if folded in PIECES_NAMES or any(piece.startswith(("<S>", "<t>")) for piece in pieces):
        guess.summary_lists = PIECES
    elif all(
        piece.endswith(SENTENCE_ENDS) and not any(end + " " in piece for end in SENTENCE_ENDS) for piece in pieces
    ):
        guess.doubts.append(Doubt("summary_lists", guess.summary_lists, (name,)))

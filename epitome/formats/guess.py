"""Guesses which column of a file is the id, the text, the summary ...: by the layouts of data sets that are known, by
name, then by content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from epitome.formats.answers import APPROVE, REJECT, has_mark
from epitome.formats.cell_values import parse_cell, remove_marks
from epitome.formats.column_guess import Doubt, Guess
from epitome.formats.column_names import (
    SPEAKER_NAMES,
    SYNONYMS,
    content_fits,
    find_by_name,
    fold_column,
    is_dialogue,
    is_list_of_texts,
    is_sections,
    mean_words,
)
from epitome.formats.guess_summaries import add_summaries, find_outputs, name_attributes
from epitome.formats.layouts import find_layout
from epitome.formats.request_values import fit_value
from epitome.formats.row_references import ATTRIBUTE
from epitome.formats.tool_exports import MIN_SUMMARY_WORDS
from epitome.formats.transcripts import is_transcript
from epitome.formats.translated_names import list_names
from epitome.schema import Attribute, Schema

FIELD_ORDER = tuple(SYNONYMS)
MIN_TEXT_WORDS = 8
MIN_PIECE_WORDS = 2
_TASK_IDS = ("assignment:task_id",)
AttributeTest = Callable[[str, Any], bool]
"""Whether a value fits an attribute of the project's schema."""
Values = Mapping[str, list[Any]]
"""The filled cells of each column, lists and objects read from their text."""


def build_attribute_tests(schema: Schema) -> dict[str, AttributeTest]:
    """For each attribute of a schema, whether a cell holds a value of it."""

    def test_of(attribute: Attribute) -> AttributeTest:
        def fits(_key: str, value: Any) -> bool:
            if not attribute.has_values:
                return isinstance(value, str | list)
            return fit_value(attribute, value) in attribute.values

        return fits

    return {attribute.key: test_of(attribute) for attribute in schema.attributes}


def asks_for_speakers(schema: Schema) -> bool:
    """Whether the summaries of a project are asked for by speaker, so that its texts need turns."""
    return any(attribute.traits.picks_speakers for attribute in schema.attributes)


def guess_mapping(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    attributes: Mapping[str, AttributeTest] | None = None,
    *,
    has_texts: bool = True,
) -> dict[str, str]:
    """{our field: column}; see guess_columns."""
    return guess_columns(rows, columns, attributes, has_texts=has_texts).mapping


def guess_columns(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    attributes: Mapping[str, AttributeTest] | None = None,
    *,
    has_texts: bool = True,
    needs_speakers: bool = False,
) -> Guess:
    """What the columns are, by the first rows of a file. attributes: a test of a value per attribute of the schema.
    has_texts: whether the texts are in this file; else its longest texts are summaries. needs_speakers: a text whose
    lines are `Name: words` is read as turns.

    A field is absent where no column fits; without an id, ids are to be made from row numbers. A column without a name
    cannot be mapped.
    """
    columns = [name for name in columns if name]
    values = {name: _read_values(rows, name) for name in columns}
    guess = Guess()
    if layout := find_layout(columns, values):
        guess.layout, guess.summary_lists = layout.name, layout.summary_lists
        guess.mapping = layout.fit(columns)
    else:
        _guess_freely(guess, rows, columns, values, has_texts=has_texts)
    if needs_speakers and "text" in guess.mapping:
        texts = values[guess.mapping["text"]]
        if texts and 2 * sum(isinstance(text, str) and is_transcript(text) for text in texts) > len(texts):
            guess.mapping["segments"] = guess.mapping.pop("text")
    name_attributes(guess.mapping, list(attributes or {}))
    for key, fits in (attributes or {}).items():
        name = _find_attribute(key, columns, values, fits, set(guess.mapping.values()))
        if name and "summary" in guess.mapping and f"{ATTRIBUTE}{key}" not in guess.mapping:
            guess.mapping[f"{ATTRIBUTE}{key}"] = name
    guess.mapping = {name: guess.mapping[name] for name in sorted(guess.mapping, key=_place_of_field)}
    return guess


def _place_of_field(name: str) -> int:
    """Where a field stands in a mapping: as in the list of synonyms, others behind."""
    return FIELD_ORDER.index(name) if name in FIELD_ORDER else len(FIELD_ORDER)


def _read_values(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    filled = [row[name] for row in rows if row.get(name) not in (None, "")]
    parsed = [parse_cell(value) for value in filled]
    return parsed if all(isinstance(value, list | dict) for value in parsed) else filled


def _guess_freely(
    guess: Guess, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], values: Values, *, has_texts: bool
) -> None:
    """Guess by names and content."""
    mapping = guess.mapping
    text_columns, summary_columns = _split_by_tool(columns)
    outputs = find_outputs(columns, values)
    _add_text(guess, [name for name in text_columns if name not in outputs], values, has_texts=has_texts)
    if has_texts and not {"text", "segments"} & mapping.keys():
        _add_longest_text(mapping, text_columns, values, "text", SYNONYMS["summary"])
    text = mapping.get("text", mapping.get("segments", ""))
    for name in SYNONYMS:
        if name in mapping or name in ("text", "segments", "summary"):
            continue
        candidates = find_by_name(name, text_columns, values, set(mapping.values()) | set(outputs))
        if name == "id":
            candidates = _sort_ids(candidates, rows, text)
        if candidates:
            mapping[name] = candidates[0]
    if not has_texts:
        _add_longest_text(mapping, summary_columns, values, "summary")
    add_summaries(guess, [name for name in summary_columns if name not in outputs], values, has_texts=has_texts)
    if "summary" in mapping and "answer_state" not in mapping and (column := _find_marks(rows, columns)):
        mapping["answer_state"] = column
    if outputs:
        names = ", ".join(outputs)
        guess.notes.append(
            f"{names}: texts of systems, which are no human summaries; kept as metadata. Measure them with the command "
            "measure --predictions"
        )


def _find_marks(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """The column `Reject` beside one `Approve` where rows bear a mark in one of them, and none in both; else ""."""
    named = {fold_column(name): name for name in columns}
    if APPROVE not in named or REJECT not in named:
        return ""
    marks = [has_mark(row.get(named[APPROVE])) + has_mark(row.get(named[REJECT])) for row in rows]
    return named[REJECT] if max(marks, default=0) == 1 else ""


def _split_by_tool(columns: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns among which those of the texts are, and those of the summaries: in a table of Mechanical Turk,
    `Input.` and `Answer.`, in one of Toloka `INPUT:` and `OUTPUT:`, and of their own columns only those about the
    work."""
    inputs = [name for name in columns if name.startswith(("Input.", "INPUT:"))]
    answers = [name for name in columns if name.startswith(("Answer.", "OUTPUT:"))]
    if not inputs or not answers:
        return list(columns), list(columns)
    work = [name for name in columns if name.lower() in ("hitid", "workerid", "assignmentstatus", *_TASK_IDS)]
    has_id = any(fold_column(name) in SYNONYMS["id"] for name in inputs)
    task_ids = [name for name in work if name.lower() in ("hitid", *_TASK_IDS) and not has_id]
    return [*inputs, *task_ids], [*answers, *work]


def _add_text(guess: Guess, columns: Sequence[str], values: Values, *, has_texts: bool) -> None:
    """The column of texts or of turns, with a column of their speakers."""
    mapping = guess.mapping
    summaries = SYNONYMS["summary"]
    dialogues = [
        name for name in columns if fold_column(name) not in summaries and values[name] and
        all(map(is_dialogue, values[name]))
    ]  # fmt: skip
    if dialogues:
        mapping["segments"] = max(dialogues, key=lambda name: mean_words([_words_of(turn) for turn in values[name]]))
        return
    piece_columns = find_by_name("segments", columns, values, set())
    piece_columns = [name for name in piece_columns if _are_pieces(values[name])]
    for name in columns if piece_columns else ():
        if fold_column(name) in SPEAKER_NAMES and _are_parallel(values[name], values[piece_columns[0]]):
            mapping["segments"], mapping["speakers"] = piece_columns[0], name
            return
    if piece_columns:
        mapping["segments"] = piece_columns[0]
        return
    _add_text_column(guess, columns, values, has_texts=has_texts)


def _words_of(turns: Any) -> str:
    return " ".join(text for turn in turns for text in turn.values() if isinstance(text, str))


def _are_pieces(values: list[Any]) -> bool:
    """Whether all cells are lists of sentences, of objects with a text, or objects of such lists."""
    for value in values:
        if is_sections(value):
            continue
        if is_list_of_texts(value):
            if value and mean_words([value]) < MIN_PIECE_WORDS:
                return False
        elif not (isinstance(value, list) and all(isinstance(item, dict) and "text" in item for item in value)):
            return False
    return bool(values)


def _are_parallel(speakers: list[Any], turns: list[Any]) -> bool:
    if len(speakers) != len(turns) or not all(map(is_list_of_texts, turns)):
        return False
    return all(
        isinstance(names, list) and len(names) == len(texts) for names, texts in zip(speakers, turns, strict=True)
    )


def _add_text_column(guess: Guess, columns: Sequence[str], values: Values, *, has_texts: bool) -> None:
    """The column whose name is that of a text. A short one is none, unless it is called text and nothing is longer."""
    mapping = guess.mapping
    by_name = find_by_name("text", columns, values, set())
    lists = [name for name in columns if fold_column(name) in SYNONYMS["text"] and _are_pieces(values[name])]
    lengths = {name: mean_words(values[name]) for name in by_name}
    long_enough = [name for name in by_name if lengths[name] >= MIN_TEXT_WORDS or not values[name]]
    if long_enough:
        mapping["text"] = long_enough[0]
        others = [name for name in long_enough[1:] if 2 * lengths[name] >= lengths[long_enough[0]] > 0]
        others = [name for name in others if fold_column(name) not in SYNONYMS["summary"]]
        if others and values[others[0]] != values[long_enough[0]]:
            guess.doubts.append(Doubt("text", long_enough[0], tuple(others)))
    elif lists:
        mapping["segments"] = lists[0]
    elif has_texts:
        called = [name for name in by_name if fold_column(name) == "text"]
        free = [name for name in columns if name not in called and not _is_id(name, values[name])]
        if called:  # a short text under its own name gives way only to another that is clearly one
            free = [name for name in free if fold_column(name) not in SYNONYMS["summary"]]
            free = [name for name in free if mean_words(values[name]) >= MIN_TEXT_WORDS]
        _add_longest_text(mapping, free, values, "text")
        if "text" not in mapping and called:
            mapping["text"] = called[0]
        elif "text" not in mapping and by_name and lengths[by_name[0]] >= MIN_PIECE_WORDS:
            mapping["text"] = by_name[0]


def _is_id(name: str, values: list[Any]) -> bool:
    """Whether a column is called like an id and holds words no longer than one."""
    return fold_column(name) in SYNONYMS["id"] and content_fits("id", values)


def _add_longest_text(
    mapping: dict[str, str], columns: Sequence[str], values: Values, field: str, only: Sequence[str] = ()
) -> None:
    """The column with the longest texts is the text, or the summary, where no name says so. only: folded names."""
    if field in mapping:
        return
    if only:
        columns = [name for name in columns if fold_column(name) in only]
    excluded = SYNONYMS["summary"] if field == "text" and len(columns) > 1 and not only else ()
    lengths = {
        name: mean_words(values[name])
        for name in columns
        if name not in mapping.values()
        and fold_column(name) not in excluded
        and all(isinstance(value, str) for value in values[name])
    }
    longest = max(lengths, key=lambda name: lengths[name], default=None)
    min_words = MIN_TEXT_WORDS if field == "text" else MIN_SUMMARY_WORDS
    if longest is not None and (lengths[longest] >= min_words or len(columns) == 1):
        mapping[field] = longest


def _sort_ids(names: list[str], rows: Sequence[Mapping[str, Any]], text: str) -> list[str]:
    """The columns of ids, first those of which no value stands beside two texts."""
    return sorted(names, key=lambda name: not _tells_texts_apart(name, rows, text)) if text else names


def _tells_texts_apart(name: str, rows: Sequence[Mapping[str, Any]], text: str) -> bool:
    texts: dict[str, str] = {}
    for row in rows:
        if row.get(name) in (None, "") or row.get(text) in (None, ""):
            continue
        words = remove_marks(str(row[text]))
        if texts.setdefault(str(row[name]), words) != words:
            return False
    return True


def _find_attribute(
    key: str, columns: Sequence[str], values: Values, fits: AttributeTest, taken: set[str]
) -> str | None:
    names = {fold_column(key), *list_names(key)}
    for name in columns:
        if fold_column(name) in names and name not in taken and all(fits(key, value) for value in values[name]):
            return name
    return None

"""The human summaries of a row: columns of summaries, and of their titles, segments and attribute values."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from epitome.formats.answers import (
    REPEATED,
    STATE_COLUMNS,
    SUBMITTED,
    UNKNOWN,
    Answer,
    Authors,
    find_state,
    fold_name,
    is_person_column,
    read_state,
    take_answers,
)
from epitome.formats.cell_values import has_marks, parse_cell, remove_marks, split_texts
from epitome.formats.faults import FieldFault, json_type_name
from epitome.formats.no_text import refuse_lost_characters
from epitome.formats.options import PIECES, ImportOptions
from epitome.formats.records import ReferenceRecord, json_text, split_number
from epitome.formats.request_values import fit_value
from epitome.formats.section_marks import has_section_marks, number_marked_sentences
from epitome.schema import Schema

REFERENCE_FIELDS = ("summary", "summary_title", "relevant_segments", "answer_state", "author")
ATTRIBUTE = "attribute:"
"""Before the key of an attribute of the schema: `attribute:length`."""
SUMMARY_METADATA = "summary_metadata:"
"""Before a name under which a summary keeps the value of a column: `summary_metadata:set`."""
AUTHOR = "author"
"""The name under which a summary keeps the pseudonym of who wrote it."""
LABEL = "aspect"
"""The name under which a summary keeps how the file calls it, where it has several by name: a column, or a key."""
ANSWER_KEYS = ("text", "value", "summary", "content", "answer", "response", "reference")
"""Where an object in a cell has the words of an answer."""
_NUMBER_AT_END = re.compile(r"[\W_]*(?:\d+|(?<=[\W_])[a-z])$")
_RANGE = re.compile(r"(\d+)\s*-\s*(\d+)")


def is_reference_field(name: str) -> bool:
    """Whether a mapping's field belongs to the summaries of a row."""
    prefixes = (ATTRIBUTE, SUMMARY_METADATA)
    if any(name.startswith(prefix) and name != prefix for prefix in prefixes):
        return True
    return split_number(name)[0] in REFERENCE_FIELDS


@dataclass(slots=True)
class _SummaryColumn:
    """A column of summaries, and the columns that belong to it. label: its name, where columns are told apart by it."""

    names: dict[str, str]
    label: str = ""
    attributes: dict[str, str] = field(init=False)
    metadata: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.attributes = _columns_under(ATTRIBUTE, self.names)
        self.metadata = _columns_under(SUMMARY_METADATA, self.names)


def _list_summary_columns(names: Mapping[str, str]) -> list[_SummaryColumn]:
    """The columns of summaries by their numbers. What has no number belongs to all of them, unless there are further
    columns of it."""
    by_field: dict[str, dict[int, str]] = {}
    for name, column in names.items():
        base, number = split_number(name)
        by_field.setdefault(base, {})[number] = column
    numbers = sorted(by_field["summary"])
    stems = {_NUMBER_AT_END.sub("", column.casefold()) for column in by_field["summary"].values()}
    return [
        _SummaryColumn(
            {base: columns[number] for base, columns in by_field.items() if number in columns}
            | {base: columns[1] for base, columns in by_field.items() if columns.keys() == {1}},
            by_field["summary"][number] if len(stems) > 1 else "",
        )
        for number in numbers
    ]


@dataclass(slots=True)
class ReferenceReader:
    """Makes references of the answers of rows. names: {our field: column}. authors: gives pseudonyms. segments_column:
    of the text's sentences, "" for none."""

    names: Mapping[str, str]
    options: ImportOptions
    authors: Authors
    segments_column: str = ""
    columns: list[_SummaryColumn] = field(init=False)

    def __post_init__(self) -> None:
        self.columns = _list_summary_columns(self.names)

    def read(self, row: Mapping[str, Any]) -> tuple[list[ReferenceRecord], Counter[str]]:
        """The references of a row, and how many answers of each other state are left out; none where the cells of the
        summaries are empty. A text that a row repeats is one reference, unless a tool says that people wrote each.
        Raises FieldFault."""
        answers: list[Answer] = []
        for column in self.columns:
            answers += self._read_column(column, row)
        if not answers:
            return [], Counter()
        answers, left_out = take_answers(answers, self.options.answer_states)
        for answer in answers:
            refuse_lost_characters(self.names["summary"], answer.text)
        distinct = answers
        if len(answers) > 1 and not self._has_people(row):
            distinct = _list_distinct(answers)
        if len(distinct) < len(answers):
            left_out[REPEATED] += len(answers) - len(distinct)
        return [self._build(index, answer) for index, answer in enumerate(distinct)], left_out

    def _has_people(self, row: Mapping[str, Any]) -> bool:
        """Whether each answer in the row is somebody's, as in a tool's export: two may have written the same."""
        cells = (row.get(column.names["summary"]) for column in self.columns)
        return any(isinstance(item, Answer) for cell in cells if isinstance(cell, list) for item in cell)

    def _read_column(self, column: _SummaryColumn, row: Mapping[str, Any]) -> list[Answer]:
        name = column.names["summary"]
        answers = read_answers(row.get(name), name, in_pieces=self.options.summary_lists == PIECES)
        if not answers or (len(column.names) == 1 and not column.label):
            return answers
        if column.label:
            answers = [replace(answer, metadata={LABEL: column.label, **answer.metadata}) for answer in answers]
        return self._add_row_values(answers, row, column)

    def _add_row_values(self, answers: list[Answer], row: Mapping[str, Any], column: _SummaryColumn) -> list[Answer]:
        """The answers with what further columns of the row say of them all."""
        names = column.names
        title_column = names.get("summary_title", "")
        titles = [answer.text for answer in read_answers(row.get(title_column), title_column)] if title_column else []
        attributes = {key: row[name] for key, name in column.attributes.items() if _is_filled(row.get(name))}
        metadata = {key: row[name] for key, name in column.metadata.items() if row.get(name) not in (None, "")}
        find_segments = self._segment_finder(row, names.get("relevant_segments", ""))
        state = read_state(row, names["answer_state"]) if "answer_state" in names else ""
        author = row.get(names.get("author", ""))
        return [
            Answer(
                answer.text,
                title=titles[index] if index < len(titles) else answer.title,
                attributes={**answer.attributes, **attributes},
                metadata={**answer.metadata, **metadata},
                relevant_segments=find_segments(answer) or answer.relevant_segments,
                state=answer.state if answer.state != SUBMITTED or not state else state,
                author=answer.author or ("" if author is None else str(author)),
            )
            for index, answer in enumerate(answers)
        ]

    def _segment_finder(self, row: Mapping[str, Any], column: str) -> Callable[[Answer], list[Any]]:
        """What finds the relevant segments of an answer: those of the row, or of the answer by its name."""
        cell = parse_cell(row.get(column))
        if not has_section_marks(cell):
            segments = _read_segments(row.get(column), column)
            return lambda answer: segments
        sections = row.get(self.segments_column)
        numbers = {name: number_marked_sentences(marks, sections, column) for name, marks in cell.items()}
        return lambda answer: numbers.get(str(answer.metadata.get(LABEL)), [])

    def _build(self, index: int, answer: Answer) -> ReferenceRecord:
        metadata = {name: self.authors.hide(name, value) for name, value in answer.metadata.items()}
        if answer.author:
            metadata[AUTHOR] = self.authors.of(answer.author)
        attributes = dict(answer.attributes)
        if label := metadata.get(LABEL):
            attributes |= _attributes_of_label(str(label), self.options.schema, attributes)
        return ReferenceRecord(
            position=index,
            attributes=attributes,
            raw_attributes=attributes,
            summary=answer.text,
            title=answer.title,
            relevant_segments=list(answer.relevant_segments),
            raw_extra=metadata,
            author_name=answer.author,
        )


def _attributes_of_label(label: str, schema: Schema | None, known: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of the schema of which the name of a summary is a value, such as `outcome` of `aspect`."""
    attributes_of: dict[str, Any] = {}
    for attribute in schema.attributes if schema is not None else ():
        if attribute.key in known:
            continue
        if attribute.has_values:
            value = fit_value(attribute, label)
            if value in attribute.values:
                attributes_of[attribute.key] = value
        elif attribute.key == LABEL:
            attributes_of[attribute.key] = [label]
    return attributes_of


def _list_distinct(answers: list[Answer]) -> list[Answer]:
    """The answers without repetitions of a text with the same title and request by the same person."""
    distinct: dict[str, Answer] = {}
    for answer in answers:
        key = json_text([answer.text, answer.title, answer.attributes, answer.author])
        distinct.setdefault(key, answer)
    return list(distinct.values())


def _columns_under(prefix: str, names: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(prefix): column for name, column in names.items() if name.startswith(prefix)}


def _is_filled(value: object) -> bool:
    return value not in (None, "", [])


def add_metadata(references: Iterable[ReferenceRecord], metadata: Mapping[str, Any]) -> list[ReferenceRecord]:
    """The references with further metadata; what they have of the same name stays."""
    return [replace(reference, raw_extra={**metadata, **reference.raw_extra}) for reference in references]


def read_answers(value: object, column: str, *, in_pieces: bool = False) -> list[Answer]:
    """The answers in a cell: a text, answers that the reader of a tool's export made, objects with a text, or a list of
    them, which may stand in a text as JSON or as Python prints it. in_pieces: a list of texts is one answer. Empty
    texts are none. Raises FieldFault."""
    if value is None or value == "":
        return []
    if isinstance(value, str) and not value.startswith(("[", "{")) and "|||" not in value and not has_marks(value):
        return [Answer(value)] if value.strip() else []
    value = parse_cell(value)
    items = value if isinstance(value, list) else [value]
    if in_pieces and len(items) > 1 and all(isinstance(item, str) for item in items):
        items = [_join_pieces([str(item) for item in items])]
    answers: list[Answer] = []
    for item in items:
        answers += _read_item(item, column)
    return [answer for answer in answers if answer.text.strip()]


def _join_pieces(items: list[str]) -> str:
    return " ".join(piece.strip() for piece in items if piece.strip())


def _read_item(item: object, column: str) -> list[Answer]:
    if isinstance(item, Answer):
        return [item]
    if isinstance(item, str):
        return [Answer(remove_marks(text)) for text in split_texts(item)]
    if isinstance(item, list) and all(isinstance(piece, str) for piece in item):
        return [Answer(remove_marks(_join_pieces(item)))]
    if isinstance(item, dict):
        return _read_object(item, column)
    raise FieldFault((column,), f"must be text or a list of texts, not {json_type_name(item)}", item, "type")


def _read_object(item: Mapping[str, Any], column: str) -> list[Answer]:
    """The answer of an object with a text, its state and its author; or the texts of an object that names each."""
    key = next((key for key in ANSWER_KEYS if key in item), None)
    if key is None and item and all(isinstance(value, str | list) for value in item.values()):
        return [
            replace(answer, metadata={**answer.metadata, LABEL: name})
            for name, value in item.items()
            for answer in _read_item(value, column)
        ]
    if key is None or not isinstance(item[key], str | list | None):
        known = ", ".join(ANSWER_KEYS[:3])
        raise FieldFault((column,), f"must be text, a list of texts, or objects with one of {known}", item, "type")
    others = {name: value for name, value in item.items() if name != key}
    state = author = None
    for name in list(others):
        if fold_name(name) in STATE_COLUMNS or name == "state":
            state = find_state(others.pop(name)) or UNKNOWN
        elif is_person_column(name) and author is None and isinstance(others[name], str | int):
            author = str(others.pop(name))
    answers = [] if item[key] is None else _read_item(item[key], column)
    title = others.pop("title", "") if isinstance(others.get("title", ""), str) else ""
    metadata = {name: value for name, value in others.items() if value not in (None, "")}
    return [
        replace(
            answer,
            title=title or answer.title,
            state=state or answer.state,
            author=author or answer.author,
            metadata={**metadata, **answer.metadata},
        )
        for answer in answers
    ]


def _read_segments(value: object, column: str) -> list[Any]:
    """Segment numbers and inclusive [a, b] from a list, or from a cell such as `0;2;4-6`. Raises FieldFault."""
    if value is None or value == "":
        return []
    if isinstance(value, list):
        entries: list[Any] = value
    elif isinstance(value, str) and value.lstrip().startswith("["):
        try:
            entries = json.loads(value)
        except ValueError:
            raise FieldFault((column,), "is no list of segment numbers", value) from None
    else:
        entries = [_read_number(part, column) for part in re.split(r"[;,]", str(value)) if part.strip()]
    for entry in entries:
        ends = entry if isinstance(entry, list) and len(entry) == 2 else [entry]
        if not all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
            raise FieldFault((column,), "must hold segment numbers, such as 0, 2, 4-6", entry)
    return entries


def _read_number(part: str, column: str) -> int | list[int]:
    if range_match := _RANGE.fullmatch(part.strip()):
        return [int(range_match[1]), int(range_match[2])]
    if part.strip().isdecimal():
        return int(part)
    raise FieldFault((column,), "must hold segment numbers, such as 0, 2, 4-6", part)

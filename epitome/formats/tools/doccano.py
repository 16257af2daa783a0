"""doccano: JSON lines, JSON and CSV, one row per text; in a zip file, one file per person."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from epitome.formats.answers import DRAFT, SUBMITTED, UNKNOWN, Answer
from epitome.formats.elements import read_entries
from epitome.formats.reading import InputFile
from epitome.formats.rows import Row, Rows
from epitome.formats.tools.tool import Tool, Values, dicts_of, name_person, note_left_out, peek_rows, read_each

_JOINT = "#"
"""Stands between the texts of a cell in doccano's CSV, and is not escaped."""
_SHARED = "all"
"""The name of the only file where everybody annotates together."""
_APPROVER = "annotation_approver"
_COLUMNS = ("label", "labels", "entities")
_PASSED_OVER = ("Comments", "comments", _APPROVER)
MIN_MEAN_WORDS = 5
_NOT_APPROVED = "is approved by nobody in doccano, and read all the same"
_JOINED = (
    f"holds the sign {_JOINT} with which doccano's CSV joins several texts, so that they cannot be told apart; "
    "export as JSONL"
)


def is_doccano(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is one of a doccano export."""
    text_key = "data" if isinstance(entry.get("data"), str) else "text"
    labels = entry.get("label", entry.get("labels", entry.get("entities")))
    has_marks = bool({"Comments", "relations", _APPROVER} & entry.keys())
    is_labelled = isinstance(labels, list) and "id" in entry and has_marks
    if isinstance(entry.get(text_key), str) and isinstance(labels, list) and (text_key == "data" or is_labelled):
        return True
    return isinstance(entry.get("text"), str) and _has_annotations(entry)


def _has_annotations(entry: Mapping[str, Any]) -> bool:
    annotations = entry.get("annotations")
    if not isinstance(annotations, list) or not annotations:
        return False
    return all(isinstance(item, dict) and {"text", "label"} & item.keys() and "user" in item for item in annotations)


def has_columns(names: Collection[str]) -> bool:
    return (
        {"id", "label"} <= set(names)
        and bool({"Comments", _APPROVER} & set(names))
        and bool({"text", "data"} & set(names))
    )


def read_doccano(file: InputFile, rows: Rows) -> Rows:
    """One row per text; labels that are texts, of sequence to sequence projects, are answers."""
    first, rows = peek_rows(rows)
    has_approvals = _has_approvals(file, first)
    words = [
        len(str(values["label"]).split())
        for values in first
        if isinstance(values.get("label"), str) and values["label"]
    ]
    has_texts = bool(words) and sum(words) >= MIN_MEAN_WORDS * len(words)

    def flatten(row: Row) -> list[Values]:
        return [_flatten(file, row, has_approvals=has_approvals, has_texts=has_texts)]

    return read_each(file, rows, "doccano", flatten)


def _has_approvals(file: InputFile, first: list[Mapping[str, Any]]) -> bool:
    """Whether anything in the file is approved: only then is the rest unfinished."""
    if any(values.get(_APPROVER) for values in first):
        return True
    if not any(_APPROVER in values for values in first) or file.head(1) not in (b"{", b"["):
        return False
    return any(isinstance(row, Row) and row.values.get(_APPROVER) for row in read_entries(replace(file, progress=None)))


def _flatten(file: InputFile, row: Row, *, has_approvals: bool, has_texts: bool) -> Values:
    entry = row.values
    values = {name: value for name, value in entry.items() if name not in _PASSED_OVER}
    if entry.get("Comments") or entry.get("comments"):
        note_left_out(file, "comments", row.place)
    if isinstance(values.get("data"), str):
        values["text"] = values.pop("data")
    state = SUBMITTED
    if _APPROVER in entry and entry[_APPROVER] in (None, ""):
        state = DRAFT if has_approvals else SUBMITTED
    for name in _COLUMNS:
        values |= _read_labels(file, row, name, state, has_texts=has_texts)
    answers = [
        Answer(text, state=state, author=name_person(item.get("user")))
        for item in dicts_of(entry.get("annotations"))
        if isinstance(text := item.get("text", item.get("label")), str) and text.strip()
    ]
    if answers:
        values["annotations"] = answers
    is_answered = any(value and isinstance(value, list) and isinstance(value[0], Answer) for value in values.values())
    if _APPROVER in entry and is_answered and not has_approvals:
        file.notes.add(_NOT_APPROVED, row.place)
    return values


def _read_labels(file: InputFile, row: Row, name: str, state: str, *, has_texts: bool) -> Values:
    """A column of labels as answers, where they are texts; {} where it stays as it is."""
    labels = row.values.get(name)
    if isinstance(labels, list) and labels:
        if all(isinstance(label, str) for label in labels):
            return {name: [Answer(label, state=state) for label in labels if label.strip()]}
        note_left_out(file, "marks in texts, but for their offsets in the metadata,", row.place)
    if isinstance(labels, str) and labels and has_texts:
        if _JOINT in labels:
            file.notes.add(_JOINED, row.place)
            state = UNKNOWN
        return {name: [Answer(labels, state=state)]}
    return {}


def name_writer(rows: Rows, name: str) -> Rows:
    """The rows of one file of a zip file, which is called after who wrote its texts. name: of that file."""
    writer = name.replace("\\", "/").rsplit("/", 1)[-1].rsplit(".", 1)[0]
    for row in rows:
        if isinstance(row, Row) and writer != _SHARED:
            yield replace(row, values={column: _with_author(value, writer) for column, value in row.values.items()})
        else:
            yield row


def _with_author(value: Any, writer: str) -> Any:
    if not isinstance(value, list):
        return value
    return [replace(item, author=item.author or writer) if isinstance(item, Answer) else item for item in value]


DOCCANO = Tool(
    "doccano",
    "doccano",
    read_doccano,
    has_entry=is_doccano,
    has_header=has_columns,
    example="doccano.zip",
    versions="1.8.4",
    cannot_know="who wrote a text of a project whose annotations are shared; several texts in a cell of its CSV",
)

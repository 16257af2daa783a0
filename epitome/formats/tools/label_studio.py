"""Label Studio: JSON with tasks and their annotations, and JSON_MIN, CSV and TSV with one row per annotation."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from epitome.formats.answers import DRAFT, REJECTED, SKIPPED, SUBMITTED, Answer
from epitome.formats.cell_values import parse_cell
from epitome.formats.faults import FieldFault
from epitome.formats.reading import InputFile
from epitome.formats.rows import Row, Rows
from epitome.formats.tools.evidence import find_segments, is_evidence
from epitome.formats.tools.tool import (
    Tool,
    Values,
    dicts_of,
    free_name,
    name_person,
    note_left_out,
    peek_rows,
    read_each,
    texts_of,
)

_MIN = ("annotator", "annotation_id", "lead_time")
"""Columns of every file with one row per annotation."""
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|/data/|\.{0,2}/|[A-Za-z]:\\)\S*", re.IGNORECASE)
_KINDS = {
    "ranker": "rankings",
    "rating": "ratings",
    "relation": "relations",
    "number": "numbers",
    "pairwise": "comparisons",
    "datetime": "dates",
}
_MIN_ANSWER_WORDS = 3
_MIN_TEXT_WORDS = 8


def is_label_studio(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a task of a JSON export, or a row of JSON_MIN."""
    has_annotations = bool({"annotations", "completions", "predictions"} & entry.keys())
    return (isinstance(entry.get("data"), dict) and has_annotations) or has_columns(entry.keys())


def has_columns(names: Collection[str]) -> bool:
    return set(_MIN) <= set(names)


def read_label_studio(file: InputFile, rows: Rows) -> Rows:
    """One row per task, or per annotation of a flat file. Raises UnreadableFile where the texts are addresses."""
    first, rows = peek_rows(rows)
    written = _find_written(first)
    for row in read_each(file, rows, "Label Studio", lambda row: [_flatten(file, row, written)]):
        if isinstance(row, Row) and file.texts is None and (column := _find_address(row.values, written)):
            message = "is the address of a file, not a text; choose the file with the texts as well (--text-from)"
            yield row.spot.fault(FieldFault((column,), message, row.values[column], "address"))
        else:
            yield row


def _flatten(file: InputFile, row: Row, written: Collection[str]) -> Values:
    entry = row.values
    if not isinstance(entry.get("data"), dict):
        return _flatten_min(entry, written)
    values: Values = {"id": entry["id"]} if "id" in entry else {}
    data = {name: _dialogue(value) for name, value in entry["data"].items()}
    values |= {name: value for name, value in data.items() if file.texts is None or not _is_address(value)}
    if dicts_of(entry.get("predictions")):
        note_left_out(file, "texts and labels that models predicted", row.place)
    annotations = dicts_of(entry.get("annotations", entry.get("completions")))
    for annotation in annotations:
        state = _state_of(annotation)
        _add_results(file, row, values, annotation, state)
        if isinstance(annotation.get("draft"), list):
            _add_results(file, row, values, {**annotation, "result": annotation["draft"]}, DRAFT)
    for draft in dicts_of(entry.get("drafts")):
        _add_results(file, row, values, draft, DRAFT)
    return values


def _state_of(annotation: Mapping[str, Any]) -> str:
    if annotation.get("was_cancelled") or annotation.get("skipped"):
        return SKIPPED
    reviews = dicts_of(annotation.get("reviews"))
    last = reviews[-1] if reviews else {}
    is_fixed = bool(last.get("fixed_annotation_history"))
    if (last.get("accepted") is False and not is_fixed) or annotation.get("last_action") == "rejected":
        return REJECTED
    return SUBMITTED


def _add_results(file: InputFile, row: Row, values: Values, annotation: Mapping[str, Any], state: str) -> None:
    """Add what one person typed to the columns of the controls; what is no text is counted."""
    results = dicts_of(annotation.get("result"))
    marks = [result for result in results if _is_mark(result)]
    marked = {result.get("id") for result in marks}
    data = row.values["data"]
    segments = [number for mark in marks for number in _find_evidence(mark, data)]
    author = name_person(annotation.get("completed_by", annotation.get("user", annotation.get("created_username"))))
    for result in results:
        value: dict[str, Any] = result["value"] if isinstance(result.get("value"), dict) else {}
        kind = str(result.get("type", "textarea"))
        typed = value.get("text") if kind == "textarea" else None
        if typed is None:
            if state == SUBMITTED and not _find_evidence(result, data):
                note_left_out(file, _name_kind(kind), row.place)
            continue
        if result.get("id") in marked or "start" in value or result.get("parentID"):
            note_left_out(file, "notes on marked parts of a text", row.place)
            continue
        name = free_name(values, data, str(result.get("from_name") or "summary"))
        answers = [Answer(text, state=state, author=author, relevant_segments=segments) for text in texts_of(typed)]
        values.setdefault(name, []).extend(answers)


def _is_mark(result: Mapping[str, Any]) -> bool:
    value = result.get("value")
    is_textarea = result.get("type", "textarea") == "textarea"
    return isinstance(value, dict) and not is_textarea and "start" in value and "end" in value


def _name_kind(kind: str) -> str:
    return _KINDS.get(kind, "marks" if kind.endswith("labels") else kind)


def _find_evidence(mark: Mapping[str, Any], data: Mapping[str, Any]) -> list[int]:
    """Numbers of the segments that a mark of evidence touches; none for other marks. Offsets of a text count code
    points, the end is exclusive; those of a dialogue are turns, the last included."""
    if not _is_mark(mark):
        return []
    value = mark["value"]
    labels = value.get(str(mark.get("type")))
    names = [str(mark.get("from_name", "")), *(labels if isinstance(labels, list) else [])]
    if not any(map(is_evidence, names)) or not (str(value["start"]).isdecimal() and str(value["end"]).isdecimal()):
        return []
    if "startOffset" in value and mark.get("type") == "paragraphlabels":
        return list(range(int(value["start"]), int(value["end"]) + 1))
    texts = [text for text in data.values() if isinstance(text, str)]
    start, end = int(value["start"]), int(value["end"])
    quote = value.get("text")
    text = next((text for text in texts if isinstance(quote, str) and text[start:end] == quote), None)
    return find_segments(text, start, end) if text is not None else []


def _find_written(first: list[Mapping[str, Any]]) -> set[str]:
    """The columns of JSON_MIN or CSV in which people typed. In JSON_MIN they stand between the id and the annotator. In
    CSV columns are sorted; there what differs between rows of one task was not given with it."""
    tasks: dict[str, dict[str, set[str]]] = {}
    columns: set[str] = set()
    for row in first:
        names = list(row)
        if "id" not in row or "annotator" not in row:
            continue
        if names != sorted(names):
            columns |= set(names[names.index("id") + 1 : names.index("annotator")])
        cells = tasks.setdefault(str(row["id"]), {})
        for name, value in row.items():
            if isinstance(value, str) and len(value.split()) >= _MIN_ANSWER_WORDS:
                cells.setdefault(name, set()).add(value)
    return columns | {name for cells in tasks.values() for name, texts in cells.items() if len(texts) > 1}


def _flatten_min(entry: Mapping[str, Any], written: Collection[str]) -> Values:
    """A row of JSON_MIN or CSV."""
    values: Values = {}
    for name, cell in entry.items():
        value = _dialogue(parse_cell(cell))
        if isinstance(value, dict) and value.keys() == {"text"}:
            value = list(texts_of(value["text"]))
        elif isinstance(value, dict) and value.keys() == {"choices"}:
            value = value["choices"]
        elif name in written and isinstance(value, str) and len(value.split()) >= _MIN_ANSWER_WORDS:
            value = [value]
        values[name] = value
    return values


def _dialogue(value: Any) -> Any:
    """A dialogue of Paragraphs ({"author", "text"} or {"speaker", "text"}) as our segments."""
    is_list = isinstance(value, list) and bool(value)
    if is_list and all(
        isinstance(turn, dict) and "text" in turn and {"author", "speaker"} & turn.keys() for turn in value
    ):
        return [{"speaker": str(turn.get("author", turn.get("speaker", ""))), "text": turn["text"]} for turn in value]
    return value


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and _ADDRESS.fullmatch(value.strip()) is not None


def _find_address(values: Mapping[str, Any], written: Collection[str]) -> str:
    """The column with the address of a text, in a row that has no text; "" for none."""
    has_text = any(
        _is_dialogue(value) or (isinstance(value, str) and len(value.split()) >= _MIN_TEXT_WORDS)
        for name, value in values.items()
        if name not in written
    )
    return "" if has_text else next((name for name, value in values.items() if _is_address(value)), "")


def _is_dialogue(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and "speaker" in value[0]


LABEL_STUDIO = Tool(
    "label-studio",
    "Label Studio",
    read_label_studio,
    has_entry=is_label_studio,
    has_header=has_columns,
    example="label-studio.json",
    versions="1.23.2",
    cannot_know="JSON_MIN, CSV and TSV hold no skips, drafts or reviews, and no task that everybody skipped",
)

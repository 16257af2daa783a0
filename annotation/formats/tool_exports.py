"""Exports of annotation tools as rows: Label Studio, doccano, Argilla, Potato.

Each entry becomes one flat row {column: value}; what people wrote becomes a list of texts in one column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]
MIN_SUMMARY_WORDS = 5
"""Mean words of a column of written answers from which on it is taken for summaries and not for labels."""


def recognize_export(entry: Mapping[str, Any]) -> str | None:
    """label-studio, doccano, argilla or potato; None for an entry of no known tool."""
    if isinstance(entry.get("data"), dict) and ("annotations" in entry or "completions" in entry):
        return "label-studio"
    if isinstance(entry.get("fields"), dict) and ("responses" in entry or "suggestions" in entry):
        return "argilla"
    if "displayed_text" in entry and ("label_annotations" in entry or "annotations" in entry):
        return "potato"
    text_key = "data" if isinstance(entry.get("data"), str) else "text"
    labels = entry.get("label", entry.get("labels", entry.get("entities")))
    is_labelled = isinstance(labels, list) and "id" in entry and ("Comments" in entry or "relations" in entry)
    if isinstance(entry.get(text_key), str) and isinstance(labels, list) and (text_key == "data" or is_labelled):
        return "doccano"
    return "doccano" if isinstance(entry.get("text"), str) and _has_doccano_annotations(entry) else None


def _has_doccano_annotations(entry: Mapping[str, Any]) -> bool:
    annotations = entry.get("annotations")
    if not isinstance(annotations, list) or not annotations:
        return False
    return all(isinstance(item, dict) and {"text", "label"} & item.keys() and "user" in item for item in annotations)


def flatten_label_studio(entry: Mapping[str, Any]) -> Row:
    """The task's data, and for each control of the labelling page the texts that people typed."""
    row: Row = {"id": entry["id"]} if "id" in entry else {}
    row |= {name: _dialogue(value) for name, value in entry["data"].items()}
    for annotation in _dicts(entry.get("annotations", entry.get("completions"))):
        if annotation.get("was_cancelled"):
            continue
        for result in _dicts(annotation.get("result")):
            value = result.get("value")
            typed = value.get("text") if isinstance(value, dict) else None
            if result.get("type", "textarea") != "textarea" or typed is None:
                continue
            texts = typed if isinstance(typed, list) else [typed]
            name = _free_name(row, entry["data"], str(result.get("from_name") or "summary"))
            row.setdefault(name, []).extend(text for text in texts if isinstance(text, str) and text.strip())
    return row


def _dialogue(value: Any) -> Any:
    """A Paragraphs dialogue of Label Studio ({"author", "text"} or {"speaker", "text"}) as our segments."""
    if isinstance(value, list) and value and all(isinstance(turn, dict) and "text" in turn for turn in value):
        return [{"speaker": str(turn.get("author", turn.get("speaker", ""))), "text": turn["text"]} for turn in value]
    return value


def flatten_doccano(entry: Mapping[str, Any]) -> Row:
    """The text and its labels; labels that are texts (of sequence to sequence projects) stay a list of texts."""
    row = {name: value for name, value in entry.items() if name not in ("Comments", "comments")}
    if isinstance(row.get("data"), str):
        row["text"] = row.pop("data")
    annotations = _dicts(row.get("annotations"))
    texts = [item.get("text", item.get("label")) for item in annotations]
    if texts and all(isinstance(text, str) for text in texts):
        row["annotations"] = texts
    return row


def flatten_argilla(entry: Mapping[str, Any]) -> Row:
    """The fields, and for each question the submitted answers that are texts."""
    row: Row = (
        {"id": entry.get("external_id") or entry.get("id")} if entry.get("id") or entry.get("external_id") else {}
    )
    row |= {name: value for name, value in entry["fields"].items() if name != "id"}
    if isinstance(entry.get("metadata"), dict) and entry["metadata"]:
        row["metadata"] = entry["metadata"]
    for name, texts in _argilla_answers(entry.get("responses")).items():
        row[_free_name(row, entry["fields"], name)] = texts
    return row


def _argilla_answers(responses: Any) -> dict[str, list[str]]:
    """Texts by question: {question: [{"value"}]} of version 2, or [{"values": {question: {"value"}}}] of version 1."""
    answers: dict[str, list[str]] = {}
    pairs: list[tuple[str, Any]] = []
    if isinstance(responses, dict):
        pairs = [(name, answer) for name, given in responses.items() for answer in _dicts(given)]
    for response in _dicts(responses):
        if response.get("status", "submitted") == "submitted" and isinstance(response.get("values"), dict):
            pairs += response["values"].items()
    for name, answer in pairs:
        value = answer.get("value") if isinstance(answer, dict) else None
        if isinstance(value, str) and answer.get("status", "submitted") == "submitted":
            answers.setdefault(name, []).append(value)
    return answers


def flatten_potato(entry: Mapping[str, Any]) -> Row:
    """The displayed text, and the texts typed into text boxes, by the name of the annotation scheme."""
    row: Row = {"id": entry["id"]} if "id" in entry else {}
    row["text"] = entry["displayed_text"]
    given = entry.get("label_annotations", entry.get("annotations"))
    for scheme, labels in (given if isinstance(given, dict) else {}).items():
        if not isinstance(labels, dict):
            continue
        boxes = [value for name, value in labels.items() if "text" in name.lower() and isinstance(value, str)]
        row[_free_name(row, row, str(scheme))] = boxes or sorted(labels)
    return row


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _free_name(row: Row, taken: Mapping[str, Any], name: str) -> str:
    """The name of a column of answers; a data column of the same name keeps its own."""
    return f"{name} (answers)" if name in taken or name == "id" else name


FLATTEN: dict[str, Callable[[Mapping[str, Any]], Row]] = {
    "label-studio": flatten_label_studio,
    "doccano": flatten_doccano,
    "argilla": flatten_argilla,
    "potato": flatten_potato,
}

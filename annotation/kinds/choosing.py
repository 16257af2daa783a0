"""Task kind for choosing the topics and speakers of a group, before the rest of the request is shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.kinds import checks
from annotation.kinds.protocol import (
    CompletedPayload,
    GroupChoice,
    KindDefaults,
    PayloadRefused,
    TaskContext,
    gettext_noop,
)
from epitome.formats.line_fields import require_field
from epitome.schema import Attribute, InvalidValue

MAX_TEXT = 400
MAX_CHOSEN = 50
ENTRY_FIELDS = frozenset({"text", "candidate"})
ENTRIES: Mapping[str, Any] = {
    "type": "object",
    "description": "Attribute key -> what was chosen. candidate: the candidate it was made from, null for one's own.",
    "additionalProperties": {
        "type": "array",
        "maxItems": MAX_CHOSEN,
        "items": {
            "type": "object",
            "required": ["text"],
            "additionalProperties": False,
            "properties": {
                "text": {"type": "string", "minLength": 1, "maxLength": MAX_TEXT},
                "candidate": {"type": "string", "nullable": True},
            },
        },
    },
}


class ChoosingKind(KindDefaults):
    key = "choosing"
    export_task = "choosing"
    heading = gettext_noop("Choose topics")
    panel_title = gettext_noop("Choose for this source")
    fields: Mapping[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["chosen"],
        "properties": {"chosen": ENTRIES},
    }

    def draft(self, payload: Any) -> dict[str, Any]:
        data = checks.check_fields(payload, frozenset({"chosen"}))
        return {"chosen": _clean_entries(data["chosen"])} if "chosen" in data else {}

    def complete(self, payload: Any, about: TaskContext) -> CompletedPayload:
        draft = self.draft(payload)
        chosen = check_chosen(draft.get("chosen", {}), about)
        return CompletedPayload({"chosen": chosen.values}, chosen=chosen)

    def from_choice(self, chosen: Any) -> dict[str, Any] | None:
        return {"chosen": chosen}

    def blank(self) -> dict[str, Any]:
        return {"chosen": {}}

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        return {"chosen": payload.get("chosen", {})}

    def check_line(self, line: Mapping[str, Any], segments: Sequence[Mapping[str, Any]] | None) -> None:
        require_field(line, "chosen", dict)

    def restore(self, line: Mapping[str, Any]) -> dict[str, Any]:
        return {"chosen": line["chosen"]}


def check_chosen(value: Any, about: TaskContext) -> GroupChoice:
    """Every attribute the group asks for, each with as many values as its schema allows; raises PayloadRefused."""
    entries = _clean_entries(value)
    for key in entries:
        if key not in about.asks:
            raise PayloadRefused(f"chosen.{key}"[:80], "is not asked for here")
    candidates = about.candidates()
    values: dict[str, list[str]] = {}
    decisions: list[dict[str, Any]] = []
    for key in about.asks:
        attribute = about.schema.attribute(key)
        texts = _check_texts(entries.get(key, []), attribute, candidates.get(key, []), about.schema.limits.pick)
        values[key] = texts
        decisions += _build_decisions(key, entries.get(key, []), texts, candidates.get(key, []))
    return GroupChoice(values, decisions)


def _clean_entries(value: Any) -> dict[str, list[dict[str, Any]]]:
    if not isinstance(value, dict):
        raise PayloadRefused("chosen", "must be an object of lists")
    rows_by_key: dict[str, list[dict[str, Any]]] = {}
    for key, raw_entries in value.items():
        place = f"chosen.{key}"[:80]
        rows_by_key[key] = []
        for i, entry in enumerate(checks.check_list(raw_entries, place, MAX_CHOSEN)):
            at = f"{place}[{i}]"
            entry = {"text": entry} if isinstance(entry, str) else checks.check_fields(entry, ENTRY_FIELDS, at)
            if "text" not in entry:
                raise PayloadRefused(f"{at}.text", "is missing")
            row: dict[str, Any] = {
                "text": checks.check_storable(entry["text"], f"{at}.text", MAX_TEXT),
                "candidate": None,
            }
            if entry.get("candidate") is not None:
                row["candidate"] = checks.check_storable(entry["candidate"], f"{at}.candidate", MAX_TEXT)
            rows_by_key[key].append(row)
    return rows_by_key


def _check_texts(entries: list[dict[str, Any]], attribute: Attribute, candidates: list[str], longest: int) -> list[str]:
    """The chosen texts, stripped: no duplicates, as many as the schema allows, speakers as in the source."""
    place = f"chosen.{attribute.key}"
    texts: list[str] = []
    for i, entry in enumerate(entries):
        text = entry["text"] if entry["text"] in candidates else entry["text"].strip()
        if checks.is_blank(text):
            raise PayloadRefused(f"{place}[{i}].text", "is empty")
        if not attribute.traits.takes_own_text and text not in candidates:
            raise PayloadRefused(f"{place}[{i}].text", f"is no {attribute.candidate_kind} of this source")
        if len(text) > longest and text not in candidates:
            raise PayloadRefused(f"{place}[{i}].text", f"is {len(text)} characters long; at most {longest} fit")
        if entry["candidate"] is not None and entry["candidate"] not in candidates:
            raise PayloadRefused(f"{place}[{i}].candidate", "is not among the candidates of this source")
        texts.append(text)
    try:
        return attribute.check_picks(texts)
    except InvalidValue as error:
        raise PayloadRefused(place, str(error).removeprefix(f"{attribute.key}: ")) from error


def _build_decisions(
    key: str, entries: list[dict[str, Any]], texts: list[str], candidates: list[str]
) -> list[dict[str, Any]]:
    """One row per chosen text (picked, edited, own) and per unused candidate (rejected); rank from 1."""
    ranks = {text: rank for rank, text in enumerate(candidates, 1)}
    rows: list[dict[str, Any]] = []
    used: set[str] = set()
    for entry, text in zip(entries, texts, strict=True):
        origin = entry["candidate"] or (text if text in ranks else None)
        action = "own" if origin is None else "picked" if origin == text else "edited"
        rows.append({"key": key, "text": text, "action": action, "candidate": origin, "rank": ranks.get(origin or "")})
        used.add(origin or "")
    for text, rank in ranks.items():
        if text not in used:
            rows.append({"key": key, "text": None, "action": "rejected", "candidate": text, "rank": rank})
    return rows

"""Choosing what a group of summaries is about: topics and speakers, before anything else of the request is known."""

from collections.abc import Mapping
from typing import Any

from annotation.kinds import checks
from annotation.kinds.protocol import About, Chosen, Done, Refused
from annotation.schema import Attribute, InvalidValue

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


class ChoosingKind:
    key = "choosing"
    template = "annotation/task_choosing.html"
    fields: Mapping[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "required": ["chosen"],
        "properties": {"chosen": ENTRIES},
    }

    def draft(self, payload: Any) -> dict[str, Any]:
        given = checks.known_fields(payload, frozenset({"chosen"}))
        return {"chosen": _entries(given["chosen"])} if "chosen" in given else {}

    def complete(self, payload: Any, about: About) -> Done:
        given = self.draft(payload)
        chosen = check_chosen(given.get("chosen", {}), about)
        return Done({"chosen": chosen.values}, chosen=chosen)

    def from_choice(self, chosen: Any) -> dict[str, Any] | None:
        return {"chosen": chosen}

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        return {"chosen": payload.get("chosen", {})}


def check_chosen(value: Any, about: About) -> Chosen:
    """Every attribute the group asks for, each with as many values as its schema allows; raises Refused."""
    entries = _entries(value)
    for key in entries:
        if key not in about.asks:
            raise Refused(f"chosen.{key}"[:80], "is not asked for here")
    candidates = about.candidates()
    values: dict[str, list[str]] = {}
    decisions: list[dict[str, Any]] = []
    for key in about.asks:
        attribute = about.schema.attribute(key)
        texts = _texts(entries.get(key, []), attribute, candidates.get(key, []), about.schema.limits.pick)
        values[key] = texts
        decisions += _decisions(key, entries.get(key, []), texts, candidates.get(key, []))
    return Chosen(values, decisions)


def _entries(value: Any) -> dict[str, list[dict[str, Any]]]:
    if not isinstance(value, dict):
        raise Refused("chosen", "must be an object of lists")
    found: dict[str, list[dict[str, Any]]] = {}
    for key, given in value.items():
        place = f"chosen.{key}"[:80]
        found[key] = []
        for i, entry in enumerate(checks.rows(given, place, MAX_CHOSEN)):
            at = f"{place}[{i}]"
            entry = {"text": entry} if isinstance(entry, str) else checks.known_fields(entry, ENTRY_FIELDS, at)
            if "text" not in entry:
                raise Refused(f"{at}.text", "is missing")
            row: dict[str, Any] = {"text": checks.storable(entry["text"], f"{at}.text", MAX_TEXT), "candidate": None}
            if entry.get("candidate") is not None:
                row["candidate"] = checks.storable(entry["candidate"], f"{at}.candidate", MAX_TEXT)
            found[key].append(row)
    return found


def _texts(entries: list[dict[str, Any]], attribute: Attribute, candidates: list[str], longest: int) -> list[str]:
    """The chosen texts without outer blanks: no doubles, as many as the schema says, speakers as in the source."""
    place = f"chosen.{attribute.key}"
    texts: list[str] = []
    for i, entry in enumerate(entries):
        text = entry["text"] if entry["text"] in candidates else entry["text"].strip()
        if checks.is_blank(text):
            raise Refused(f"{place}[{i}].text", "is empty")
        if attribute.kind == "speakers" and text not in candidates:
            raise Refused(f"{place}[{i}].text", "is no speaker of this source")
        if len(text) > longest and text not in candidates:
            raise Refused(f"{place}[{i}].text", f"is {len(text)} characters long; at most {longest} fit")
        if entry["candidate"] is not None and entry["candidate"] not in candidates:
            raise Refused(f"{place}[{i}].candidate", "is not among the candidates of this source")
        texts.append(text)
    try:
        return attribute.check_picks(texts)
    except InvalidValue as error:
        raise Refused(place, str(error).removeprefix(f"{attribute.key}: ")) from error


def _decisions(
    key: str, entries: list[dict[str, Any]], texts: list[str], candidates: list[str]
) -> list[dict[str, Any]]:
    """One row per chosen text (picked, edited, own) and per candidate left alone (rejected); rank from 1."""
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

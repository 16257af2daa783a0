"""Task kind for writing a summary: choose topics (unless chosen), write, mark the evidence, reread, add a title."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.kinds import checks
from annotation.kinds.protocol import CompletedPayload, KindDefaults, PayloadRefused, TaskContext, gettext_noop
from epitome.formats.faults import FieldFault
from epitome.formats.line_fields import require_field, require_int
from epitome.text.words import n_words

# Limits of drafts; a project's schema may set lower limits for submission.
MAX_SUMMARY = 100_000
MAX_TITLE = 2_000
MAX_SPANS = 500
MAX_PROPOSALS = 200
MAX_SEGMENTS = 100_000
MAX_OFFSET = 100_000_000
FIELDS = frozenset({"summary", "title", "relevant_segments", "spans", "proposals", "confirmed_segments", "reread"})
SPAN_FIELDS = frozenset({"segment", "start", "end", "quote"})
DECISIONS = ("proposed", "accepted", "rejected")
"""Decisions on a proposed span; an undecided one stays proposed."""


class SummaryKind(KindDefaults):
    key = "summary"
    title = gettext_noop("Summaries")
    purpose = gettext_noop("Write a summary that follows a request, mark the segments it rests on, give it a title.")
    presets: tuple[str, ...] = ("macsum-doc", "short-articles", "macsum-dial", "ccsbench", "aclsum")
    summarizes = True
    export_task = "summary"
    text_field = "summary"
    title_field = "title"
    metered = True
    takes_suggestion = True
    fields: Mapping[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "summary": {"type": "string", "maxLength": MAX_SUMMARY},
            "title": {"type": "string", "maxLength": MAX_TITLE},
            "relevant_segments": {
                "type": "array",
                "description": "Numbers of segments, from 0; [a, b] stands for a to b inclusive.",
                "items": {
                    "oneOf": [
                        {"type": "integer", "minimum": 0},
                        {
                            "type": "array",
                            "items": {"type": "integer", "minimum": 0},
                            "minItems": 2,
                            "maxItems": 2,
                        },
                    ]
                },
            },
            "spans": {
                "type": "array",
                "maxItems": MAX_SPANS,
                "description": "Half-open ranges of code points in one segment; quote is the text there.",
                "items": {
                    "type": "object",
                    "required": sorted(SPAN_FIELDS),
                    "additionalProperties": False,
                    "properties": {
                        "segment": {"type": "integer", "minimum": 0},
                        "start": {"type": "integer", "minimum": 0},
                        "end": {"type": "integer", "minimum": 1},
                        "quote": {"type": "string"},
                    },
                },
            },
            "proposals": {
                "type": "array",
                "maxItems": MAX_PROPOSALS,
                "description": "Spans that the page proposed after the writer's own marks, with what became of each.",
                "items": {
                    "type": "object",
                    "required": sorted([*SPAN_FIELDS, "decision"]),
                    "additionalProperties": False,
                    "properties": {
                        "segment": {"type": "integer", "minimum": 0},
                        "start": {"type": "integer", "minimum": 0},
                        "end": {"type": "integer", "minimum": 1},
                        "quote": {"type": "string"},
                        "decision": {"type": "string", "enum": list(DECISIONS)},
                    },
                },
            },
            "confirmed_segments": {"type": "boolean", "description": "The marked segments are confirmed."},
            "reread": {"type": "boolean", "description": "The summary was read again."},
        },
    }

    def draft(self, payload: Any) -> dict[str, Any]:
        data = checks.check_fields(payload, FIELDS)
        cleaned: dict[str, Any] = {}
        if "summary" in data:
            cleaned["summary"] = checks.normalize_text(data["summary"], "summary", MAX_SUMMARY)
        if "title" in data:
            cleaned["title"] = checks.normalize_text(data["title"], "title", MAX_TITLE)
        if "relevant_segments" in data:
            cleaned["relevant_segments"] = _check_segments(data["relevant_segments"], MAX_SEGMENTS)
        if "spans" in data:
            rows = checks.check_list(data["spans"], "spans", MAX_SPANS)
            cleaned["spans"] = [check_span(row, f"spans[{i}]") for i, row in enumerate(rows)]
        if "proposals" in data:
            rows = checks.check_list(data["proposals"], "proposals", MAX_PROPOSALS)
            cleaned["proposals"] = [_check_proposal(row, f"proposals[{i}]") for i, row in enumerate(rows)]
        for name in ("confirmed_segments", "reread"):
            if name in data:
                cleaned[name] = checks.check_boolean(data[name], name)
        return cleaned

    def complete(self, payload: Any, about: TaskContext) -> CompletedPayload:
        draft = self.draft(payload)
        for name, limit in (("summary", about.schema.limits.summary), ("title", about.schema.limits.title)):
            checks.normalize_text(draft.get(name, ""), name, limit)
        if not about.frozen:
            raise PayloadRefused("chosen", "comes first: choose what the summary is about before you write it")
        if checks.is_blank(draft.get("summary", "")):
            raise PayloadRefused("summary", "is empty: write the summary")
        relevant, spans = draft.get("relevant_segments", []), draft.get("spans", [])
        if not relevant and not spans:
            raise PayloadRefused("relevant_segments", "is empty: mark at least one segment the summary rests on")
        _check_segments(relevant, len(about.segments))
        for i, span in enumerate(spans):
            check_quote(span, f"spans[{i}]", about.segments)
        for i, proposal in enumerate(draft.get("proposals", [])):
            check_quote(proposal, f"proposals[{i}]", about.segments)
        if not draft.get("confirmed_segments"):
            raise PayloadRefused(
                "confirmed_segments", "is missing: confirm that the marked segments are the needed ones"
            )
        if not draft.get("reread"):
            raise PayloadRefused("reread", "is missing: read the summary again beside the request")
        if checks.is_blank(draft.get("title", "")):
            raise PayloadRefused("title", "is empty: give the summary a title")
        stored = {
            "summary": draft["summary"],
            "title": draft["title"],
            "relevant_segments": relevant,
            "spans": spans,
            **({"proposals": draft["proposals"]} if draft.get("proposals") else {}),
        }
        return CompletedPayload(
            stored, build_shown_bands(about, marked_numbers(relevant) | {span["segment"] for span in spans})
        )

    def segments_of(self, payload: Mapping[str, Any]) -> set[int]:
        return marked_numbers(payload.get("relevant_segments", []))

    def spans_of(self, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
        return list(payload.get("spans", []))

    def blank(self) -> dict[str, Any]:
        return {"summary": "", "title": "", "relevant_segments": [], "spans": []}

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "text": payload.get("summary", ""),
            "title": payload.get("title", ""),
            "relevant_segments": payload.get("relevant_segments", []),
            "spans": payload.get("spans", []),
            "proposals": payload.get("proposals", []),
        }

    def check_line(self, line: Mapping[str, Any], segments: Sequence[Mapping[str, Any]] | None) -> None:
        require_field(line, "text", str)
        require_field(line, "title", str)
        for index, pair in enumerate(require_field(line, "relevant_segments", list)):
            ends = pair if isinstance(pair, list) and len(pair) == 2 else [None]
            if not all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
                raise FieldFault(("relevant_segments", index), "must be a pair [first, last]", pair, "type")
        for index, span in enumerate(require_field(line, "spans", list)):
            _check_line_span(span, ("spans", index), segments)
        for index, span in enumerate(require_field(line, "proposals", list) if "proposals" in line else ()):
            _check_line_span(span, ("proposals", index), segments)
            require_field(span, "decision", str, path=("proposals", index))

    def restore(self, line: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "summary": line["text"],
            "title": line["title"],
            "relevant_segments": line["relevant_segments"],
            "spans": line["spans"],
            **({"proposals": line["proposals"]} if line.get("proposals") else {}),
        }


def _check_line_span(span: Any, path: tuple[str | int, ...], segments: Sequence[Mapping[str, Any]] | None) -> None:
    if not isinstance(span, dict):
        raise FieldFault(path, "must be an object", span, "type")
    segment, start, end = (require_int(span, key, path=path) for key in ("segment", "start", "end"))
    if "quote" not in span:
        return
    quote = require_field(span, "quote", str, path=path)
    if segments is not None and (
        segment >= len(segments) or segments[segment]["text"][start:end] != quote or not quote
    ):
        raise FieldFault((*path, "quote"), "is not the text at this place", quote, "quote")


def _check_segments(value: Any, count: int) -> list[Any]:
    """Checks ints and inclusive [a, b] pairs inside 0..count-1; returns them unchanged."""
    entries = checks.check_list(value, "relevant_segments", MAX_SEGMENTS)
    for i, entry in enumerate(entries):
        place = f"relevant_segments[{i}]"
        if isinstance(entry, list):
            if len(entry) != 2:
                raise PayloadRefused(place, f"has {len(entry)} numbers; a range has two, first and last")
            first = checks.check_integer(entry[0], f"{place}[0]", 0, count - 1)
            checks.check_integer(entry[1], f"{place}[1]", first, count - 1)
        else:
            checks.check_integer(entry, place, 0, count - 1)
    return entries


def check_span(value: Any, place: str) -> dict[str, Any]:
    """The marked range as clean fields. Raises PayloadRefused with the place of the fault."""
    data = checks.check_fields(value, SPAN_FIELDS, place)
    for name in sorted(SPAN_FIELDS):
        if name not in data:
            raise PayloadRefused(f"{place}.{name}", "is missing")
    for name in ("segment", "start", "end"):
        checks.check_integer(data[name], f"{place}.{name}", 0, MAX_OFFSET)
    checks.check_storable(data["quote"], f"{place}.quote", MAX_OFFSET)
    return {name: data[name] for name in ("segment", "start", "end", "quote")}


def _check_proposal(value: Any, place: str) -> dict[str, Any]:
    data = checks.check_fields(value, SPAN_FIELDS | {"decision"}, place)
    if data.get("decision") not in DECISIONS:
        raise PayloadRefused(f"{place}.decision", f"must be one of {', '.join(DECISIONS)}")
    return {
        **check_span({name: data[name] for name in SPAN_FIELDS if name in data}, place),
        "decision": data["decision"],
    }


def check_quote(span: dict[str, Any], place: str, segments: list[dict[str, str]]) -> None:
    """Checks that the range is not empty, is inside its segment, and holds exactly the quoted text."""
    checks.check_integer(span["segment"], f"{place}.segment", 0, len(segments) - 1)
    text = segments[span["segment"]]["text"]
    checks.check_integer(span["end"], f"{place}.end", 1, len(text))
    checks.check_integer(span["start"], f"{place}.start", 0, span["end"] - 1)
    if text[span["start"] : span["end"]] != span["quote"]:
        raise PayloadRefused(f"{place}.quote", "is not the text at this place; offsets count code points")


def marked_numbers(relevant: list[Any]) -> set[int]:
    """The numbers of the marked segments, from checked ints and ranges."""
    numbers: set[int] = set()
    for entry in relevant:
        numbers.update(range(entry[0], entry[1] + 1) if isinstance(entry, list) else [entry])
    return numbers


def build_shown_bands(about: TaskContext, numbers: set[int]) -> dict[str, Any]:
    """The bands the writer saw: {} without any, else {attribute key: {of, low, high, value, base, words, from, to}}.

    words: word count the shares refer to; from, to: the band in whole words. base: `marked` (the marked segments) or
    `source` (all segments, where nothing was chosen that narrows them).
    """
    narrowed = any(about.values.get(key) for key in about.asks)
    base = "marked" if narrowed else "source"
    texts = [segment["text"] for i, segment in enumerate(about.segments) if not narrowed or i in numbers]
    words = sum(map(n_words, texts))
    bands: dict[str, Any] = {}
    for attribute in about.schema.sampled:
        value = str(about.values.get(attribute.key, ""))
        band = attribute.band(value)
        if band is not None:
            low, high = band.in_words(words) or (None, None)
            bands[attribute.key] = {
                **band.as_dict(),
                "value": value,
                "base": base,
                "words": words,
                "from": low,
                "to": high,
            }
    return bands

"""The dataset in the shape of each format: JSON lines, MACSum's JSON, rows of a table."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.formats.epitome1 import FORMAT, dump_line
from annotation.formats.macsum_out import dump_macsum
from annotation.formats.quickjson import JSONText, candidates_text, decisions_text, encode, filled, segments_text
from annotation.formats.records import ReferenceRecord, SourceRecord, json_text
from annotation.models import GuidelineVersion, Project, SchemaVersion
from annotation.services.choices import NOT_USED
from annotation.services.dataset import Unit

PIECE = 1 << 16


def project_line(project: Project, *, schemas: int | None = None, guidelines: int | None = None) -> dict[str, Any]:
    """The first line: the texts of the schema and guideline versions (up to a number) that the lines name."""
    return {
        "format": FORMAT,
        "task": "project",
        "project": project.slug,
        "kind": project.kind,
        "domain": project.domain,
        "preset": project.preset,
        "language": project.language,
        "schemas": _versions(SchemaVersion, project, schemas, ()),
        "guidelines": _versions(GuidelineVersion, project, guidelines, ("change", "note")),
    }


def _versions(
    model: type[SchemaVersion] | type[GuidelineVersion], project: Project, up_to: int | None, more: tuple[str, ...]
) -> list[dict[str, Any]]:
    rows = model.objects.filter(project=project).order_by("number").values("number", "text", *more)
    return [
        {"version": row["number"], "text": row["text"], **{name: row[name] for name in more}}
        for row in rows
        if up_to is None or row["number"] <= up_to
    ]


def jsonl(head: dict[str, Any], units: Iterable[Unit]) -> Iterator[bytes]:
    """Lines in pieces of about 64 KB; the head comes alone and at once."""
    yield dump_line(head)
    held: list[bytes] = []
    size = 0
    for unit in units:
        for piece in _dumped(unit):
            held.append(piece)
            size += len(piece)
        if size >= PIECE:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _dumped(unit: Unit) -> Iterator[bytes]:
    """The same as dump_line of the source and of each line. What was decided about a group's candidates is most of a
    line and the same for all its samples, so it becomes text once."""
    source, group = unit.source, None
    parts = {"candidates": f"{{{','.join(_candidates(source['candidates']))}}}"}
    if source["segments"] is not None:
        parts["segments"] = segments_text(source["segments"])
    yield filled(source, parts).encode() + b"\n"
    text = ""
    for line in unit.lines:
        if line["group"] is not group:
            group = line["group"]
            text = filled(group, {"decisions": decisions_text(group["decisions"])})
        metrics = line["metrics"]
        parts = {"metrics": metrics, "group": text} if type(metrics) is JSONText else {"group": text}
        yield filled(line, parts).encode() + b"\n"


def _candidates(kinds: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    for kind in sorted(kinds):
        yield f"{encode(kind)}:{candidates_text(kinds[kind])}"


def macsum(units: Iterable[Unit], *, lists: dict[int, list[str]]) -> Iterator[bytes]:
    """MACSum's JSON. Left out, because the format cannot tell: skipped requests, summaries that do not count (rejected,
    surplus, void), damaged sources, and sources set aside that have no summary. lists: schema version -> keys of the
    attributes people choose."""
    return dump_macsum(record for unit in units if (record := macsum_record(unit, lists)) is not None)


def macsum_record(unit: Unit, lists: dict[int, list[str]]) -> SourceRecord | None:
    """One entry; None where it is left out."""
    source = unit.source
    used = [line for line in unit.lines if not line["skipped"] and line["state"] not in NOT_USED]
    if source["flags"]["damaged"] or not (used or source["flags"]["selected"]):
        return None
    metadata = json.loads(source["metadata"])
    for key, value in (("dataset", source["project"]), ("split", source["split"]), ("file_id", source["source_id"])):
        metadata.setdefault(key, value)
    return SourceRecord(
        external_id=source["source_id"],
        origin_id=source["origin_id"],
        title=source["title"],
        segments=source["segments"] or [],
        metadata_json=json_text(metadata),
        split=source["split"],
        licence=source["licence"],
        may_release_text=source["may_release_text"],
        place="",
        n_words=source["n_words"],
        content_hash=source["content_hash"],
        references=[_reference(number, line, lists) for number, line in enumerate(used)],
    )


def _reference(number: int, line: dict[str, Any], lists: dict[int, list[str]]) -> ReferenceRecord:
    """An imported reference as it came; another one with every list the schema has, also the empty ones."""
    raw = json.loads(line["raw"]) if line["raw"] else {}
    asked = lists.get(line["schema"]["version"], [])
    given = raw.get("relevant_segments") if line["origin"] == "import" else None
    return ReferenceRecord(
        position=number,
        attributes={**{key: [] for key in asked}, **line["attributes"]},
        raw_attributes=raw.get("raw_attributes", {}),
        summary=line["text"],
        title=line["title"],
        relevant_segments=given if given is not None else [_released(pair) for pair in line["relevant_segments"]],
        raw_extra=raw.get("raw_extra", {}) if line["origin"] == "import" else {},
    )


def _released(pair: list[int]) -> Any:
    """A range as the release writes it: one segment as its number."""
    return pair[0] if pair[0] == pair[1] else pair


COLUMNS = {
    "task": "text",
    "project": "text",
    "source_id": "text",
    "origin_id": "text",
    "sample_id": "text",
    "split": "text",
    "licence": "text",
    "title": "text",
    "text": "text",
    "segments": "json",
    "relevant_segments": "json",
    "spans": "json",
    "proposals": "json",
    "skipped": "bool",
    "skip_reason": "text",
    "skip_note": "text",
    "annotator": "text",
    "origin": "text",
    "state": "text",
    "revision": "int",
    "guideline": "int",
    "assistance": "text",
    "schema": "json",
    "group": "json",
    "sampler": "json",
    "times": "json",
    "band_shown": "json",
    "inspection": "json",
    "metrics": "json",
    "authorship": "json",
    "raw": "text",
    "metadata": "text",
    "may_release_text": "bool",
    "content_hash": "text",
    "n_segments": "int",
    "n_words": "int",
    "extractor": "text",
    "candidates": "json",
    "flags": "json",
}


def columns(attributes: dict[str, str]) -> dict[str, str]:
    """Names and kinds of a table's columns. attributes: key -> text or list; each is a column of its own."""
    return {**COLUMNS, **{f"attribute_{key}": kind for key, kind in attributes.items()}}


def rows(units: Iterable[Unit], attributes: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The lines as flat rows: sources and summaries in one table, told apart by `task`."""
    named = [(f"attribute_{key}", key) for key in attributes]
    for unit in units:
        source, group, text = unit.source, None, JSONText()
        row = {**dict.fromkeys(COLUMNS), **{name: source[name] for name in COLUMNS if name in source}}
        row["candidates"] = JSONText(f"{{{','.join(_candidates(source['candidates']))}}}")
        if source["segments"] is not None:
            row["segments"] = JSONText(segments_text(source["segments"]))
        yield {**row, **{name: None for name, _key in named}}
        for line in unit.lines:
            if line["group"] is not group:
                group = line["group"]
                text = JSONText(filled(group, {"decisions": decisions_text(group["decisions"])}))
            values = line.get("attributes", {})
            row = {name: line.get(name) for name in COLUMNS}
            row["group"] = text
            row.update({name: values.get(key) for name, key in named})
            yield row

"""Writes the dataset in each export format: JSON lines, MACSum's JSON, rows of a table."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from annotation.models import GuidelineVersion, Project, SchemaVersion
from annotation.services.exports.dataset_reader import Unit
from annotation.services.exports.export_selection import NOT_USED
from epitome.formats.encoded_json import EncodedJSON, encode_json, encode_object
from epitome.formats.epitome1 import FORMAT, dump_line
from epitome.formats.macsum_out import dump_macsum
from epitome.formats.records import ReferenceRecord, SourceRecord, json_text

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
        "schemas": _list_versions(SchemaVersion, project, schemas, ()),
        "guidelines": _list_versions(GuidelineVersion, project, guidelines, ("change", "note")),
    }


def _list_versions(
    model: type[SchemaVersion] | type[GuidelineVersion], project: Project, up_to: int | None, more: tuple[str, ...]
) -> list[dict[str, Any]]:
    rows = model.objects.filter(project=project).order_by("number").values("number", "text", *more)
    return [
        {"version": row["number"], "text": row["text"], **{name: row[name] for name in more}}
        for row in rows
        if up_to is None or row["number"] <= up_to
    ]


def write_jsonl(head: dict[str, Any], units: Iterable[Unit]) -> Iterator[bytes]:
    """JSON lines in chunks of about 64 KB; `head` is yielded first, on its own."""
    yield dump_line(head)
    pieces: list[bytes] = []
    size = 0
    for unit in units:
        for piece in _dump_unit(unit):
            pieces.append(piece)
            size += len(piece)
        if size >= PIECE:
            yield b"".join(pieces)
            pieces, size = [], 0
    if pieces:
        yield b"".join(pieces)


def _dump_unit(unit: Unit) -> Iterator[bytes]:
    """The same as dump_line of the source and of each line. The decisions about a group's candidates are most of
    a line and the same for all its samples, so they are serialized once."""
    yield encode_object(unit.source, {}) + b"\n"
    group, group_text = None, ""
    for line in unit.lines:
        if line["group"] is not group:
            group = line["group"]
            group_text = encode_json(group)
        metrics = line["metrics"]
        encoded_values = {"group": group_text}
        if type(metrics) is EncodedJSON:
            encoded_values["metrics"] = metrics
        yield encode_object(line, encoded_values) + b"\n"


def write_macsum(units: Iterable[Unit], *, lists: dict[int, list[str]]) -> Iterator[bytes]:
    """MACSum's JSON. Left out, because the format has no place for them: skips, summaries that do not count (rejected,
    surplus, void), damaged sources, and deselected sources without a summary. lists: schema version -> keys of the
    attributes people choose."""
    return dump_macsum(record for unit in units if (record := macsum_record(unit, lists)) is not None)


def macsum_record(unit: Unit, lists: dict[int, list[str]]) -> SourceRecord | None:
    """One entry; None if the source is left out."""
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
        references=[_build_reference(index, line, lists) for index, line in enumerate(used)],
    )


def _build_reference(number: int, line: dict[str, Any], lists: dict[int, list[str]]) -> ReferenceRecord:
    """Imported references are unchanged; others have every list attribute of the schema, including empty ones."""
    raw = json.loads(line["raw"]) if line["raw"] else {}
    list_keys = lists.get(line["schema"]["version"], [])
    raw_segments = raw.get("relevant_segments") if line["origin"] == "import" else None
    return ReferenceRecord(
        position=number,
        attributes={**{key: [] for key in list_keys}, **line["attributes"]},
        raw_attributes=raw.get("raw_attributes", {}),
        summary=line["text"],
        title=line["title"],
        relevant_segments=raw_segments
        if raw_segments is not None
        else [_release_range(pair) for pair in line["relevant_segments"]],
        raw_extra=raw.get("raw_extra", {}) if line["origin"] == "import" else {},
    )


def _release_range(pair: list[int]) -> Any:
    """A segment range as MACSum's release writes it: a single segment as its number."""
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
    "extra": "bool",
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


def table_columns(attributes: dict[str, str]) -> dict[str, str]:
    """Names and kinds of a table's columns. attributes: key -> text or list; each is a column of its own."""
    return {**COLUMNS, **{f"attribute_{key}": kind for key, kind in attributes.items()}}


def table_rows(units: Iterable[Unit], attributes: dict[str, str]) -> Iterator[dict[str, Any]]:
    """The lines as flat rows: sources and summaries in one table, distinguished by `task`."""
    attribute_columns = [(f"attribute_{key}", key) for key in attributes]
    for unit in units:
        source, group, group_text = unit.source, None, EncodedJSON()
        row = {**dict.fromkeys(COLUMNS), **{name: source[name] for name in COLUMNS if name in source}}
        for name in ("candidates", "segments"):
            row[name] = None if source[name] is None else EncodedJSON(encode_json(source[name]))
        yield {**row, **{name: None for name, _key in attribute_columns}}
        for line in unit.lines:
            if line["group"] is not group:
                group = line["group"]
                group_text = EncodedJSON(encode_json(group))
            values = line.get("attributes", {})
            row = {name: line.get(name) for name in COLUMNS}
            row["group"] = group_text
            row.update({name: values.get(key) for name, key in attribute_columns})
            yield row

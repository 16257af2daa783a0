"""Checks the lines of an export to restore: each field has its type and fits the source, sample and schema."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.kinds import Kind, project_kinds
from annotation.models import GuidelineVersion
from annotation.services.core.sample_subjects import SAMPLE_SUBJECTS, find_subject
from annotation.services.exports.export_lines import FROM_SOURCE
from epitome.formats.epitome1 import dump_line
from epitome.formats.faults import FieldFault
from epitome.formats.line_fields import NULL_TYPE, require_field, require_int
from epitome.formats.strictjson import BadJson, parse_strict_json
from epitome.schema import InvalidValue, Schema, SchemaError, parse_schema

SAMPLE_ID = re.compile(r"(.*)#(0|[1-9][0-9]{0,8})", re.DOTALL)
ORIGINS = ("person", "import")
OBJECT_FIELDS = ("schema", "attributes", "group", "sampler")
MAX_GUIDELINE_NOTE = 200_000
TEXT_FIELDS = (("state", 20), ("assistance", 12), ("raw", 5_000_000))


@dataclass(frozen=True, slots=True)
class Head:
    """The `task: "project"` line: settings and the texts of the schema and guideline versions, by number.

    changes: of a guideline version, whether it changed a rule or the wording, and the note on it.
    """

    settings: dict[str, str]
    schemas: dict[int, str]
    guidelines: dict[int, str]
    changes: dict[int, tuple[str, str]] = field(default_factory=dict)


def parse_head(data: dict[str, Any]) -> Head:
    """Parse the project line. Raises FieldFault."""
    settings = {key: require_field(data, key, str) for key in ("kind", "domain", "preset", "language")}
    if settings["kind"] not in project_kinds():
        raise FieldFault(("kind",), f"must be one of {', '.join(project_kinds())}", settings["kind"])
    kind = project_kinds()[settings["kind"]]
    schemas = _parse_versions(data, "schemas")
    for number, text in schemas.items():
        try:
            parse_schema(text, f"schema version {number}", needs_attributes=kind.needs_attributes)
        except SchemaError as error:
            raise FieldFault(("schemas",), str(error)[:200], "", "schema") from error
    return Head(settings, schemas, _parse_versions(data, "guidelines"), _parse_changes(data))


def _parse_changes(data: dict[str, Any]) -> dict[int, tuple[str, str]]:
    """Guideline version -> (change, note). Without `change` it counts as a rule change, so that nobody misses one."""
    changes = {}
    for index, row in enumerate(data["guidelines"]):
        path = ("guidelines", index)
        change = require_field(row, "change", str, path=path) if "change" in row else GuidelineVersion.Change.RULE.value
        if change not in GuidelineVersion.Change.values:
            raise FieldFault((*path, "change"), f"must be one of {', '.join(GuidelineVersion.Change.values)}", change)
        note = require_field(row, "note", str, path=path) if "note" in row else ""
        if len(note) > MAX_GUIDELINE_NOTE:
            raise FieldFault((*path, "note"), f"is longer than {MAX_GUIDELINE_NOTE} characters", note, "length")
        changes[row["version"]] = (change, note)
    return changes


def _parse_versions(data: dict[str, Any], key: str) -> dict[int, str]:
    texts_by_version: dict[int, str] = {}
    for index, row in enumerate(require_field(data, key, list)):
        if not isinstance(row, dict):
            raise FieldFault((key, index), "must be an object", row, "type")
        version = require_int(row, "version", path=(key, index))
        if version in texts_by_version:
            raise FieldFault((key, index, "version"), "stands twice", version, "doubled")
        texts_by_version[version] = require_field(row, "text", str, path=(key, index))
    if not texts_by_version:
        raise FieldFault((key,), "is empty; name at least one version", [], "empty")
    return texts_by_version


def check_extras(data: dict[str, Any]) -> None:
    """Check what a source line has beside its text: flags, candidates, counts. Raises FieldFault."""
    flags = require_field(data, "flags", dict)
    for key in ("selected", "damaged"):
        require_field(flags, key, bool, path=("flags",))
    require_field(flags, "damaged_reason", str, path=("flags",))
    require_int(data, "n_segments")
    require_int(data, "n_words")
    if len(require_field(data, "extractor", str)) > 120:
        raise FieldFault(("extractor",), "is longer than 120 characters", data["extractor"], "length")
    for kind, rows in require_field(data, "candidates", dict).items():
        if kind not in ("topic", "speaker") or not isinstance(rows, list):
            raise FieldFault(("candidates", kind), "must be a list under topic or speaker", rows, "type")
        _check_candidates(kind, rows)


def _check_candidates(kind: str, rows: list[Any]) -> None:
    seen: set[str] = set()
    for index, row in enumerate(rows):
        path = ("candidates", kind, index)
        if not isinstance(row, dict):
            raise FieldFault(path, "must be an object", row, "type")
        text = require_field(row, "text", str, path=path)
        if len(text) > 400 or text in seen:
            raise FieldFault((*path, "text"), "is longer than 400 characters or stands twice", text)
        seen.add(text)
        require_int(row, "rank", path=path, high=32767)
        require_field(row, "score", int, float, NULL_TYPE, path=path)
        for key in ("mentions", "words"):
            require_int(row, key, path=path)
        if len(require_field(row, "extractor", str, path=path)) > 120:
            raise FieldFault((*path, "extractor"), "is longer than 120 characters", row["extractor"], "length")


def check_line(
    data: dict[str, Any], *, kind: Kind, schemas: Mapping[int, Schema], segments: Sequence[dict[str, Any]] | None
) -> None:
    """Check the line of an annotation or a skip. segments: those of its source, if available. Raises FieldFault."""
    if data["task"] != kind.export_task:
        message = f"must be {kind.export_task}: the project has no other tasks"
        raise FieldFault(("task",), message, data["task"], "task")
    parse_sample_position(data)
    if subject := find_subject(kind.key):
        subject.check_line(data)
    for key in OBJECT_FIELDS:
        require_field(data, key, dict)
    _check_attributes(data, schemas)
    _check_design(data)
    for key, longest in TEXT_FIELDS:
        if len(require_field(data, key, str)) > longest:
            raise FieldFault((key,), f"is longer than {longest} characters", data[key], "length")
    if require_field(data, "origin", str) not in ORIGINS:
        raise FieldFault(("origin",), f"must be one of {', '.join(ORIGINS)}", data["origin"])
    require_int(data, "revision", high=32767)
    require_field(data, "annotator", str, NULL_TYPE)
    require_field(data, "guideline", int, NULL_TYPE)
    for key, kinds in (("times", dict), ("band_shown", dict), ("metrics", dict), ("inspection", list)):
        require_field(data, key, kinds)
    if "suggestion" in data:
        require_field(data, "suggestion", dict, NULL_TYPE)
    if "extra" in data:
        require_field(data, "extra", bool)
    if require_field(data, "skipped", bool):
        require_field(data, "skip_reason", str)
        if data["origin"] == "import":
            raise FieldFault(("origin",), "must be person: an import skips nothing", "import")
    else:
        kind.check_line(data, segments)


def parse_sample_position(data: Mapping[str, Any]) -> int:
    """The position from a sample id of the form `<source id>#<number>`. Raises FieldFault."""
    match = SAMPLE_ID.fullmatch(require_field(data, "sample_id", str))
    if match is None or match.group(1) != data.get("source_id"):
        raise FieldFault(("sample_id",), "must be the source's id, # and a number", data["sample_id"])
    return int(match.group(2))


def _check_attributes(data: dict[str, Any], schemas: Mapping[int, Schema]) -> None:
    version = require_int(data["schema"], "version", path=("schema",))
    if version not in schemas:
        raise FieldFault(("schema", "version"), "is no version of the file's or the project's schema", version)
    for key, value in data["attributes"].items():
        try:
            attribute = schemas[version].attribute(key)
            if attribute.filled_by == "sampler":
                attribute.canonical(value)
                continue
        except InvalidValue as error:
            raise FieldFault(("attributes", key), str(error).removeprefix(f"{key}: "), value) from error
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise FieldFault(("attributes", key), "must be a list of texts", value, "type")


def _check_design(data: dict[str, Any]) -> None:
    """Check how the sample was made: its group, its sampler and, for an import, the raw values of the file."""
    group, sampler = data["group"], data["sampler"]
    require_int(group, "index", path=("group",))
    for key in ("asked", "decisions"):
        require_field(group, key, list, path=("group",))
    for key in ("algorithm", "combination"):
        if len(require_field(sampler, key, str, path=("sampler",))) > 60:
            raise FieldFault(("sampler", key), "is longer than 60 characters", sampler[key], "length")
    seed = require_field(sampler, "seed", int, NULL_TYPE, path=("sampler",))
    if seed is not None and not -(2**63) <= seed < 2**63:
        raise FieldFault(("sampler", "seed"), "must fit 64 bits", seed, "range")
    if data.get("raw"):
        try:
            parsed = parse_strict_json(str(data["raw"]).encode())
        except BadJson as error:
            raise FieldFault(("raw",), f"holds text that is not JSON: {error}", data["raw"], "json") from error
        if not isinstance(parsed, dict):
            raise FieldFault(("raw",), "must hold an object", data["raw"], "type")


def dump_stored_line(data: Mapping[str, Any]) -> bytes:
    """Serialize a line for storage: without the values that come from its source and project."""
    return dump_line({key: value for key, value in data.items() if key not in FROM_SOURCE})


def dump_comparable_line(data: Mapping[str, Any]) -> bytes:
    """Serialize a line without its metrics, so that new scores do not make it another line."""
    return dump_stored_line({key: value for key, value in data.items() if key != "metrics"})


def build_line_key(data: Mapping[str, Any]) -> str:
    """Unique key of a line: sample and author. Lines without an author are identified by their content."""
    author = "import" if data["origin"] == "import" else data["annotator"] or dump_comparable_line(data).decode()
    return f"{data['sample_id']}\n{author}"


def build_design_texts(data: Mapping[str, Any]) -> dict[str, bytes]:
    """Serialized values on which all lines of one sample, and all lines of one group, must agree."""
    sample = {key: data[key] for key in ("attributes", "sampler", "raw")}
    sample |= {"schema": data["schema"]["version"], "group": data["group"]["index"]}
    sample |= {key: data[key] for subject in SAMPLE_SUBJECTS for key in subject.fields if key in data}
    chosen = {key: value for key, value in data["attributes"].items() if isinstance(value, list)}
    return {
        f"sample {data['sample_id']}": dump_line(sample),
        f"group {data['source_id']} {data['group']['index']}": dump_line({"asked": data["group"]["asked"], **chosen}),
    }

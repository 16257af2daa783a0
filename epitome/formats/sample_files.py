"""The samples of a file under one schema: requests, their sources, and the summaries written for them.

One reader for every command that works on a file: MACSum-shaped JSON of any schema, Epitome's own export (epitome-1),
and tables of any kind whose columns a mapping names, as the import reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from epitome.formats.columns import read_table_head
from epitome.formats.elements import read_entries
from epitome.formats.epitome1 import EpitomeLine, read_epitome1, source_record
from epitome.formats.faults import Fault, FieldFault, LeftOut
from epitome.formats.fields import MAPPED_FIELDS
from epitome.formats.guess import asks_for_speakers, build_attribute_tests, guess_columns
from epitome.formats.line_fields import require_field
from epitome.formats.macsum import source_of_entry
from epitome.formats.options import SEVERAL, ImportOptions
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.records import (
    ReferenceRecord,
    SourceRecord,
    canonical_split,
    check_column_mapping,
    split_number,
    split_of_name,
)
from epitome.formats.registry import FORMATS, detect_format, has_columns
from epitome.formats.request_values import SEPARATORS, fit_reference, read_request
from epitome.formats.row_references import ATTRIBUTE
from epitome.formats.row_table import line_of
from epitome.formats.rows import Place, Row
from epitome.formats.text_lookup import TextLookup
from epitome.schema import PRESETS, InvalidValue, Schema, load_preset, parse_schema

UNUSED_STATES = frozenset({"rejected", "surplus", "void", "withdrawn"})
"""States of an export's summaries that no measure, training or system is to see."""
RequestValue = str | tuple[str, ...]


class SampleFault(ValueError):
    """A file whose samples cannot be read; the message is one line that names the file and the place."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class SampleFileOptions:
    """How the samples of a file are read.

    schema: what its attributes are; None: MACSum's for documents or dialogues, as each entry is, or the preset that an
    export of Epitome names. format: a name in the registry, or auto. mapping: {our field: column} of a table; None:
    matched by name and content. separator: what parts the entries of a list in a cell. text_from: where the texts of
    a table's rows are that have none.
    """

    schema: Schema | None = None
    format: str = "auto"
    mapping: Mapping[str, str] | None = None
    separator: str = SEPARATORS[0]
    text_from: InputFile | None = None


@dataclass(frozen=True, slots=True)
class SamplePlace:
    """Where a sample is in its file, for faults. path: inside the entry at the spot."""

    file: InputFile
    line: int | None
    spot: Place | None = None
    path: tuple[str | int, ...] = ()

    def fault(self, error: FieldFault) -> Fault:
        """The fault at a path below this place."""
        inner = FieldFault((*self.path, *error.path), error.message, error.value, error.code)
        if self.spot is not None:
            return self.spot.fault(inner)
        name = ".".join(map(str, error.path))
        return self.file.fault(error.message, line=self.line, field=name, value=error.value, code=error.code)


@dataclass(frozen=True, slots=True)
class FileSample:
    """One request and the summary written for it. values: by attribute, canonical; what is not requested is absent."""

    sample_id: str
    values: Mapping[str, RequestValue]
    reference: ReferenceRecord
    split: str
    place: SamplePlace


@dataclass(frozen=True, slots=True)
class SourceSamples:
    """Samples that follow each other and have one source. number: of the source among those of the file, from 0; one
    that was read before comes again with further samples. record: without its references. is_table: rows and columns,
    of which somebody has to say which are attributes."""

    number: int
    record: SourceRecord
    schema: Schema
    samples: Sequence[FileSample]
    is_release: bool = False
    is_table: bool = False


def load_schema_option(name: str) -> Schema:
    """The schema of `--preset`: one that comes with the program, or a schema file. Raises ValueError."""
    if name in PRESETS:
        return load_preset(name)
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        raise ValueError(f"{name[:200]}: is neither one of {', '.join(PRESETS)} nor a schema file that ends in .toml")
    return parse_schema(path.read_text(encoding="utf-8", errors="replace"), path.name)


def read_samples(file: InputFile, options: SampleFileOptions | None = None) -> Iterator[SourceSamples]:
    """Every source of a file with its samples, in the order of the file; a sample is one summary.

    Raises SampleFault at the first fault or for an unusable mapping, UnreadableFile.
    """
    options = options or SampleFileOptions()
    kind = _decide_kind(file, options)
    if kind == "epitome-1":
        return _read_epitome1_samples(file, options)
    if has_columns(kind) and not FORMATS[kind].is_single_text:
        return _read_table_samples(file, kind, options)
    return _read_macsum_samples(file, options)


def _decide_kind(file: InputFile, options: SampleFileOptions) -> str:
    """The format; what is in no known one is left to MACSum's reader, which names the place of its fault."""
    if options.format != "auto":
        return options.format
    try:
        kind = detect_format(file, options.mapping)
    except UnreadableFile:
        return "macsum"
    if kind == "qmsum":
        raise SampleFault(file.fault("holds no requests and summaries, only meetings; import it", code="format"))
    return kind


def _read_macsum_samples(file: InputFile, options: SampleFileOptions) -> Iterator[SourceSamples]:
    for index, row in enumerate(read_entries(file)):
        if isinstance(row, Fault):
            raise SampleFault(row)
        try:
            yield _samples_of_entry(file, row, index, options.schema)
        except FieldFault as error:
            raise SampleFault(row.spot.fault(error)) from error


def _samples_of_entry(file: InputFile, row: Row, number: int, schema: Schema | None) -> SourceSamples:
    entry = row.values
    if "references" not in entry:
        raise FieldFault(("references",), "is missing (an empty list means no samples)", code="missing")
    record = source_of_entry(entry, row.place, split_of_name(file.data_name), True, schema)
    chosen_schema = schema or load_preset("macsum-dial" if asks_dialogue(entry, record) else "macsum-doc")
    samples = []
    for reference in record.references:
        path = ("references", reference.position)
        request = _read_values(reference, chosen_schema, (*path, "control_attribute"))
        name = f"{record.external_id}#{reference.position}"
        samples.append(
            FileSample(name, request, reference, record.split, SamplePlace(file, row.spot.line, row.spot, path))
        )
    return SourceSamples(number, replace(record, references=[]), chosen_schema, samples, is_release=schema is None)


def asks_dialogue(entry: Mapping[str, object], record: SourceRecord) -> bool:
    """Whether an entry is a dialogue, as MACSum's reader decides it: its turns are numbered or speakers requested."""
    metadata = entry["metadata"]
    has_turns = isinstance(metadata, dict) and "turns" in metadata
    return has_turns or any("speaker" in reference.attributes for reference in record.references)


def _read_values(reference: ReferenceRecord, schema: Schema, path: tuple[str | int, ...]) -> Mapping[str, RequestValue]:
    """The request in the terms of the schema. Raises FieldFault with the path of the attribute."""
    try:
        return read_request(reference.attributes, schema)
    except InvalidValue as error:
        message = str(error).removeprefix(f"{error.key}: ")
        raise FieldFault((*path, error.key), message, reference.attributes.get(error.key)) from error


def _read_epitome1_samples(file: InputFile, options: SampleFileOptions) -> Iterator[SourceSamples]:
    """Each summary with its source; those that were rejected or withdrawn, and sources without any, are left out."""
    records: dict[str, SourceRecord] = {}
    numbers: dict[str, int] = {}
    positions: dict[str, int] = {}
    for item in read_epitome1(file):
        if isinstance(item, Fault):
            raise SampleFault(item)
        try:
            if item.data["task"] == "source":
                record = source_record(item)
                records[record.external_id] = record
            elif item.data.get("text") and item.data.get("state") not in UNUSED_STATES:
                schema = options.schema or _schema_of_line(item)
                name = require_field(item.data, "source_id", str)
                positions[name] = positions.get(name, -1) + 1
                sample = _sample_of_line(file, item, records[name], schema, positions[name])
                yield SourceSamples(numbers.setdefault(name, len(numbers)), records[name], schema, [sample])
        except FieldFault as error:
            raise SampleFault(item.spot.fault(error)) from error


def _schema_of_line(item: EpitomeLine) -> Schema:
    """The preset that the project of an export was made from. Raises FieldFault where the export names none."""
    declared = item.data.get("schema")
    preset = declared.get("preset") if isinstance(declared, dict) else None
    if preset not in PRESETS:
        message = f"names none of the presets {', '.join(PRESETS)}; name one, or a schema file, with --preset"
        raise FieldFault(("schema", "preset"), message, preset, "schema")
    return load_preset(str(preset))


def _sample_of_line(
    file: InputFile, item: EpitomeLine, record: SourceRecord, schema: Schema, position: int
) -> FileSample:
    line = item.data
    if not record.segments:
        raise FieldFault(("source_id",), "the text of its source is not in the file; export it with texts", "", "text")
    attributes = require_field(line, "attributes", dict)
    reference = ReferenceRecord(
        position=position,
        attributes=attributes,
        raw_attributes=attributes,
        summary=require_field(line, "text", str),
        title=str(line.get("title") or ""),
        relevant_segments=list(line.get("relevant_segments") or []),
    )
    values = _read_values(reference, schema, ("attributes",))
    name = str(line.get("sample_id") or f"{record.external_id}#{position}")
    split = canonical_split(str(line.get("split") or record.split))
    return FileSample(name, values, reference, split, SamplePlace(file, item.line, item.spot))


@dataclass
class _TableSources:
    """The sources of a table by id: several rows may be of one source, with the same text."""

    file: InputFile
    records: dict[str, tuple[int, SourceRecord, str]] = field(default_factory=dict)
    n_references: dict[str, int] = field(default_factory=dict)

    def add(self, record: SourceRecord) -> tuple[int, SourceRecord]:
        """The source of a row and its number. Raises SampleFault for an id with another text than before."""
        name = record.external_id
        bare = replace(record, references=[])
        number, first, content_hash = self.records.setdefault(name, (len(self.records), bare, record.content_hash))
        if content_hash != record.content_hash:
            message = f"has the id of {first.place} with another text; give it another id, or the same text"
            fault = self.file.fault(message, line=line_of(record.place), field="id", value=name, code="doubled_id")
            raise SampleFault(fault)
        return number, first

    def next_position(self, name: str) -> int:
        position = self.n_references.get(name, 0)
        self.n_references[name] = position + 1
        return position


def _read_table_samples(file: InputFile, kind: str, options: SampleFileOptions) -> Iterator[SourceSamples]:
    schema = options.schema
    if schema is None:
        head = read_table_head(file, kind)
        if head.faults and not head.rows:
            raise SampleFault(head.faults[0])
        message = "is a table: say with --preset which attributes its columns hold"
        raise SampleFault(file.fault(message, code="schema", fatal=True))
    mapping, row_ids, summary_lists = _decide_mapping(file, kind, options, schema)
    if "summary" not in mapping:
        message = "has no column that is read as the summary; name it with --map summary=COLUMN"
        raise SampleFault(file.fault(message, line=1, code="header", fatal=True))
    texts = TextLookup(options.text_from) if options.text_from is not None else None
    sources = _TableSources(file)
    read_options = ImportOptions(
        mapping=mapping,
        row_ids=row_ids,
        texts=texts,
        summary_lists=summary_lists,
        exact_mapping=options.mapping is None,
        schema=schema,
    )
    for item in FORMATS[kind].read_units(file, read_options):
        if isinstance(item, Fault):
            raise SampleFault(item)
        if isinstance(item, LeftOut):
            continue
        number, record = sources.add(item.cut())
        place = SamplePlace(file, line_of(item.place))
        samples = []
        for reference in item.references:
            fitted = fit_reference(reference, schema, options.separator)
            fitted = replace(fitted, position=sources.next_position(record.external_id))
            try:
                values = _read_values(fitted, schema, ())
            except FieldFault as error:
                raise SampleFault(place.fault(error)) from error
            samples.append(FileSample(f"{record.external_id}#{fitted.position}", values, fitted, item.split, place))
        yield SourceSamples(number, record, schema, samples, is_table=True)


def _decide_mapping(
    file: InputFile, kind: str, options: SampleFileOptions, schema: Schema
) -> tuple[Mapping[str, str], bool, str]:
    """What the columns are, whether ids are made of row numbers, and what lists of summaries are: as given, else by
    name and content."""
    head = read_table_head(file, kind)
    if head.faults and not head.rows:
        raise SampleFault(head.faults[0])
    if options.mapping is not None:
        try:
            check_column_mapping(options.mapping, MAPPED_FIELDS)
        except ValueError as error:
            raise SampleFault(file.fault(str(error), code="mapping", fatal=True)) from error
        _check_mapped_attributes(file, options.mapping, schema)
        return options.mapping, "id" not in options.mapping and "id" not in head.columns, SEVERAL
    tests, has_texts = build_attribute_tests(schema), options.text_from is None
    guess = guess_columns(head.rows, head.columns, tests, has_texts=has_texts, needs_speakers=asks_for_speakers(schema))
    return guess.mapping, "id" not in guess.mapping, guess.summary_lists


def _check_mapped_attributes(file: InputFile, mapping: Mapping[str, str], schema: Schema) -> None:
    """Raises SampleFault for an attribute that the schema does not have: its column would be left out in silence."""
    known = ", ".join(attribute.key for attribute in schema.attributes)
    for field_name in mapping:
        key = split_number(field_name.removeprefix(ATTRIBUTE))[0] if field_name.startswith(ATTRIBUTE) else field_name
        if key != field_name and schema.find(key) is None:
            message = f"column mapping: {key[:40]!r} is no attribute of the schema; it has {known}"
            raise SampleFault(file.fault(message, code="mapping", fatal=True))

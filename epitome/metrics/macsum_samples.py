"""Reads the samples of a file for measuring, and the predictions of a system for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.macsum import MACSUM_VALUES, turn_line
from epitome.formats.reading import InputFile, Spot, read_lines
from epitome.formats.sample_files import (
    FileSample,
    SampleFault,
    SampleFileOptions,
    SamplePlace,
    SourceSamples,
    read_samples,
)
from epitome.formats.strictjson import BadJson, parse_strict_json
from epitome.measures import ENGLISH, MEASURES, Domain, SourceIndex
from epitome.schema import Schema

ORDINAL: Mapping[str, tuple[str, ...]] = {name: tuple(values) for name, values in MACSUM_VALUES.items()}
"""The attributes with ordered values, lowest first."""
LISTS = ("topic", "speaker")
MACSUM_PRESETS = ("macsum-doc", "macsum-dial")
MAX_SUMMARY = 100_000
"""Characters of one summary or prediction; longer texts are refused, they would take minutes to measure."""


class BadInput(ValueError):
    """A file that cannot be measured; the message is one line that names the file and the place."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True)
class Source:
    """One source; lines: as in the file. origin_id: the article or meeting it is (a piece of)."""

    external_id: str
    domain: Domain
    lines: tuple[str, ...]
    metadata: Mapping[str, Any]
    origin_id: str = ""

    @cached_property
    def index(self) -> SourceIndex:
        return SourceIndex.from_lines(self.lines, self.domain)


@dataclass(frozen=True)
class Sample:
    """One request and its reference summary.

    source: the place of its source in the file, from 0. requested: of attributes with values; picks: of topics,
    speakers and keywords. key: what two samples must share to be a pair of CC: source, topic and speaker, these as
    they are written ("a , b" and "a ; b" differ), as in the authors' released code. relevant: the segments it rests
    on, numbers and inclusive [first, last], as in the file.
    """

    source: int
    sample_id: str
    requested: Mapping[str, str]
    picks: Mapping[str, tuple[str, ...]]
    summary: str
    key: tuple[Any, ...]
    relevant: tuple[Any, ...] = ()


@dataclass(frozen=True)
class MacsumFile:
    """All sources and samples in file order. attributes: those the file asks for, in the order of the tables.

    by_origin: whether intervals draw origins (pieces of one meeting together) instead of sources. schema: what the
    attributes are; None: MACSum's. language: of the texts, where it is not the schema's.
    """

    name: str
    sources: tuple[Source, ...]
    samples: tuple[Sample, ...]
    attributes: tuple[str, ...]
    by_origin: bool = False
    schema: Schema | None = None
    language: str = ""

    @property
    def text_language(self) -> str:
        """The language that the texts are measured in: the one given, the schema's, or English."""
        return self.language or (self.schema.language if self.schema else ENGLISH)

    @cached_property
    def values_by_name(self) -> Mapping[str, tuple[str, ...]]:
        """The measured attributes with values, and these, lowest first where they have an order."""
        if self.schema is None:
            return ORDINAL
        attributes = (self.schema.attribute(key) for key in self.attributes)
        return {attribute.key: attribute.values for attribute in attributes if attribute.has_values}

    def has_order(self, name: str) -> bool:
        """Whether the values of a measured attribute have an order."""
        return name in ORDINAL if self.schema is None else self.schema.attribute(name).has_distance

    @property
    def picked(self) -> tuple[str, ...]:
        """The measured attributes whose requests are lists."""
        return tuple(key for key in self.attributes if key not in self.values_by_name)

    def measure_of(self, attribute: str) -> str:
        """The measure of an attribute."""
        return attribute if self.schema is None else self.schema.attribute(attribute).measure

    def label_of(self, attribute: str) -> str:
        """The name of an attribute for people."""
        return attribute.capitalize() if self.schema is None else self.schema.attribute(attribute).label

    def value_label(self, attribute: str, value: str) -> str:
        """A value of an attribute for people."""
        return value if self.schema is None else self.schema.attribute(attribute).value_label(value)

    @property
    def domains(self) -> tuple[Domain, ...]:
        """Of the sources that have samples; usually one."""
        return tuple(sorted({self.sources[sample.source].domain for sample in self.samples}))

    @property
    def clusters(self) -> list[int | str]:
        """What each sample is drawn with in intervals: its source, or its source's origin."""
        if self.by_origin:
            return [self.sources[sample.source].origin_id for sample in self.samples]
        return [sample.source for sample in self.samples]


def read_macsum_file(file: InputFile, options: SampleFileOptions | None = None) -> MacsumFile:
    """Reads the whole file. Raises BadInput at the first structural fault, and where no sample requests an attribute
    although its schema has one with a measure; UnreadableFile.

    Under MACSum's own schema (options without one) every sample needs its summary and values for length,
    extractiveness and specificity. A topic or speaker that is empty means none; the key may be absent only where it is
    absent from all samples of that kind of source. Under another schema what is absent is not requested.
    """
    reader = _Reader()
    try:
        for group in read_samples(file, options):
            reader.take(group)
    except SampleFault as error:
        raise BadInput(error.fault) from error
    reader.check_lists()
    if not reader.samples:
        raise BadInput(file.fault("holds no sample (no entry with references)", line=1, code="empty", fatal=True))
    built = reader.build_file(file.name)
    if not built.attributes and reader.measured_keys:
        raise BadInput(file.fault(reader.explain_no_attribute(), code="attributes", fatal=True))
    return built


@dataclass
class _Reader:
    """Collects the samples of a file."""

    sources: dict[int, Source] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    schemas: dict[str, Schema] = field(default_factory=dict)
    having: set[tuple[str, str]] = field(default_factory=set)
    lacking: dict[tuple[str, str], SamplePlace] = field(default_factory=dict)
    is_table: bool = False

    def take(self, group: SourceSamples) -> None:
        """Adds a source and samples of it. Raises BadInput."""
        schema, record = group.schema, group.record
        self.schemas[schema.key] = schema
        self.is_table |= group.is_table
        if group.number not in self.sources:
            texts = tuple(turn_line(segment) for segment in record.segments)
            metadata = json.loads(record.metadata_json)
            self.sources[group.number] = Source(record.external_id, schema.domain, texts, metadata, record.origin_id)
        for sample in group.samples:
            if group.is_release:
                self._check_attributes(schema.domain, sample)
            if len(sample.reference.summary) > MAX_SUMMARY:
                message = too_long_message(sample.reference.summary)
                raise BadInput(sample.place.fault(FieldFault(("summary",), message, code="long")))
            self.samples.append(_build_sample(sample, group.number, schema))

    def _check_attributes(self, domain: Domain, sample: FileSample) -> None:
        for name in ORDINAL:
            if name not in sample.values:
                message = "is missing"
                raise BadInput(sample.place.fault(FieldFault(("control_attribute", name), message, code="missing")))
        for name in LISTS:
            if name in sample.reference.attributes:
                self.having.add((domain, name))
            else:
                self.lacking.setdefault((domain, name), sample.place)

    def check_lists(self) -> None:
        """A topic or speaker that only some samples have was forgotten in the others. Raises BadInput."""
        for key, place in self.lacking.items():
            if key in self.having:
                message = f'is missing; other samples have it ("" means no {key[1]})'
                raise BadInput(place.fault(FieldFault(("control_attribute", key[1]), message, code="missing")))

    @property
    def measured_keys(self) -> list[str]:
        """The attributes of the schemas that have a measure; none where texts can only be compared."""
        attributes = [attribute for schema in self.schemas.values() for attribute in schema.attributes]
        return [attribute.key for attribute in attributes if attribute.measure in MEASURES]

    def explain_no_attribute(self) -> str:
        """Why there is nothing to measure, where no sample requests an attribute that has a measure."""
        keys = ", ".join(self.measured_keys)
        if self.is_table:
            return f"no column is read as an attribute; name one with --map attribute:KEY=COLUMN, KEY of {keys}"
        return f"no sample requests an attribute that has a measure: {keys}"

    def build_file(self, name: str) -> MacsumFile:
        sources = tuple(self.sources[number] for number in sorted(self.sources))
        samples = tuple(self.samples)
        if self.schemas.keys() <= set(MACSUM_PRESETS) and all(
            ORDINAL.keys() <= row.requested.keys() for row in samples
        ):
            picked = [key for key in LISTS if any(sample.picks.get(key) for sample in samples)]
            return MacsumFile(name, sources, samples, (*ORDINAL, *picked))
        schema = next(iter(self.schemas.values()))
        return MacsumFile(name, sources, samples, _measured_keys(schema, samples), schema=schema)


def _measured_keys(schema: Schema, samples: Sequence[Sample]) -> tuple[str, ...]:
    """The attributes that have a measure and are requested by a sample, in the schema's order."""
    return tuple(
        attribute.key
        for attribute in schema.attributes
        if attribute.measure in MEASURES
        and any(sample.requested.get(attribute.key) or sample.picks.get(attribute.key) for sample in samples)
    )


def _build_sample(sample: FileSample, source: int, schema: Schema) -> Sample:
    requested = {key: value for key, value in sample.values.items() if isinstance(value, str)}
    picks = {key: value for key, value in sample.values.items() if isinstance(value, tuple)}
    written = [write_pick(sample.reference.raw_attributes, attribute.key) for attribute in schema.chosen]
    return Sample(
        source=source,
        sample_id=sample.sample_id,
        requested=requested,
        picks=picks,
        summary=sample.reference.summary,
        key=(source, *written),
        relevant=tuple(sample.reference.relevant_segments),
    )


def write_pick(raw: Mapping[str, Any], name: str) -> str:
    """The topics or speakers of a sample as its file spells them: what makes two samples a pair of CC. raw: its
    attributes by key. Of MACSum's dialogues four neighbours write one list once with commas and once with semicolons;
    the published numbers count them as no pairs."""
    value = raw.get(name, raw.get(name.capitalize(), ""))
    return value if isinstance(value, str) else json.dumps(value)


def too_long_message(text: str) -> str:
    return f"has {len(text):,} characters; a summary may have {MAX_SUMMARY:,}"


def read_predictions(file: InputFile, samples: MacsumFile) -> list[str]:
    """One text per sample, in file order: each line a JSON string or {"prediction": "..."}; "" is allowed.

    Raises BadInput (a line that is neither, other counts, `sample_id`s that are the file's in another order),
    UnreadableFile.
    """
    predictions: list[str] = []
    names: list[str] = []
    misplaced: Fault | None = None
    for spot in _written_lines(file):
        try:
            text, name = _parse_prediction(parse_strict_json(spot.raw))
        except (BadJson, FieldFault) as error:
            raise BadInput(spot.fault(error)) from error
        index = len(predictions)
        if misplaced is None and index < len(samples.samples) and name != samples.samples[index].sample_id:
            message = f"stands where {samples.samples[index].sample_id} is due; keep the order of {samples.name}"
            misplaced = spot.fault(FieldFault(("sample_id",), message, name, "order"))
        predictions.append(text)
        names.append(name)
    if len(predictions) != len(samples.samples):
        message = f"holds {len(predictions)} predictions, but {samples.name} has {len(samples.samples)} samples"
        raise BadInput(file.fault(message, line=max(1, len(predictions)), code="count", fatal=True))
    # Ids that are not the samples' ids say nothing about the order.
    if misplaced is not None and sorted(names) == sorted(sample.sample_id for sample in samples.samples):
        raise BadInput(misplaced)
    return predictions


def _written_lines(file: InputFile) -> Iterator[Spot]:
    """The lines of a file. Raises BadInput for a blank line before the last: it is not an empty prediction."""
    blank: Spot | None = None
    for item in read_lines(file, blank=True):
        if isinstance(item, Fault):
            raise BadInput(item)
        spot = Spot(file, item[0], 1, item[1])
        if not spot.raw.strip():
            blank = blank or spot
        elif blank is None:
            yield spot
        else:
            raise BadInput(blank.fault(FieldFault((), 'is empty; write "" for an empty prediction', code="empty")))


def _parse_prediction(value: object) -> tuple[str, str]:
    """(text, sample id or "") of one line. Raises FieldFault."""
    path: tuple[str | int, ...] = ()
    name = ""
    if isinstance(value, dict):
        path = ("prediction",)
        if "prediction" not in value:
            raise FieldFault(path, "is missing", code="missing")
        name = str(value.get("sample_id", ""))
        value = value["prediction"]
    if not isinstance(value, str):
        expected = "must be text" if path else 'must be text or {"prediction": "..."}'
        raise FieldFault(path, f"{expected}, not {json_type_name(value)}", value, "type")
    if len(value) > MAX_SUMMARY:
        raise FieldFault(path, too_long_message(value), code="long")
    return value, name

"""Reads a MACSum-shaped file for measuring, and the predictions of a system for its samples."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from annotation.formats.elements import read_entries
from annotation.formats.faults import Fault, FieldFault, json_type_name
from annotation.formats.macsum import MACSUM_VALUES, source_of_entry, turn_line
from annotation.formats.reading import InputFile, Spot, read_lines
from annotation.formats.records import ReferenceRecord, SourceRecord
from annotation.formats.strictjson import BadJson, parse_strict_json
from annotation.measures import Domain, SourceIndex

ORDINAL: Mapping[str, tuple[str, ...]] = {name: tuple(values) for name, values in MACSUM_VALUES.items()}
"""The attributes with ordered values, lowest first."""
LISTS = ("topic", "speaker")
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

    source: the place of its source in the file, from 0. key: what two samples must share to be a pair of CC: source,
    topic and speaker, these as they are written ("a , b" and "a ; b" differ), as in the authors' released code.
    relevant: the segments it rests on, numbers and inclusive [first, last], as in the file.
    """

    source: int
    sample_id: str
    requested: Mapping[str, str]
    topics: tuple[str, ...]
    speakers: tuple[str, ...]
    summary: str
    key: tuple[int, str, str]
    relevant: tuple[Any, ...] = ()


@dataclass(frozen=True)
class MacsumFile:
    """All sources and samples in file order. attributes: those the file asks for, in the order of the tables.

    by_origin: whether intervals draw origins (pieces of one meeting together) instead of sources.
    """

    name: str
    sources: tuple[Source, ...]
    samples: tuple[Sample, ...]
    attributes: tuple[str, ...]
    by_origin: bool = False

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


def read_macsum_file(file: InputFile) -> MacsumFile:
    """Reads the whole file. Raises BadInput at the first structural fault, UnreadableFile.

    Every sample needs its summary and values for length, extractiveness and specificity. A topic or speaker that is
    empty means none; the key may be absent only where it is absent from all samples of that kind of source.
    """
    reader = _Reader()
    for item in read_entries(file):
        if isinstance(item, Fault):
            raise BadInput(item)
        spot, entry = item
        try:
            reader.take(spot, entry)
        except FieldFault as error:
            raise BadInput(spot.fault(error)) from error
    reader.check_lists()
    if not reader.samples:
        raise BadInput(file.fault("holds no sample (no entry with references)", line=1, code="empty", fatal=True))
    requested_lists = [name for name in LISTS if any(getattr(sample, f"{name}s") for sample in reader.samples)]
    return MacsumFile(file.name, tuple(reader.sources), tuple(reader.samples), (*ORDINAL, *requested_lists))


@dataclass
class _Reader:
    sources: list[Source] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    having: set[tuple[str, str]] = field(default_factory=set)
    lacking: dict[tuple[str, str], tuple[Spot, tuple[str | int, ...]]] = field(default_factory=dict)

    def take(self, spot: Spot, entry: dict[str, Any]) -> None:
        """Adds one entry. Raises FieldFault."""
        if "references" not in entry:
            raise FieldFault(("references",), "is missing (an empty list means no samples)", code="missing")
        record = source_of_entry(entry, spot.place, "", True, MACSUM_VALUES)
        domain = _entry_domain(entry, record)
        number = len(self.sources)
        texts = tuple(turn_line(segment) for segment in record.segments)
        self.sources.append(Source(record.external_id, domain, texts, entry["metadata"], record.origin_id))
        for reference in record.references:
            path = ("references", reference.position)
            self._lists(spot, domain, reference, path)
            self.samples.append(_build_sample(reference, number, record.external_id, path))

    def _lists(self, spot: Spot, domain: Domain, reference: ReferenceRecord, path: tuple[str | int, ...]) -> None:
        for name in LISTS:
            if name in reference.attributes:
                self.having.add((domain, name))
            else:
                self.lacking.setdefault((domain, name), (spot, (*path, "control_attribute", name)))

    def check_lists(self) -> None:
        """A topic or speaker that only some samples have was forgotten in the others. Raises BadInput."""
        for key, (spot, path) in self.lacking.items():
            if key in self.having:
                message = f'is missing; other samples have it ("" means no {key[1]})'
                raise BadInput(spot.fault(FieldFault(path, message, code="missing")))


def _entry_domain(entry: dict[str, Any], record: SourceRecord) -> Domain:
    """The domain, as the format reader decides it: dialogue where turns are numbered or speakers are requested."""
    asks = any("speaker" in reference.attributes for reference in record.references)
    return "dialogue" if "turns" in entry["metadata"] or asks else "document"


def _build_sample(reference: ReferenceRecord, source: int, external_id: str, path: tuple[str | int, ...]) -> Sample:
    attributes = reference.attributes
    for name in ORDINAL:
        if name not in attributes:
            raise FieldFault((*path, "control_attribute", name), "is missing", code="missing")
    if len(reference.summary) > MAX_SUMMARY:
        raise FieldFault((*path, "summary"), _too_long_message(reference.summary), code="long")
    topics, speakers = (tuple(attributes.get(name, ())) for name in LISTS)
    return Sample(
        source=source,
        sample_id=f"{external_id}#{reference.position}",
        requested={name: attributes[name] for name in ORDINAL},
        topics=topics,
        speakers=speakers,
        summary=reference.summary,
        key=(source, _as_written(reference.raw_attributes, "topic"), _as_written(reference.raw_attributes, "speaker")),
        relevant=tuple(reference.relevant_segments),
    )


def _as_written(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name, raw.get(name.capitalize(), ""))
    return value if isinstance(value, str) else json.dumps(value)


def _too_long_message(text: str) -> str:
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
        place = len(predictions)
        if misplaced is None and place < len(samples.samples) and name != samples.samples[place].sample_id:
            message = f"stands where {samples.samples[place].sample_id} is due; keep the order of {samples.name}"
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
        raise FieldFault(path, _too_long_message(value), code="long")
    return value, name

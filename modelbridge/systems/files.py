"""The samples of a MACSum-shaped file as requests, in file order. Their summaries are left out."""

import hashlib
from collections.abc import Iterator
from typing import Any

from annotation.formats.elements import read_entries
from annotation.formats.faults import Fault, FieldFault
from annotation.formats.macsum import MACSUM_VALUES, source_of_entry
from annotation.formats.reading import InputFile, Spot
from annotation.formats.records import ReferenceRecord, SourceRecord
from annotation.schema import Schema, load_preset
from modelbridge.systems.protocol import Request, RequestValue


class UnfitFile(ValueError):
    """A file whose samples cannot be read; the message is one line that names the file and the place."""


def read_requests(file: InputFile, seed: int = 0) -> list[Request]:
    """One request per sample, in file order; topics and speakers as tuples. seed: each request derives its own from it.

    Raises UnfitFile at the first fault, annotation.formats.reading.UnreadableFile.
    """
    schemas = {domain: load_preset(f"macsum-{short}") for domain, short in (("document", "doc"), ("dialogue", "dial"))}
    requests: list[Request] = []
    for spot, entry in _read_entries(file):
        try:
            if "references" not in entry:
                raise FieldFault(("references",), "is missing (an empty list means no samples)", code="missing")
            record = source_of_entry(entry, spot.place, "", True, MACSUM_VALUES)
        except FieldFault as error:
            raise UnfitFile(str(spot.fault(error))) from error
        schema = schemas[domain_of(entry, record)]
        requests += [_build_request(record, reference, schema, seed) for reference in record.references]
    if not requests:
        raise UnfitFile(str(file.fault("holds no sample (no entry with references)", line=1, code="empty")))
    return requests


def domain_of(entry: dict[str, Any], record: SourceRecord) -> str:
    """Decided as the format's reader does: dialogue if turns are numbered or speakers are requested."""
    asks = any("speaker" in reference.attributes for reference in record.references)
    return "dialogue" if "turns" in entry["metadata"] or asks else "document"


def _read_entries(file: InputFile) -> Iterator[tuple[Spot, dict[str, Any]]]:
    for item in read_entries(file):
        if isinstance(item, Fault):
            raise UnfitFile(str(item))
        yield item


def _build_request(record: SourceRecord, reference: ReferenceRecord, schema: Schema, seed: int) -> Request:
    key = f"{record.external_id}#{reference.position}"
    values: dict[str, RequestValue] = {
        name: tuple(value) if isinstance(value, list) else str(value)
        for name, value in reference.attributes.items()
        if schema.find(name) is not None
    }
    return Request(id=key, segments=tuple(record.segments), values=values, schema=schema, seed=seed_of(seed, key))


def seed_of(seed: int, key: str) -> int:
    """A request's own seed, 32 bits, so that an output does not depend on the other requests."""
    return int.from_bytes(hashlib.sha256(f"{seed}|{key}".encode()).digest()[:4], "big")

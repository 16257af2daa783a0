"""Imported references as the columns of their rows hold them: written while a file is checked, stored later."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import orjson

from annotation.services.sources.bulk_rows import encode_json
from epitome.formats.answers import AUTHOR_NAME
from epitome.formats.macsum_out import build_reference_entry
from epitome.formats.records import ReferenceRecord, json_text, read_own_split
from epitome.schema import Schema

_encode_entry = json.JSONEncoder(ensure_ascii=False).encode


class ReferenceRow(NamedTuple):
    """A reference as texts. chosen and asks: of its group, as JSON. values, combination, split and raw: of its sample.
    payload and entry: of its annotation, as JSON."""

    chosen: str
    asks: str
    values: str
    combination: str
    split: str
    raw: str
    payload: str
    entry: str


class ReferenceRows:
    """Makes the rows of references that check_reference found right. What many rows share is encoded once."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.chosen_keys = [attribute.key for attribute in schema.chosen]
        self.sampled_keys = [attribute.key for attribute in schema.sampled]
        self._encoded: dict[tuple[tuple[str, Any], ...], tuple[str, str]] = {}

    def build(self, record: ReferenceRecord) -> ReferenceRow:
        attributes = record.attributes
        chosen = {key: attributes[key] for key in self.chosen_keys if key in attributes}
        asks = [key for key, picks in chosen.items() if picks]
        values, combination = self._sampled_values(record)
        payload = {
            "summary": record.summary,
            "title": record.title,
            "relevant_segments": record.relevant_segments,
            "spans": [],
        }
        return ReferenceRow(
            encode_json(chosen),
            encode_json(asks),
            values,
            combination,
            read_own_split(record.raw_extra),
            raw_reference(record),
            encode_json(payload),
            _encode_entry(build_reference_entry(record)),
        )

    def _sampled_values(self, record: ReferenceRecord) -> tuple[str, str]:
        """The sampled values as JSON, and their combination code."""
        requested = tuple((key, record.attributes[key]) for key in self.sampled_keys if key in record.attributes)
        encoded = self._encoded.get(requested)
        if encoded is None:
            values = {key: self.schema.canonical(key, value) for key, value in requested}
            encoded = self._encoded[requested] = encode_json(values), self.schema.combination(values)
        return encoded

    def dump(self, records: Iterable[ReferenceRecord]) -> bytes:
        """The rows of records, for one line of a staging file."""
        return orjson.dumps([tuple(self.build(record)) for record in records])


def load_rows(dumped: bytes) -> Sequence[ReferenceRow]:
    """The rows that ReferenceRows.dump wrote; none of b""."""
    return [ReferenceRow(*row) for row in orjson.loads(dumped)] if dumped else []


def raw_reference(reference: ReferenceRecord) -> str:
    """The sample's raw_json: everything a verbatim export needs, under the field names of ReferenceRecord, and the name
    of the author, which exports leave out (hide_author_name)."""
    entries: dict[str, Any] = {
        "raw_attributes": reference.raw_attributes,
        "relevant_segments": reference.relevant_segments,
        "out_of_range": reference.out_of_range,
        "raw_extra": reference.raw_extra,
    }
    if reference.author_name:
        entries[AUTHOR_NAME] = reference.author_name
    return json_text(entries)

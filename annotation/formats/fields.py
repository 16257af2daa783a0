"""Converts a row of JSON lines or a table to a record."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from annotation.formats.faults import FieldFault, json_type_name
from annotation.formats.records import (
    MAX_ID,
    MAX_SPLIT,
    Segment,
    SourceRecord,
    canonical_split,
    check_column_mapping,
    checked_name,
    count_segment_words,
    count_text_words,
    hash_segments,
    hash_text,
    json_text,
)
from annotation.formats.row_references import REFERENCE_FIELDS, is_reference_field, read_row_references
from annotation.text.sentences import segments_of

if TYPE_CHECKING:
    from annotation.formats.text_lookup import TextLookup

FIELDS = ("id", "text", "segments", "title", "origin_id", "split", "licence", "may_release_text", "metadata")
MAPPED_FIELDS = (*FIELDS, *REFERENCE_FIELDS)
"""What a mapping may name, beside `attribute:KEY`. A reference field is read only where a mapping names it."""
CNN_DAILYMAIL = {"text": "article"}
"""The key of the text in CNN/DailyMail tables; their `highlights` go into the metadata."""


_MISSING = object()


class RowReader:
    """Converts rows {key: value} to records; keys that are not in FIELDS become metadata.

    mapping: {our field: their key}, for keys with other names. split: for every row; None uses the row's own
    `split`, then `default_split`. cut: False does not split plain texts into sentences (SourceRecord.text).
    skipped: columns that are not stored. row_ids: a file stem; a row's id is made of it and the row's number.
    exact_mapping: a field that the mapping does not name is not read from a column of its own name. texts: where the
    text of a row is that has none. Raises ValueError for an unusable mapping.
    """

    def __init__(
        self,
        mapping: Mapping[str, str] | None,
        split: str | None,
        default_split: str,
        cut: bool = True,
        *,
        skipped: Collection[str] = (),
        row_ids: str = "",
        exact_mapping: bool = False,
        texts: TextLookup | None = None,
    ) -> None:
        self.texts = texts
        self.cut = cut
        self.skipped = frozenset(skipped)
        self.row_ids = row_ids
        self.n_rows = 0
        every_name = check_column_mapping(mapping, MAPPED_FIELDS)
        self.reference_names = {field: key for field, key in every_name.items() if is_reference_field(field)}
        names = {field: key for field, key in every_name.items() if field not in self.reference_names}
        mapped_keys = set(every_name.values())
        # A key that the mapping assigns to one field is not used for another field as well.
        own_names = ("metadata",) if exact_mapping else FIELDS
        self.names = {
            field: names.get(field, field)
            for field in FIELDS
            if field in names or (field in own_names and field not in mapped_keys)
        }
        if texts is not None:
            self.names.setdefault("segments", "segments")
        self.mapped = frozenset(names)
        self.mapped_columns = sorted(mapped_keys)
        self.keys = frozenset(self.names.values()) | mapped_keys | self.skipped
        self.split = split
        self.default_split = default_split
        self.id_key = self.names.get("id", "id")
        self.exact_mapping = exact_mapping
        self.text_key = self.names.get("text", "" if exact_mapping and texts is None else "text")
        self.plain = frozenset((self.id_key, self.text_key))

    def record(self, row: dict[str, Any], place: str) -> SourceRecord:
        """The record of one row. Raises FieldFault with the key as named in the row."""
        external_id = self._make_id(place) if self.row_ids else row.get(self.id_key, _MISSING)
        if external_id is _MISSING:
            raise FieldFault((self.id_key,), "is missing", code="missing")
        if type(external_id) is int and "id" in self.mapped:
            external_id = str(external_id)
        # Fast path that skips checked_name, for ten thousand rows a second.
        if type(external_id) is not str or len(external_id) > MAX_ID or not external_id.isprintable():
            checked_name(external_id, (self.id_key,))
        if not external_id.strip():
            raise FieldFault((self.id_key,), "is empty", external_id, "empty")
        if self.texts is not None:
            row = self._with_joined_text(row, external_id, self.texts)
        segments, n_words, content_hash, text = self._content(row)
        if row.keys() == self.plain:
            split = self.default_split if self.split is None else self.split
            return SourceRecord(
                external_id, external_id, "", segments, "{}", split, "", None, place, n_words, content_hash, [], text
            )
        return SourceRecord(
            external_id=external_id,
            origin_id=self._name(row, "origin_id", MAX_ID) or external_id,
            title=self._title(row),
            segments=segments,
            metadata_json=self._metadata(row),
            split=self._split(row),
            licence=self._name(row, "licence", MAX_ID),
            may_release_text=self._permission(row),
            place=place,
            n_words=n_words,
            content_hash=content_hash,
            references=read_row_references(row, self.reference_names) if "summary" in self.reference_names else [],
            text=text,
        )

    def _with_joined_text(self, row: dict[str, Any], external_id: str, texts: TextLookup) -> dict[str, Any]:
        """The row with the text, and where it has none the title and origin, that the other file has for its id."""
        keys = (self.text_key, self.names["segments"])
        if any(row.get(key) not in (None, "", []) for key in keys):
            return row
        joined_values = texts.find(external_id)
        if joined_values is None:
            raise FieldFault((self.id_key,), f"has no text here, and none in {texts.name}", external_id, "no_text")
        joined = {key: value for key, value in row.items() if key not in keys}
        for field, value in joined_values.items():
            key = self.text_key if field == "text" else self.names.get(field, "")
            if key and joined.get(key) in (None, ""):
                joined[key] = value
        return joined

    def _make_id(self, place: str) -> str:
        """An id from the file's name and the row's number, which the place ends with."""
        self.n_rows += 1
        number = "" if "," in place else place.rsplit(" ", 1)[-1]
        return f"{self.row_ids}-{number if number.isdecimal() else self.n_rows}"

    def _content(self, row: dict[str, Any]) -> tuple[list[Segment], int, str, str | None]:
        """(segments, word count, content hash, text not yet split into sentences) from `text` or `segments`."""
        key = self._text_key(row)
        segments_key = self.names.get("segments", "")
        text = row.get(key)
        if text is not None:
            if type(text) is not str:
                raise FieldFault((key,), f"must be text, not {json_type_name(text)}", text, "type")
            if row.get(segments_key) is not None:
                raise FieldFault((segments_key,), f"stands beside {key}; give one of the two", "", "both")
            data = text.encode()
            n_words = count_text_words(text, data)
            if not n_words:
                raise FieldFault((key,), "holds no word", text, "empty")
            if not self.cut:
                return [], n_words, hash_text(data), text
            return cast("list[Segment]", segments_of(text)), n_words, hash_text(data), None
        if segments_key not in row:
            raise FieldFault((key,), f"is missing (or {segments_key or 'segments'} for a dialogue)", code="missing")
        segments = checked_segments(row[segments_key], segments_key)
        n_words = count_segment_words(segments)
        if not n_words:
            raise FieldFault((segments_key,), "holds no word", row[segments_key], "empty")
        return segments, n_words, hash_segments(segments), None

    def _text_key(self, row: dict[str, Any]) -> str:
        """The key of the text; without a mapping, CNN/DailyMail rows are recognized by their `article` key."""
        if self.exact_mapping or self.text_key in row or "text" in self.mapped or self.names.get("segments", "") in row:
            return self.text_key
        return CNN_DAILYMAIL["text"] if CNN_DAILYMAIL["text"] in row else self.text_key

    def _value(self, row: dict[str, Any], field: str) -> Any:
        key = self.names.get(field)
        return None if key is None else row.get(key)

    def _title(self, row: dict[str, Any]) -> str:
        title = self._value(row, "title")
        if title is None:
            return ""
        if not isinstance(title, str):
            raise FieldFault((self.names["title"],), f"must be text, not {json_type_name(title)}", title, "type")
        return title

    def _name(self, row: dict[str, Any], field: str, limit: int) -> str:
        value = self._value(row, field)
        return "" if value is None else checked_name(value, (self.names[field],), limit)

    def _split(self, row: dict[str, Any]) -> str:
        row_split = canonical_split(self._name(row, "split", MAX_SPLIT))
        if self.split is not None:
            return self.split
        return row_split or self.default_split

    def _permission(self, row: dict[str, Any]) -> bool | None:
        value = self._value(row, "may_release_text")
        if value is not None and not isinstance(value, bool):
            raise FieldFault((self.names["may_release_text"],), "must be true or false", value, "type")
        return value

    def _metadata(self, row: dict[str, Any]) -> str:
        """The row's `metadata` object merged with all keys that are not in FIELDS, in row order, as JSON text."""
        metadata: dict[str, Any] = {}
        metadata_object = self._value(row, "metadata")
        if metadata_object is not None:
            if not isinstance(metadata_object, dict):
                raise FieldFault((self.names["metadata"],), "must be an object", metadata_object, "type")
            metadata |= metadata_object
        for key, value in self._others(row):
            if key in metadata:
                raise FieldFault((key,), "stands beside the metadata and in it", value, "doubled_key")
            metadata[key] = value
        return json_text(metadata) if metadata else "{}"

    def _others(self, row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        text_key = self._text_key(row)
        for key, value in row.items():
            if key not in self.keys and key != text_key:
                yield key, value


def checked_segments(value: object, key: str) -> list[Segment]:
    """Validates a list of {"speaker": "...", "text": "..."}; `speaker` may be missing, a plain string is a segment
    without speaker, other keys are preserved. Raises FieldFault."""
    if not isinstance(value, list):
        raise FieldFault((key,), f"must be a list, not {json_type_name(value)}", value, "type")
    segments: list[Segment] = []
    for number, item in enumerate(value):
        if isinstance(item, str):
            segments.append({"speaker": "", "text": item})
            continue
        if not isinstance(item, dict):
            raise FieldFault((key, number), f"must be an object, not {json_type_name(item)}", item, "type")
        if "text" not in item:
            raise FieldFault((key, number, "text"), "is missing", "", "missing")
        segment = {"speaker": "", **item}
        for name in ("speaker", "text", "raw", "before", "after"):
            if name in segment and not isinstance(segment[name], str):
                field_value = segment[name]
                raise FieldFault(
                    (key, number, name), f"must be text, not {json_type_name(field_value)}", field_value, "type"
                )
        segments.append(segment)
    return segments

"""Converts a row of JSON lines or a table to a record."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from epitome.formats.answers import Answer, Authors
from epitome.formats.cell_values import parse_cell, remove_marks
from epitome.formats.faults import FieldFault, json_type_name
from epitome.formats.no_text import refuse_lost_characters, refuse_no_text
from epitome.formats.notes import Notes
from epitome.formats.options import ImportOptions, TextSource
from epitome.formats.records import (
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
    split_of_name,
)
from epitome.formats.row_references import REFERENCE_FIELDS, ReferenceReader, is_reference_field
from epitome.formats.rows import Row, stem_of
from epitome.formats.transcripts import collect_pieces, is_transcript, join_turns, read_turn, split_transcript
from epitome.formats.wrapped_json import TEXT_NAMES
from epitome.text.unspaced import has_unspaced

FIELDS = ("id", "text", "segments", "title", "origin_id", "split", "licence", "may_release_text", "metadata")
MAPPED_FIELDS = (*FIELDS, "speakers", *REFERENCE_FIELDS)
"""What a mapping may name, beside `attribute:KEY`. A reference field, and the column of the speakers of `segments`, is
read only where a mapping names it."""
CNN_DAILYMAIL = {"text": "article"}
"""The key of the text in CNN/DailyMail tables; their `highlights` go into the metadata."""

_MISSING = object()
_NUMBERED = re.compile(r"(?:line \d+, )?entry (\d+)|(?:line|row) (\d+)")
MARKS_NOTE = "marks of sentences, documents or errors, such as <S> or |||||, were taken out of the text"
SUMMARY_NOTE = "the summary was kept as metadata; --map auto imports it as a human summary"


class RowReader:
    """Converts rows {key: value} to records; keys that are not in FIELDS become metadata.

    The split of a row is that of the options, else its own, else the one in the file's name. A plain text stays in one
    piece (SourceRecord.text). notes: gets what was changed in reading. Raises ValueError for an unusable mapping.
    """

    def __init__(self, file_name: str, options: ImportOptions, notes: Notes | None = None) -> None:
        self.options = options
        self.notes = Notes() if notes is None else notes
        self.default_split = split_of_name(file_name)
        self.id_stem = stem_of(file_name)
        self.n_rows = 0
        every_name = check_column_mapping(options.mapping, MAPPED_FIELDS)
        self.reference_names = {field: key for field, key in every_name.items() if is_reference_field(field)}
        self.authors = Authors(options.pseudonym_key)
        self.references = None
        if "summary" in self.reference_names:
            self.references = ReferenceReader(
                self.reference_names, options, self.authors, every_name.get("segments", "")
            )
        names = {field: key for field, key in every_name.items() if field not in self.reference_names}
        mapped_keys = set(every_name.values())
        # A key that the mapping assigns to one field is not used for another field as well.
        own_names = ("metadata",) if options.exact_mapping else FIELDS
        not_own = mapped_keys | set(options.skipped_columns)
        self.names = {
            field: names.get(field, field)
            for field in FIELDS
            if field in names or (field in own_names and field not in not_own)
        }
        if "speakers" in names:
            self.names["speakers"] = names["speakers"]
        if options.texts is not None:
            self.names.setdefault("segments", "segments")
        self.mapped = frozenset(names)
        self.mapped_columns = sorted(mapped_keys)
        self.keys = frozenset(self.names.values()) | mapped_keys | frozenset(options.skipped_columns)
        self.id_key = self.names.get("id", "id")
        own_text_key = "" if options.exact_mapping and options.texts is None else "text"
        self.text_key = self.names.get("text", own_text_key)
        self.plain = frozenset((self.id_key, self.text_key))

    def list_text_columns(self) -> list[str]:
        """The columns of what people wrote: the text, its title, summaries and theirs."""
        names = (self.text_key, self.names.get("title", ""), self.reference_names.get("summary", ""))
        return [name for name in (*names, self.reference_names.get("summary_title", "")) if name]

    def build_record(self, source: Row) -> SourceRecord:
        """The record of one row. Raises FieldFault with the key as named in the row."""
        row, place = source.values, source.place
        external_id = self._make_id(place) if self.options.row_ids else row.get(self.id_key, _MISSING)
        if external_id is _MISSING:
            raise FieldFault((self.id_key,), "is missing", code="missing")
        if type(external_id) is int and "id" in self.mapped:
            external_id = str(external_id)
        # Fast path that skips checked_name, for ten thousand rows a second.
        if type(external_id) is not str or len(external_id) > MAX_ID or not external_id.isprintable():
            checked_name(external_id, (self.id_key,))
        if not external_id.strip():
            raise FieldFault((self.id_key,), "is empty", external_id, "empty")
        if self.options.texts is not None:
            row = self._with_joined_text(row, external_id, self.options.texts)
        self._refuse_deeper_text(row)
        segments, n_words, content_hash, text = self._content(row, place)
        refuse_no_text(self._text_key(row) if text else self.names.get("segments", ""), text, segments, n_words)
        if row.keys() == self.plain:
            split = self.default_split if self.options.split is None else self.options.split
            return SourceRecord(
                external_id, external_id, "", segments, "{}", split, "", None, place, n_words, content_hash, [], text
            )
        references, left_out = self.references.read(row) if self.references is not None else ([], {})
        if self.references is None and not self.options.exact_mapping and row.get("summary"):
            self.notes.add(SUMMARY_NOTE, place)
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
            references=references,
            text=text,
            left_out=left_out,
        )

    def _with_joined_text(self, row: dict[str, Any], external_id: str, texts: TextSource) -> dict[str, Any]:
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

    def _refuse_deeper_text(self, row: dict[str, Any]) -> None:
        """Raises FieldFault for a row without a text that most likely is inside one of its values."""
        if self._text_key(row) in row or self.names.get("segments", "") in row:
            return
        for name, value in row.items():
            if isinstance(value, dict) and TEXT_NAMES & value.keys():
                message = f"is missing; it may be one level deeper, in {name}: bring its values beside the id"
                raise FieldFault((self.text_key or "text",), message, code="missing")

    def _make_id(self, place: str) -> str:
        """An id from the file's name and the row's number, which the place ends with."""
        self.n_rows += 1
        match = _NUMBERED.fullmatch(place)
        return f"{self.id_stem}-{match[1] or match[2] if match else self.n_rows}"

    def _content(self, row: dict[str, Any], place: str) -> tuple[list[Segment], int, str, str | None]:
        """(segments, word count, content hash, text not yet split into sentences) from `text` or `segments`."""
        key = self._text_key(row)
        segments_key = self.names.get("segments", "")
        text = row.get(key)
        pieces = row.get(segments_key)
        if text is not None:
            if pieces is not None:
                raise FieldFault((segments_key,), f"stands beside {key}; give one of the two", "", "both")
            listed = parse_cell(text) if "text" in self.mapped else text
            if type(listed) is str:
                return self._plain_text(listed, key, place)
            if type(listed) not in (list, dict) or (listed is text and "text" not in self.mapped):
                raise FieldFault((key,), f"must be text, not {json_type_name(text)}", text, "type")
            segments_key, pieces = key, listed
        elif segments_key not in row:
            known = f"is missing (or {segments_key or 'segments'} for a dialogue)"
            raise FieldFault((key or "text",), known, code="missing")
        elif isinstance(pieces, str) and "segments" in self.mapped:
            pieces = parse_cell(pieces)
            if isinstance(pieces, str) and not is_transcript(pieces):
                return self._plain_text(pieces, segments_key, place)
        segments = self._segments(row, pieces, segments_key)
        self._clean_segments(segments, place)
        n_words = count_segment_words(segments)
        if not n_words:
            raise FieldFault((segments_key,), "holds no word", pieces, "empty")
        return segments, n_words, hash_segments(segments), None

    def _plain_text(self, text: str, key: str, place: str) -> tuple[list[Segment], int, str, str]:
        cleaned = remove_marks(text) if self.mapped else text
        if cleaned is not text:
            self.notes.add(MARKS_NOTE, place)
        data = cleaned.encode()
        n_words = count_text_words(cleaned, data)
        if not n_words:
            raise FieldFault((key,), "holds no word", text, "empty")
        return [], n_words, hash_text(data), cleaned

    def _segments(self, row: dict[str, Any], pieces: Any, key: str) -> list[Segment]:
        """The turns or sentences in the cell of a column, with their speakers from another where one is mapped."""
        if isinstance(pieces, str) and "segments" in self.mapped:
            return split_transcript(pieces)
        if "speakers" in self.names:
            speakers = self.names["speakers"]
            return join_turns(pieces, parse_cell(row.get(speakers)), key, speakers)
        pieces = collect_pieces(pieces)
        if isinstance(pieces, list) and len(pieces) >= MIN_TOKENS and not any(_has_blank(piece) for piece in pieces):
            message = "is a list of words, not of sentences or turns; join them to one text with their blanks"
            raise FieldFault((key,), message, pieces, "tokens")
        return checked_segments(pieces, key)

    def _clean_segments(self, segments: list[Segment], place: str) -> None:
        if not self.mapped:
            return
        for segment in segments:
            text = segment["text"]
            cleaned = remove_marks(text)
            if cleaned is not text:
                segment["text"] = cleaned
                self.notes.add(MARKS_NOTE, place)

    def _text_key(self, row: dict[str, Any]) -> str:
        """The key of the text; without a mapping, CNN/DailyMail rows are recognized by their `article` key."""
        if (
            self.options.exact_mapping
            or self.text_key in row
            or "text" in self.mapped
            or self.names.get("segments", "") in row
        ):
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
        refuse_lost_characters(self.names["title"], title)
        return title

    def _name(self, row: dict[str, Any], field: str, limit: int) -> str:
        value = self._value(row, field)
        return "" if value is None else checked_name(value, (self.names[field],), limit)

    def _split(self, row: dict[str, Any]) -> str:
        row_split = canonical_split(self._name(row, "split", MAX_SPLIT))
        if self.options.split is not None:
            return self.options.split
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
            key = self.names["metadata"]
            parsed = parse_cell(metadata_object)
            if isinstance(parsed, dict):
                metadata |= parsed
            elif self.options.mapping is None and key not in self.options.skipped_columns:
                raise FieldFault((key,), "must be an object", metadata_object, "type")
            elif "metadata" not in self.mapped and key not in self.options.skipped_columns:
                metadata[key] = metadata_object
        for key, value in self._others(row):
            if key in metadata:
                raise FieldFault((key,), "stands beside the metadata and in it", value, "doubled_key")
            metadata[key] = self._texts_of(value) if isinstance(value, list) else value
        return json_text({key: self.authors.hide(key, value) for key, value in metadata.items()}) if metadata else "{}"

    def _texts_of(self, value: list[Any]) -> list[Any]:
        """A list in which answers are their texts; those of a state that is not taken are not in it."""
        taken = [item for item in value if not isinstance(item, Answer) or item.state in self.options.answer_states]
        return [str(item) if isinstance(item, Answer) else item for item in taken]

    def _others(self, row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        text_key = self._text_key(row)
        for key, value in row.items():
            if key not in self.keys and key != text_key:
                yield key, value


MIN_TOKENS = 5
"""From so many pieces on, a list without a blank in any is taken for words."""


def _has_blank(piece: object) -> bool:
    return not isinstance(piece, str) or " " in piece.strip() or has_unspaced(piece)


def checked_segments(value: object, key: str) -> list[Segment]:
    """Validates a list of {"speaker": "...", "text": "..."}, also under other usual names; `speaker` may be missing, a
    plain string is a segment without speaker, other keys are preserved. Raises FieldFault."""
    if not isinstance(value, list):
        raise FieldFault((key,), f"must be a list, not {json_type_name(value)}", value, "type")
    segments: list[Segment] = []
    for index, item in enumerate(value):
        if isinstance(item, str):
            segments.append({"speaker": "", "text": item})
            continue
        if not isinstance(item, dict):
            raise FieldFault((key, index), f"must be an object, not {json_type_name(item)}", item, "type")
        segment = read_turn(item)
        if "text" not in segment:
            raise FieldFault((key, index, "text"), "is missing", "", "missing")
        for name in ("speaker", "text", "raw", "before", "after"):
            if name in segment and not isinstance(segment[name], str):
                field_value = segment[name]
                raise FieldFault(
                    (key, index, name), f"must be text, not {json_type_name(field_value)}", field_value, "type"
                )
        segments.append(segment)
    return segments

"""The records that every reader yields: a source and the reference summaries in its file."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from epitome.formats.faults import Fault, FieldFault, LeftOut
from epitome.text.sentences import join_segments, segments_of
from epitome.text.unspaced import has_unspaced
from epitome.text.words import n_words

MAX_ID = 200
NUMBERED_FIELDS = ("summary", "summary_title", "relevant_segments", "answer_state", "author")
"""Fields of which a row may have several, one for each column of summaries."""
MAX_SPLIT = 20

Segment = dict[str, Any]
"""{"speaker": str, "text": str} and, where needed, "raw" (the original line of the turn) or "before"/"after"
(white space of a plain text around the sentence)."""


@dataclass(frozen=True, slots=True)
class ReferenceRecord:
    """One summary of a source as a file gives it.

    attributes: schema keys with canonical values (`full`), topic and speaker as lists; raw_attributes: the same
    as written in the file. relevant_segments: ints and inclusive [a, b], unchanged; those outside the source (or
    reversed) are repeated in out_of_range. raw_extra: unknown keys of the file; its "_absent" lists known keys
    that the file did not have. author_name: as the file names who wrote it, which no export holds; raw_extra has the
    pseudonym.
    """

    position: int
    attributes: dict[str, Any]
    raw_attributes: dict[str, Any]
    summary: str
    title: str
    relevant_segments: list[Any]
    out_of_range: list[Any] = field(default_factory=list)
    raw_extra: dict[str, Any] = field(default_factory=dict)
    author_name: str = ""


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """One source. metadata_json is JSON text with the file's key order. split is train, dev, test, another name from
    the file, or empty. n_words: white-space tokens of the texts, speaker names not counted. text: a plain text that
    is not yet split into sentences; segments is empty then. left_out: how many answers about the source are no
    references, by their state (see answers.py)."""

    external_id: str
    origin_id: str
    title: str
    segments: list[Segment]
    metadata_json: str
    split: str
    licence: str
    may_release_text: bool | None
    place: str
    n_words: int
    content_hash: str
    references: list[ReferenceRecord] = field(default_factory=list)
    text: str | None = None
    left_out: Mapping[str, int] = field(default_factory=dict)

    def cut(self) -> SourceRecord:
        """The record with a plain text split into segments."""
        if self.text is None:
            return self
        return replace(self, segments=cast("list[Segment]", segments_of(self.text)), text=None)


Unit = SourceRecord | Fault | LeftOut
"""What a reader yields for each unit of a file."""


def count_segment_words(segments: Iterable[Segment]) -> int:
    """Words of the segments' texts, speaker names left out."""
    return sum(n_words(segment["text"]) for segment in segments)


# Translation table: every white-space byte becomes a space.
_BLANKS = bytes(32 if byte < 128 and chr(byte).isspace() else byte for byte in range(256))
_WIDE_LEADS = (b"\xc2", b"\xe1", b"\xe2\x80", b"\xe2\x81", b"\xe3")
_WIDE_BLANK = re.compile(rb"\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80")


def count_text_words(text: str, data: bytes) -> int:
    """n_words(text) without building the list of words, which would take a quarter of an import's time.
    `data` is the text in UTF-8."""
    import numpy as np

    if has_unspaced(text) or (any(lead in data for lead in _WIDE_LEADS) and _WIDE_BLANK.search(data)):
        return n_words(text)
    if not data:
        return 0
    blank = np.frombuffer(data.translate(_BLANKS), np.uint8) == 32
    return int(np.count_nonzero(blank[:-1] > blank[1:])) + (not blank[0])


def hash_text(data: bytes) -> str:
    """Content hash of a source imported as plain text: SHA-256 of its UTF-8 bytes. It does not depend on how the
    text is split into sentences, so a better splitter does not change the hashes of stored sources."""
    return hashlib.sha256(data).hexdigest()


def hash_segments(segments: Iterable[Segment]) -> str:
    """Content hash of a source imported as a list of turns or sentences: SHA-256 over speaker and text (or the raw
    line, if stored) of each, every value preceded by its length, so that segment boundaries count too."""
    pieces: list[str] = []
    for segment in segments:
        speaker, text = segment["speaker"], segment["raw"] if "raw" in segment else segment["text"]
        pieces.append(f"{len(speaker)}:{speaker}{len(text)}:{text}")
    return hashlib.sha256("".join(pieces).encode()).hexdigest()


def hash_matches(segments: Sequence[Segment], content_hash: str) -> bool:
    """Whether a content hash matches the segments, by hash_segments or hash_text."""
    return content_hash in (hash_segments(segments), hash_text(join_segments(cast(Any, segments)).encode()))


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def json_text(value: Any) -> str:
    """JSON text that keeps key order and characters, as metadata is stored."""
    return _encode(value)


_SPLITS = {"val": "dev", "valid": "dev", "validation": "dev", "dev": "dev", "development": "dev"}
_SPLITS |= {"train": "train", "training": "train", "test": "test", "testing": "test"}


def canonical_split(name: str) -> str:
    """val, valid, validation -> dev; other names unchanged."""
    return _SPLITS.get(name.lower(), name)


def is_split_name(name: str) -> bool:
    """Whether a name is a usual one of a split."""
    return name.lower() in _SPLITS


def read_own_split(metadata: object) -> str:
    """The split that a reference keeps in its metadata because it is not its source's; "" for none."""
    split = metadata.get("split") if isinstance(metadata, Mapping) else None
    return canonical_split(split) if isinstance(split, str) and len(split) <= MAX_SPLIT else ""


def split_of_name(file_name: str) -> str:
    """The split of a file that is called nothing but that: `val.json` -> dev, `train-00000-of-00002.parquet` -> train,
    `macdoc_test.json` -> '', since a name with other words says what the file is about."""
    stem = file_name.replace("\\", "/").rsplit("/", 1)[-1].split(".", 1)[0]
    words = "".join(char.lower() if char.isalnum() else " " for char in stem).split()
    others = {_SPLITS.get(word, "") for word in words if not (word.isdecimal() or word in ("of", "part", "shard"))}
    return others.pop() if len(others) == 1 else ""


_NUMBERED = re.compile(r"(.+):([2-9]|[1-9]\d+)")


def split_number(name: str) -> tuple[str, int]:
    """The field of a numbered one, and its number: `summary:2` is that of the second column of summaries. 1 without."""
    match = _NUMBERED.fullmatch(name)
    return (match[1], int(match[2])) if match else (name, 1)


def check_column_mapping(mapping: Mapping[str, str] | None, allowed: Iterable[str]) -> dict[str, str]:
    """Validates a column mapping {our field: their key}, `attribute:KEY` and `summary_metadata:NAME` among
    them. Of several columns of summaries the further ones are numbered, and so is what belongs to them: `summary:2`.

    Raises ValueError for an unknown field or a key used twice (an error of the setting, not of the file).
    """
    names = dict(mapping or {})
    known = sorted(allowed)
    for ours, theirs in names.items():
        field_name, number = split_number(ours)
        is_known = ours in known or (number > 1 and field_name in known and field_name in NUMBERED_FIELDS)
        if not is_known and not ours.startswith(("attribute:", "summary_metadata:")):
            raise ValueError(f"column mapping: {ours!r} is no field of a source; use one of {', '.join(known)}")
        if not isinstance(theirs, str) or not theirs:
            raise ValueError(f"column mapping: {ours!r} must name a column of the file, not {theirs!r}")
    if len(set(names.values())) < len(names):
        raise ValueError("column mapping: one column of the file is used for two fields")
    return names


def checked_name(value: object, path: tuple[str | int, ...], limit: int = MAX_ID) -> str:
    """Validates an id, split or licence: text of at most `limit` characters without control or invisible ones.

    Raises FieldFault.
    """
    if not isinstance(value, str):
        raise FieldFault(path, "must be text (in quotes)", value, "type")
    if len(value) > limit:
        raise FieldFault(path, f"is longer than {limit} characters ({len(value):,})", value, "length")
    if not value.isprintable() and any(unicodedata.category(char).startswith("C") for char in value):
        raise FieldFault(path, "holds a control or invisible character", value, "character")
    return value

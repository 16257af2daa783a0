"""The staging file of an import: rows that are checked and ready to be copied, so that nothing is parsed twice.

Text, UTF-8, per source a head line (a JSON list), a line with the segments as they will be stored, and, where the
head says so, a line with its references. JSON escapes every line break, so a line is a line.
"""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from json.encoder import encode_basestring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings

from annotation.formats.records import ReferenceRecord, Segment, SourceRecord

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode
_BETWEEN = '"}, {"speaker": "", "text": "'


def segments_json(segments: Sequence[Segment]) -> str:
    """The segments as JSON text. Plain sentences, most of all imports, are encoded in one piece, which is quicker.

    NUL, which no reader lets through, joins them; a text with a backslash, which could be mistaken for NUL's escape,
    goes the long way.
    """
    plain = [segment["text"] for segment in segments if len(segment) == 2 and not segment["speaker"]]
    if plain and len(plain) == len(segments):
        joined = "\0".join(plain)
        if "\\" not in joined and joined.count("\0") == len(plain) - 1:
            encoded = encode_basestring(joined).replace("\\u0000", _BETWEEN)
            return f'[{{"speaker": "", "text": {encoded}}}]'
    return _encode(segments)


@dataclass(slots=True)
class StagedSource:
    """One checked source. stored_id is the row that holds the same text already: then only its references come."""

    stored_id: int | None
    external_id: str
    origin_id: str
    position: int
    title: str
    split: str
    licence: str
    may_release_text: bool
    metadata_json: str
    content_hash: str
    n_segments: int
    n_words: int
    n_references: int
    segments: bytes = b""
    references: bytes = b""

    @property
    def reference_records(self) -> list[dict[str, Any]]:
        """The references, each with the fields of ReferenceRecord."""
        found: list[dict[str, Any]] = json.loads(self.references) if self.references else []
        return found


def staging_folder() -> Path:
    folder = Path(settings.DATA_DIR) / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def new_staging_path() -> Path:
    return staging_folder() / f"{uuid.uuid4()}.staged"


def stage(
    out: BinaryIO,
    record: SourceRecord,
    *,
    stored_id: int | None,
    position: int,
    licence: str,
    may_release_text: bool,
    references: list[ReferenceRecord],
) -> int:
    """Append one source; returns the bytes written. Raises UnicodeEncodeError for text that cannot be stored."""
    head = _encode(
        [
            stored_id,
            record.external_id,
            record.origin_id,
            position,
            record.title,
            record.split,
            record.licence or licence,
            may_release_text if record.may_release_text is None else record.may_release_text,
            record.metadata_json,
            record.content_hash,
            len(record.segments),
            record.n_words,
            len(references),
        ]
    )
    parts = [head, segments_json(record.segments) if stored_id is None else ""]
    if references:
        parts.append(_encode([asdict(reference) for reference in references]))
    return out.write(("\n".join(parts) + "\n").encode())


def staged(path: Path) -> Iterator[StagedSource]:
    """The sources of a staging file, in its order."""
    with path.open("rb", buffering=1 << 20) as lines:
        for head in lines:
            source = StagedSource(*json.loads(head))
            source.segments = lines.readline()[:-1]
            if source.n_references:
                source.references = lines.readline()[:-1]
            yield source


def batches(path: Path, *, rows: int = 1000, size: int = 8_000_000) -> Iterator[list[StagedSource]]:
    """The sources that are not stored yet, in batches of at most `rows` sources and about `size` bytes."""
    batch: list[StagedSource] = []
    held = 0
    for source in staged(path):
        if source.stored_id is not None:
            continue
        batch.append(source)
        held += len(source.segments)
        if len(batch) >= rows or held >= size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch

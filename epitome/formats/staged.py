"""The staging file of an import: checked sources, so that nothing is parsed twice. No Django here.

Per source: a head line (a JSON list), the segments as one line of JSON text, and a line with the references where the
head says so. JSON escapes every line break, so each value is one line. A plain text that is not yet split into
sentences is stored unchanged instead of the segments; the head has its size in bytes. Splitting is half of an
import's work, so a separate process (this file, run as a program) does it for large files while the other checks.
"""

from __future__ import annotations

import io
import select
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import orjson

from epitome.formats.records import Segment, SourceRecord
from epitome.text.sentences import segments_of

WAIT_SECONDS = 0.002


@dataclass(slots=True)
class StagedSource:
    """One checked source. stored_id: id of a row that already has the same text; then only references are added.
    text_bytes: size of the text that is not yet split (`content` is that text), -1 if `content` is segments."""

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
    text_bytes: int
    content: bytes = b""
    references: bytes = b""

    def cut(self) -> None:
        """Split a plain text into segments."""
        if self.text_bytes < 0:
            return
        segments = cast("list[Segment]", segments_of(self.content.decode()))
        self.n_segments, self.text_bytes = len(segments), -1
        self.content = orjson.dumps(segments)

    def dump(self) -> bytes:
        """The source as bytes of the staging file."""
        head = orjson.dumps(
            [
                self.stored_id,
                self.external_id,
                self.origin_id,
                self.position,
                self.title,
                self.split,
                self.licence,
                self.may_release_text,
                self.metadata_json,
                self.content_hash,
                self.n_segments,
                self.n_words,
                self.n_references,
                self.text_bytes,
            ]
        )
        tail = b"\n%b\n" % self.references if self.n_references else b"\n"
        return b"%b\n%b%b" % (head, self.content, tail)


def stage_source(
    record: SourceRecord,
    *,
    stored_id: int | None,
    position: int,
    licence: str,
    may_release_text: bool,
    references: bytes,
    n_references: int,
) -> StagedSource:
    """The staged form of a record; licence and may_release_text apply where the record does not set them. references:
    what is to be stored of them, on one line."""
    source = StagedSource(
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
        n_references,
        -1,
        references=references,
    )
    if stored_id is not None:
        return source
    if record.text is None:
        source.content = orjson.dumps(record.segments)
    else:
        source.content = record.text.encode()
        source.text_bytes = len(source.content)
    return source


def read_staged_sources(lines: IO[bytes]) -> Iterator[StagedSource]:
    """The sources of a staging file, in its order."""
    for head in lines:
        source = StagedSource(*orjson.loads(head))
        if source.text_bytes >= 0:
            source.content = lines.read(source.text_bytes)
            lines.readline()
        else:
            source.content = lines.readline()[:-1]
        if source.n_references:
            source.references = lines.readline()[:-1]
        yield source


class GrowingFile(io.RawIOBase):
    """A file that is still being written. At its current end, `ended()` waits briefly and says if writing is over."""

    def __init__(self, raw: io.FileIO, ended: Callable[[], bool]) -> None:
        self.raw = raw
        self.ended = ended

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        while not (n_read := self.raw.readinto(buffer)):
            if self.ended():
                return self.raw.readinto(buffer)  # data written between the last read and the end
        return n_read


def main() -> None:
    """Split the texts of the staging file argv[1], which grows until stdin is closed; write the sources to stdout."""

    def ended() -> bool:
        return bool(select.select([sys.stdin], [], [], WAIT_SECONDS)[0])

    with Path(sys.argv[1]).open("rb", buffering=0) as raw:
        for source in read_staged_sources(io.BufferedReader(GrowingFile(raw, ended), 1 << 20)):
            source.cut()
            sys.stdout.buffer.write(source.dump())


if __name__ == "__main__":
    main()

"""The byte layer: files in bounded chunks, gzip files unpacked on the way, lines split only at the newline byte.

`str.splitlines` would split a record at U+2028, NEL or a vertical tab inside a value; here only b"\\n" ends a line, or
b"\\r" in a file whose first chunk has no other line end.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

from epitome.formats.encodings import UTF8, UTF16, NotDecodable, TextEncoding, decode_chunks, is_wide
from epitome.formats.faults import Fault, FieldFault, TextFault, describe_value, path_text, to_printable
from epitome.formats.notes import Notes
from epitome.formats.strictjson import locate_value

CHUNK = 1 << 20
GZIP = b"\x1f\x8b"
MAX_UNPACKED = (10_000_000, 200)
"""Bytes from which on a gzip file may not unpack to more than so many times its size."""
LINE_LIMIT = 5_000_000
Item = TypeVar("Item")
Progress = Callable[[int, int], None]
"""Called after each chunk with (bytes read, total bytes)."""


class UnreadableFile(ValueError):
    """The file cannot be read at all; holds the one fatal fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(slots=True)
class FilePart:
    """How much of a file is read for a person who waits: paragraphs of a Word document, rows of a sheet. is_cut: there
    is more."""

    n_items: int = 5_000
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read and its name for people, printable (an upload is stored under another name).

    texts: the file with the texts of its rows, where these have none. true_name: as the file is called, where `name` is
    not that; ids, splits and formats are read from it. notes: what its readers remark. encoding: of its text, the same
    object in all copies. part: how much is read, None for all of it; the same object in all copies too.
    """

    path: Path
    name: str
    progress: Progress | None = None
    texts: InputFile | None = None
    true_name: str = ""
    notes: Notes = field(default_factory=Notes, compare=False)
    encoding: TextEncoding = field(default_factory=TextEncoding, compare=False)
    part: FilePart | None = field(default=None, compare=False)

    def take_part(self, items: Iterator[Item]) -> Iterator[Item]:
        """The items of which a file has many, up to the end of the part that is read."""
        if self.part is None:
            yield from items
            return
        yield from islice(items, self.part.n_items)
        self.part.is_cut = self.part.is_cut or next(items, None) is not None

    @property
    def data_name(self) -> str:
        """The name as data, with the characters that `name` shows escaped."""
        return self.true_name or self.name

    def fault(
        self,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        field: str = "",
        value: object = "",
        code: str = "file",
        fatal: bool = False,
    ) -> Fault:
        """A Fault of this file."""
        return Fault(self.name, line, column, field, describe_value(value), message, code, fatal)

    def unreadable(
        self, message: str, *, code: str, line: int | None = None, field: str = "", value: object = ""
    ) -> UnreadableFile:
        """The error of a file that cannot be read at all, to be raised."""
        return UnreadableFile(self.fault(message, line=line, field=field, value=value, code=code, fatal=True))

    def chunks(self) -> Iterator[bytes]:
        """The text as UTF-8, about 1 MB at a time, without a byte order mark. Raises UnreadableFile: missing, not in
        its encoding."""
        encoding = self._find_encoding()
        if encoding == UTF8:
            yield from self.raw_chunks()
            return
        try:
            yield from decode_chunks(self.raw_chunks(), encoding)
        except NotDecodable as error:
            raise UnreadableFile(self._wrong_encoding(error)) from error

    def decode_member(self, name: str, raw: bytes) -> bytes | Fault:
        """The text of a member of this archive as UTF-8, or the fault of one that is not in the chosen encoding."""
        encoding = TextEncoding(self.encoding.chosen)
        member = replace(self, encoding=encoding)
        if encoding.find([raw]) == UTF8:
            return raw
        self.encoding.join(encoding)
        member.remark_encoding(name)
        try:
            return b"".join(decode_chunks([raw], encoding.used))
        except NotDecodable as error:
            return member._wrong_encoding(error)

    def _wrong_encoding(self, error: NotDecodable) -> Fault:
        message = f"is not {self.encoding.label}; choose another encoding, or save the file as UTF-8"
        return self.fault(message, line=error.line, value=f"bytes {error.seen.hex(' ')}", code="encoding", fatal=True)

    def remark_encoding(self, place: str = "") -> None:
        """Note a guessed encoding. place: of the text in an archive."""
        if self.encoding.is_guessed:
            self.notes.add(self.encoding.guess_note, place)

    def _find_encoding(self) -> str:
        if not self.encoding.used:
            quiet = InputFile(self.path, self.name)
            head = next(quiet.raw_chunks(), b"")[:64]
            if self.encoding.chosen != UTF16 and is_wide(head):
                message = (
                    "is UTF-32, or UTF-16 without a byte order mark; choose the encoding UTF-16, or save it as UTF-8"
                )
                raise self.unreadable(message, line=1, code="encoding")
            self.encoding.find(quiet.raw_chunks())
        return self.encoding.used

    def raw_chunks(self) -> Iterator[bytes]:
        """The bytes in the encoding of the file, 1 MB at a time, without the byte order mark of UTF-8. Raises
        UnreadableFile."""
        try:
            with self.path.open("rb", buffering=0) as stream:
                total = os.fstat(stream.fileno()).st_size
                first = True
                for chunk in self._unpacked_chunks(stream, total):
                    if first:
                        chunk, first = chunk.removeprefix(codecs.BOM_UTF8), False
                    if self.progress is not None:
                        self.progress(stream.tell(), total)
                    if chunk:
                        yield chunk
                    del chunk  # its memory is free while the next one is read
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.unreadable("is a gzip file that is cut short or damaged", code="damaged") from error
        except OSError as error:
            raise self._failed_read(error) from error

    def _unpacked_chunks(self, stream: io.FileIO, packed_size: int) -> Iterator[bytes]:
        is_packed = stream.read(len(GZIP)) == GZIP
        stream.seek(0)
        source: io.FileIO | gzip.GzipFile = gzip.GzipFile(fileobj=stream) if is_packed else stream
        total = 0
        while chunk := source.read(CHUNK):
            total += len(chunk)
            if is_packed and total > MAX_UNPACKED[0] and total > MAX_UNPACKED[1] * packed_size:
                message = f"unpacks to more than {MAX_UNPACKED[1]} times its size; unpack it first"
                raise self.unreadable(message, code="archive")
            yield chunk
            del chunk

    def magic(self) -> bytes:
        """The first 512 bytes unchanged, to recognize archives. Raises UnreadableFile."""
        try:
            with self.path.open("rb", buffering=0) as stream:
                return stream.read(512)
        except OSError as error:
            raise self._failed_read(error) from error

    def unpacked_magic(self) -> bytes:
        """The first 512 bytes inside a gzip file; none where it is damaged. Raises UnreadableFile."""
        try:
            with self.path.open("rb", buffering=0) as stream:
                return gzip.GzipFile(fileobj=stream).read(512)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return b""
        except OSError as error:
            raise self._failed_read(error) from error

    def _failed_read(self, error: OSError) -> UnreadableFile:
        return self.unreadable(f"cannot be read: {error.strerror or type(error).__name__}", code="unreadable")

    def head(self, size: int) -> bytes:
        """The first `size` bytes of the text as UTF-8 after leading white space, without a byte order mark; does not
        report progress. Raises UnreadableFile."""
        return _take_head(InputFile(self.path, self.name, encoding=self.encoding).chunks(), size)

    def raw_head(self, size: int) -> bytes:
        """As head, but the bytes as they are in the file: for formats that name their encoding themselves."""
        return _take_head(InputFile(self.path, self.name).raw_chunks(), size)


def _take_head(chunks: Iterator[bytes], size: int) -> bytes:
    first_bytes = b""
    for chunk in chunks:
        first_bytes += chunk if first_bytes else chunk.lstrip()
        if len(first_bytes) >= size:
            break
    return first_bytes[:size]


def without_packing(name: str) -> str:
    """The name that a gzip file has when it is unpacked: `val.jsonl.gz` -> `val.jsonl`."""
    return name[:-3] if name.lower().endswith(".gz") else name


def input_file(
    path: str | Path,
    name: str | None = None,
    progress: Progress | None = None,
    texts: InputFile | None = None,
    encoding: str = "",
) -> InputFile:
    """An InputFile; `name` is that of the file as people know it (default: the file name of the path). encoding: one
    of ENCODINGS, for a file that is not UTF-8."""
    true_name = name or Path(path).name
    shown_name = to_printable(true_name, 200)
    return InputFile(Path(path), shown_name, progress, texts, true_name, encoding=TextEncoding(encoding))


def read_lines(file: InputFile, limit: int = LINE_LIMIT, blank: bool = False) -> Iterator[tuple[int, bytes] | Fault]:
    """(line number from 1, bytes without the newline) of each line; blank lines only if `blank`.

    A line over `limit` bytes yields one Fault and is skipped without being held in memory. Raises UnreadableFile.
    """
    number = 0
    pending = b""
    skipping = False
    newline = b""
    for chunk in file.chunks():
        newline = newline or (b"\n" if b"\n" in chunk or b"\r" not in chunk else b"\r")
        if skipping:
            newline_at = chunk.find(newline)
            if newline_at < 0:
                continue
            chunk, skipping = chunk[newline_at + 1 :], False
            number += 1
        pieces = chunk.split(newline)
        pieces[0] = pending + pieces[0]
        pending = pieces.pop()
        for piece in pieces:
            number += 1
            if len(piece) > limit:
                yield long_line_fault(file, number, limit)
            elif blank or (piece and not piece.isspace()):
                yield number, piece
        if len(pending) > limit:
            yield long_line_fault(file, number + 1, limit)
            pending, skipping = b"", True
        chunk, pieces = b"", []  # their memory is free while the next chunk is read
    if pending and (blank or not pending.isspace()):
        yield number + 1, pending


def long_line_fault(file: InputFile, line: int, limit: int) -> Fault:
    """The fault of a line past the limit."""
    message = f"the line is longer than {limit:,} bytes; put each record on a line of its own"
    return file.fault(message, line=line, column=limit + 1, code="line_too_long")


def empty_file_fault(file: InputFile) -> Fault:
    """The fault of a file without a record."""
    return file.fault("holds no record", line=1, code="empty", fatal=True)


@dataclass(frozen=True, slots=True)
class Spot:
    """A piece of JSON or text and its position in the file (line and column from 1); converts errors to faults."""

    file: InputFile
    line: int
    column: int
    raw: bytes

    @property
    def place(self) -> str:
        return f"line {self.line}"

    def fault(self, error: TextFault | FieldFault, fatal: bool = False) -> Fault:
        """The fault for a piece that cannot be read, or for one field of valid JSON."""
        if isinstance(error, TextFault):
            line, column = self._position(error.offset, error.in_bytes)
            value, field = error.value, error.field
        else:
            line, column = self._position(locate_value(self.raw, error.path), False)
            value, field = error.value, path_text(error.path)
        return self.file.fault(
            error.message, line=line, column=column, field=field, value=value, code=error.code, fatal=fatal
        )

    def _position(self, offset: int, in_bytes: bool) -> tuple[int, int]:
        """Line and column in the file of an offset (characters, or bytes) into the piece."""
        preceding = self.raw[:offset] if in_bytes else self.raw.decode("utf-8", "replace")[:offset].encode("utf-8")
        line = self.line + preceding.count(b"\n")
        tail = preceding[preceding.rfind(b"\n") + 1 :]
        column = (len(tail) if in_bytes else len(tail.decode("utf-8"))) + 1
        return line, column + (self.column - 1 if line == self.line else 0)


@dataclass(frozen=True, slots=True)
class LineSpot:
    """A row of a table, or a text, whose fields have no position of their own; converts errors to faults."""

    file: InputFile
    line: int | None
    column: int | None = None

    def fault(self, error: FieldFault) -> Fault:
        """The fault of one field of the row."""
        return self.file.fault(
            error.message,
            line=self.line,
            column=self.column,
            field=path_text(error.path),
            value=error.value,
            code=error.code,
        )

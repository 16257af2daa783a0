"""The byte layer: files in bounded chunks, lines split only at the newline byte.

`str.splitlines` would split a record at U+2028, NEL or a vertical tab inside a value; here only b"\\n" ends a line.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotation.formats.faults import Fault, FieldFault, describe_value, path_text, to_printable
from annotation.formats.strictjson import BadJson, locate_value

CHUNK = 1 << 20
LINE_LIMIT = 5_000_000
Progress = Callable[[int, int], None]
"""Called after each chunk with (bytes read, total bytes)."""


class UnreadableFile(ValueError):
    """The file cannot be read at all; holds the one fatal fault."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read and the name shown to users (an upload is stored under another name)."""

    path: Path
    name: str
    progress: Progress | None = None

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

    def chunks(self) -> Iterator[bytes]:
        """The bytes, 1 MB at a time, without a UTF-8 byte order mark. Raises UnreadableFile: missing, UTF-16."""
        try:
            with self.path.open("rb", buffering=0) as stream:
                total = os.fstat(stream.fileno()).st_size
                bytes_read = 0
                while chunk := stream.read(CHUNK):
                    first = bytes_read == 0
                    bytes_read += len(chunk)
                    if first:
                        self._refuse_utf16(chunk[:64])
                        chunk = chunk.removeprefix(codecs.BOM_UTF8)
                    if self.progress is not None:
                        self.progress(bytes_read, total)
                    if chunk:
                        yield chunk
        except OSError as error:
            raise self._unreadable(error) from error

    def magic(self) -> bytes:
        """The first 512 bytes unchanged, to recognize archives. Raises UnreadableFile."""
        try:
            with self.path.open("rb", buffering=0) as stream:
                return stream.read(512)
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError) -> UnreadableFile:
        reason = error.strerror or type(error).__name__
        return UnreadableFile(self.fault(f"cannot be read: {reason}", code="unreadable", fatal=True))

    def head(self, size: int) -> bytes:
        """The first `size` bytes after leading white space, without a byte order mark; does not report progress.
        Raises UnreadableFile."""
        first_bytes = b""
        for chunk in InputFile(self.path, self.name).chunks():
            first_bytes += chunk if first_bytes else chunk.lstrip()
            if len(first_bytes) >= size:
                break
        return first_bytes[:size]

    def _refuse_utf16(self, head: bytes) -> None:
        marked = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        evens, odds = head[0::2], head[1::2]
        unmarked = len(head) >= 4 and ((any(evens) and not any(odds)) or (any(odds) and not any(evens)))
        if marked or unmarked:
            message = "is UTF-16 or UTF-32, not UTF-8; save it as UTF-8"
            raise UnreadableFile(self.fault(message, line=1, column=1, code="encoding", fatal=True))


def input_file(path: str | Path, name: str | None = None, progress: Progress | None = None) -> InputFile:
    """An InputFile; `name` is used in faults (default: the file name of the path)."""
    return InputFile(Path(path), to_printable(name or Path(path).name, 200), progress)


def read_lines(file: InputFile, limit: int = LINE_LIMIT, blank: bool = False) -> Iterator[tuple[int, bytes] | Fault]:
    """(line number from 1, bytes without the newline) of each line; blank lines only if `blank`.

    A line over `limit` bytes yields one Fault and is skipped without being held in memory. Raises UnreadableFile.
    """
    number = 0
    pending = b""
    skipping = False
    for chunk in file.chunks():
        if skipping:
            newline_at = chunk.find(b"\n")
            if newline_at < 0:
                continue
            chunk, skipping = chunk[newline_at + 1 :], False
            number += 1
        pieces = chunk.split(b"\n")
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
    """A piece of JSON and its position in the file (line and column from 1); converts errors to faults."""

    file: InputFile
    line: int
    column: int
    raw: bytes

    @property
    def place(self) -> str:
        return f"line {self.line}"

    def fault(self, error: BadJson | FieldFault, fatal: bool = False) -> Fault:
        """The fault for invalid JSON, or for one field of valid JSON."""
        if isinstance(error, BadJson):
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

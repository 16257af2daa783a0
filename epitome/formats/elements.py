"""Reads the objects of a JSON file one at a time: from one large array, concatenated objects, or JSON lines.

Memory is bounded by the largest object (16 MB), whatever the size of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from epitome.formats.faults import Fault, FieldFault, json_type_name
from epitome.formats.reading import LINE_LIMIT, InputFile, Spot, read_lines, without_packing
from epitome.formats.rows import Row, Rows
from epitome.formats.strictjson import MAX_DEPTH, BadJson, count_unclosed, parse_strict_json
from epitome.formats.wrapped_json import LIFTED, find_rows, lift_row, read_rows

ELEMENT_LIMIT = 16_000_000
HEAD = 1 << 16
_OUTSIDE = re.compile(rb'["\[\]{}]')
_INSIDE = re.compile(rb'["\\]')
_SPACE = re.compile(rb"[ \t\r\n]*+")
_CONTINUATION = bytes(range(0x80, 0xC0))


def read_entries(file: InputFile, line_limit: int = LINE_LIMIT, element_limit: int = ELEMENT_LIMIT) -> Rows:
    """Yields each object with its position. Raises UnreadableFile; a truncated file ends with a fatal Fault."""
    head = file.head(HEAD)
    if looks_like_json_lines(head):
        lines = read_lines(file, line_limit)
        pieces = (line if isinstance(line, Fault) else Spot(file, line[0], 1, _bare(line[1])) for line in lines)
        rows = _parse_objects(pieces, counts_entries=False)
    else:
        rows = _parse_objects(_Scanner(file, head[:1] == b"[", element_limit).pieces(), counts_entries=True)
    return _lift_rows(rows if head[:1] == b"[" else _unwrap_object(file, rows))


def read_object_lines(file: InputFile, line_limit: int = LINE_LIMIT) -> Rows:
    """The objects of JSON lines; exactly one item per line that is not blank. Raises UnreadableFile."""
    lines = read_lines(file, line_limit)
    pieces = (line if isinstance(line, Fault) else Spot(file, line[0], 1, line[1]) for line in lines)
    return _parse_objects(pieces, counts_entries=False)


def _bare(line: bytes) -> bytes:
    """A line of JSON without the comma that some writers put behind it."""
    return line.rstrip()[:-1] if line.endswith((b",", b",\r")) else line


def _parse_objects(pieces: Iterable[Spot | Fault], counts_entries: bool) -> Rows:
    """counts_entries: places have the entry's number, since several entries may stand on one line."""
    for number, piece in enumerate(pieces, 1):
        if isinstance(piece, Fault):
            yield piece
            continue
        try:
            value = parse_strict_json(piece.raw)
        except BadJson as error:
            yield piece.fault(error)
            continue
        if isinstance(value, dict):
            yield Row(value, f"{piece.place}, entry {number}" if counts_entries else piece.place, piece)
        else:
            message = f"must be an object {{...}}, not {json_type_name(value)}"
            yield piece.file.fault(message, line=piece.line, column=piece.column, value=value, code="type")


def _unwrap_object(file: InputFile, rows: Rows) -> Rows:
    """The rows inside the only object of a file, where it holds some; else the objects as they are."""
    first, second = next(rows, None), next(rows, None)
    if isinstance(first, Row) and second is None:
        is_line = without_packing(file.data_name).lower().endswith((".jsonl", ".ndjson"))
        if inner_rows := find_rows(first.values, is_line):
            yield from read_rows(file, inner_rows)
            return
    yield from (row for row in (first, second) if row is not None)
    yield from rows


def _lift_rows(rows: Rows) -> Rows:
    for row in rows:
        if isinstance(row, Fault) or LIFTED.isdisjoint(row.values):
            yield row
            continue
        try:
            yield replace(row, values=lift_row(row.values))
        except FieldFault as error:
            yield row.spot.fault(error)


def looks_like_json_lines(head: bytes) -> bool:
    """Whether a file's first bytes are JSON lines: the first object ends on its line, or line 2 starts another."""
    if not head.startswith(b"{"):
        return not head.startswith(b"[")
    first, newline, remainder = head.partition(b"\n")
    if newline and count_unclosed(first) == 0:
        return True
    if not newline:
        return len(head) < HEAD // 2 and count_unclosed(first) == 0
    return remainder.startswith(b"{") and len(first.strip()) > 1


class _Scanner:
    """Splits a byte stream at the boundaries of its outermost objects; skips strings and parses nothing."""

    def __init__(self, file: InputFile, array: bool, limit: int) -> None:
        self.file = file
        self.array = array
        self.limit = limit
        self.expected = "[" if array else "{"
        self.depth = 0
        self.in_string = False
        self.parts: list[bytes] = []
        self.size = 0
        self.skipping = False
        self.start = (1, 1)
        self.line, self.column, self.counted = 1, 1, 0

    def pieces(self) -> Iterator[Spot | Fault]:
        skip = 0  # 1 when the last chunk ended with a backslash inside a string
        for chunk in self.file.chunks():
            self.counted = position = 0
            while position < len(chunk):
                if self.depth == 0:
                    position = self._skip_between(chunk, position)
                    if position < 0:
                        yield self._unexpected(chunk, -position - 1)
                        return
                    continue
                begin, position = position, self._find_end(chunk, position + skip)
                if self.depth > MAX_DEPTH:
                    yield self._too_deep(chunk, position)
                    return
                skip = max(0, position - len(chunk))
                yield from self._keep(chunk[begin:position])
            self._count(chunk, len(chunk))
        yield from self._end_faults()

    def _skip_between(self, chunk: bytes, position: int) -> int:
        """Skips what is between objects. Returns the next position, or -1 - position of an unexpected byte.
        Entering an object sets depth to 1 and stores its bracket."""
        space_match = _SPACE.match(chunk, position)
        position = space_match.end() if space_match else position
        if position == len(chunk):
            return position
        mark = chunk[position : position + 1]
        if mark == b"{" and self.expected in ("{", "{]", "{,"):
            self._count(chunk, position)
            self.start = (self.line, self.column)
            self.depth, self.parts, self.size = 1, [mark], 1
            self.skipping = False
        elif mark == b"[" and self.expected == "[":
            self.expected = "{]"
        elif mark == b"," and self.expected == ",]":
            self.expected = "{"
        elif mark == b"," and self.expected == "{,":
            self.expected = "{"  # objects one below the other with commas, as in a list without its brackets
        elif mark == b"]" and self.expected in ("{]", ",]"):
            self.expected = "end"
        else:
            return -position - 1
        return position + 1

    def _find_end(self, chunk: bytes, position: int) -> int:
        """The position after the end of the current object, or the end of the chunk (one more after a backslash)."""
        while position < len(chunk):
            if self.in_string:
                mark_match = _INSIDE.search(chunk, position)
                if mark_match is None:
                    return len(chunk)
                self.in_string = mark_match.group() != b'"'
                position = mark_match.end() + self.in_string  # past the character that a backslash escapes
                continue
            mark_match = _OUTSIDE.search(chunk, position)
            if mark_match is None:
                return len(chunk)
            mark = mark_match.group()
            position = mark_match.end()
            if mark == b'"':
                self.in_string = True
            elif mark in b"[{":
                self.depth += 1
                if self.depth > MAX_DEPTH:
                    return position
            else:
                self.depth -= 1
                if self.depth == 0:
                    return position
        return position

    def _keep(self, piece: bytes) -> Iterator[Spot | Fault]:
        """Appends bytes to the current object; yields it when complete, or one fault when it is too long."""
        self.size += len(piece)
        if self.size > self.limit and not self.skipping:
            self.skipping = True
            message = f"the entry that starts here is longer than {self.limit:,} bytes"
            yield self.file.fault(message, line=self.start[0], column=self.start[1], code="entry_too_long")
        if self.skipping:
            self.parts = []
        else:
            self.parts.append(piece)
        if self.depth == 0:
            if not self.skipping:
                yield self._spot()
            self.parts = []
            self.expected = ",]" if self.array else "{,"

    def _spot(self) -> Spot:
        return Spot(self.file, *self.start, b"".join(self.parts))

    def _count(self, chunk: bytes, position: int) -> None:
        """Advances line and column to a position in the chunk."""
        passed = chunk[self.counted : position]
        newline = passed.rfind(b"\n")
        if newline >= 0:
            self.line += passed.count(b"\n")
            self.column = 1
        self.column += len(passed[newline + 1 :].translate(None, _CONTINUATION))
        self.counted = position

    def _too_deep(self, chunk: bytes, position: int) -> Fault:
        self._count(chunk, position - 1)
        message = f"is nested deeper than {MAX_DEPTH} levels"
        return self.file.fault(message, line=self.line, column=self.column, code="depth", fatal=True)

    def _unexpected(self, chunk: bytes, position: int) -> Fault:
        self._count(chunk, position)
        snippet = chunk[position : position + 20].decode("utf-8", "replace")
        message = {
            "[": "a list [...] must start here",
            "{]": "an object {...} or the end of the list must stand here",
            "{": "an object {...} must start here",
            "{,": "an object {...} must start here",
            ",]": "a comma or the end of the list must stand here",
            "end": "nothing may follow the end of the list",
        }[self.expected]
        if self.array and self.expected in ("{", "{]") and snippet[:1] in ('"', "["):
            kind = "texts" if snippet[0] == '"' else "lists"
            message = f'this list holds {kind}; its entries must be objects with named values, such as {{"text": ...}}'
        return self.file.fault(message, line=self.line, column=self.column, value=snippet, code="json", fatal=True)

    def _end_faults(self) -> Iterator[Fault]:
        """The faults of a truncated file."""
        if self.skipping and self.depth:
            return  # already reported
        if self.depth:
            spot = self._spot()
            try:
                parse_strict_json(spot.raw)
            except BadJson as error:
                yield spot.fault(error, fatal=True)
        elif self.array and self.expected != "end":
            message = "the file ends before the end of the list"
            yield self.file.fault(message, line=self.line, column=self.column, code="json", fatal=True)

"""Faults that readers report for rows they cannot use."""

from __future__ import annotations

from dataclasses import dataclass

MAX_VALUE = 60
MAX_LINE = 500


def to_printable(text: str, limit: int = MAX_VALUE) -> str:
    """The text on one line, at most `limit` characters; invisible and bidirectional characters are escaped."""
    pieces: list[str] = []
    size = 0
    for char in text:
        # The space is the only separator that isprintable() accepts; bidi and zero-width marks are not printable.
        piece = char if char.isprintable() else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        size += len(piece)
        if size > limit:
            return _truncate_pieces(pieces, limit)
        pieces.append(piece)
    return "".join(pieces)


def _truncate_pieces(pieces: list[str], limit: int) -> str:
    """Joins the pieces, dropping the last ones until three dots fit."""
    size = sum(map(len, pieces))
    while pieces and size + 3 > limit:
        size -= len(pieces.pop())
    return "".join(pieces) + "..."


def describe_value(value: object) -> str:
    """A value from a file, safe to print: JSON notation, shortened."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return to_printable(value)
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)} keys"
    try:
        return to_printable(str(value))
    except ValueError:  # an integer past Python's digit limit
        return "a very long number"


def json_type_name(value: object) -> str:
    """The JSON name of a value's type, for messages."""
    if value is None:
        return "null"
    names = {bool: "true/false", str: "text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), type(value).__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A unit of a file that was refused.

    line and column count from 1 (None: unknown). A column counts characters, except for invalid UTF-8, where it
    counts bytes. `value` is safe to print and at most 60 characters. `fatal` means that the reader stopped here.
    """

    file: str
    line: int | None
    column: int | None
    field: str
    value: str
    message: str
    code: str
    fatal: bool = False

    @property
    def place(self) -> str:
        """`line 3, column 7, references[0].title`; unknown parts are omitted."""
        labels = []
        if self.line is not None:
            labels.append(f"line {self.line}")
        if self.column is not None:
            labels.append(f"column {self.column}")
        if self.field:
            labels.append(to_printable(self.field, 120))
        return ", ".join(labels)

    def __str__(self) -> str:
        where = ", ".join(label for label in (to_printable(self.file, 100), self.place) if label)
        value = f" (seen: {self.value})" if self.value else ""
        room = MAX_LINE - len(where) - len(value) - 2
        return f"{where}: {to_printable(self.message, room)}{value}"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A valid unit excluded by a policy (for example, too long): counted, not a fault."""

    place: str
    reason: str
    external_id: str = ""
    n_words: int = 0


class FieldFault(ValueError):
    """Raised inside a reader for one field; `path` leads to the value, e.g. ("references", 0, "title")."""

    def __init__(self, path: tuple[str | int, ...], message: str, value: object = "", code: str = "value") -> None:
        super().__init__(message)
        self.path = path
        self.message = message
        self.value = value
        self.code = code


class TextFault(ValueError):
    """Raised for a piece of a file that cannot be read. offset: characters into the piece, or bytes if in_bytes."""

    def __init__(
        self, message: str, offset: int, code: str, value: object = "", field: str = "", in_bytes: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.code = code
        self.value = value
        self.field = field
        self.in_bytes = in_bytes


def decode_utf8(raw: bytes, error_class: type[TextFault] = TextFault) -> str:
    """The text of UTF-8 bytes. Raises TextFault, or the given class, at the first other byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        hex_bytes = f"bytes {raw[error.start : error.start + 4].hex(' ')}"
        message = "is not UTF-8; save the file as UTF-8 (Excel: CSV UTF-8), or choose its encoding"
        raise error_class(message, error.start, "encoding", hex_bytes, in_bytes=True) from error


def path_text(path: tuple[str | int, ...]) -> str:
    """("references", 0, "title") -> references[0].title."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else (f".{step}" if text else step)
    return text

"""Rows {column: value} of a file of any kind with columns, for the preview and for kinds without a reader of their own.

Parquet and Arrow (files of a Hugging Face dataset), Excel, Word, plain texts, JSON lists, exports of annotation tools,
and zip files of all these. Nothing is unpacked, no member's name is ever opened, no formula or script runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from annotation.formats.archives import ArchiveFault, copy_zip_members
from annotation.formats.binary_tables import read_arrow_rows, read_parquet_rows
from annotation.formats.csvfile import read_table_rows
from annotation.formats.elements import read_entries, read_line_spots
from annotation.formats.faults import Fault, json_type_name, to_printable
from annotation.formats.office import read_excel_rows, read_word_text
from annotation.formats.reading import LINE_LIMIT, InputFile, Spot, UnreadableFile
from annotation.formats.records import split_of_name
from annotation.formats.strictjson import BadJson, parse_strict_json
from annotation.formats.tool_exports import FLATTEN

ZIP_ENDINGS = (".txt", ".md", ".docx", ".parquet", ".arrow", ".csv", ".tsv", ".jsonl", ".json", ".xlsx")
MAX_ZIP_MEMBER = 500_000_000
_TEXTS = (".txt", ".md", ".story")
_IGNORED = ("dataset_info.json", "dataset_dict.json", "state.json")
_BINARY = {".parquet": "parquet", ".arrow": "arrow", ".xlsx": "excel"}


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row and its place, for faults and ids."""

    values: dict[str, Any]
    place: str
    line: int | None = None
    file_name: str = ""


Rows = Iterator[TableRow | Fault]


def read_rows(file: InputFile, kind: str) -> Rows:
    """The rows of a file of one of ROW_KINDS; exactly one item per row. Raises UnreadableFile."""
    return ROW_KINDS[kind](file)


def _csv_rows(file: InputFile) -> Rows:
    for item in read_table_rows(file):
        yield item if isinstance(item, Fault) else TableRow(item[1], f"line {item[0]}", item[0])


def _jsonl_rows(file: InputFile) -> Rows:
    for spot in read_line_spots(file, LINE_LIMIT):
        yield spot if isinstance(spot, Fault) else _parse_object(spot)


def _parse_object(spot: Spot) -> TableRow | Fault:
    try:
        value = parse_strict_json(spot.raw)
    except BadJson as error:
        return spot.fault(error)
    if isinstance(value, dict):
        return TableRow(value, spot.place, spot.line)
    message = f"must be an object {{...}}, not {json_type_name(value)}"
    return spot.file.fault(message, line=spot.line, column=spot.column, value=value, code="type")


def _entry_rows(file: InputFile) -> Rows:
    for item in read_entries(file):
        yield item if isinstance(item, Fault) else TableRow(item[1], item[0].place, item[0].line)


def _tool_rows(kind: str) -> Callable[[InputFile], Rows]:
    def read(file: InputFile) -> Rows:
        for item in _entry_rows(file):
            if isinstance(item, Fault):
                yield item
                continue
            try:
                yield TableRow(FLATTEN[kind](item.values), item.place, item.line)
            except (KeyError, AttributeError, TypeError):
                message = f"is no entry of a {kind} export like the first one"
                yield file.fault(message, line=item.line, code="entry")

    return read


def _numbered(read: Callable[[InputFile], Iterator[dict[str, Any] | Fault]]) -> Callable[[InputFile], Rows]:
    def read_numbered(file: InputFile) -> Rows:
        for number, values in enumerate(read(file), 1):
            yield values if isinstance(values, Fault) else _clean_row(file, values, f"row {number}")

    return read_numbered


def _text_rows(file: InputFile, name: str = "") -> Rows:
    raw = file.head(LINE_LIMIT + 1)
    if len(raw) > LINE_LIMIT:
        message = f"the text is longer than {LINE_LIMIT:,} bytes; split it into several files"
        raise UnreadableFile(file.fault(message, line=1, code="entry_too_long", fatal=True))
    yield _text_row(file, name or file.name, raw)


def _text_row(file: InputFile, name: str, raw: bytes) -> TableRow | Fault:
    """A plain text as one row; a byte that is not UTF-8 is named by its line and column."""
    try:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        hex_bytes = "bytes " + raw[error.start : error.start + 4].hex(" ")
        message = "is not UTF-8; save the file as UTF-8"
        return file.fault(message, line=line, column=column, value=hex_bytes, code="encoding")
    row = {"id": stem_of(name), "text": text.replace("\r\n", "\n").strip("\n")}
    return _clean_row(file, row, to_printable(name, 100))


def _word_rows(file: InputFile) -> Rows:
    yield _word_row(file, file.name)


def _word_row(file: InputFile, name: str) -> TableRow | Fault:
    title, text = read_word_text(file)
    return _clean_row(file, {"id": stem_of(name), "title": title, "text": text}, to_printable(name, 100))


def _zip_rows(file: InputFile) -> Rows:
    try:
        for member, path in copy_zip_members(file, ZIP_ENDINGS, MAX_ZIP_MEMBER):
            if member.rsplit("/", 1)[-1] not in _IGNORED:
                yield from _member_rows(InputFile(path, f"{file.name}: {to_printable(member, 100)}"), member)
    except ArchiveFault as error:
        yield file.fault(error.message, field=to_printable(error.member, 100), code="archive", fatal=True)


def _member_rows(inner: InputFile, member: str) -> Rows:
    """The rows of one member; those of tables get the split that the member's name tells."""
    from annotation.formats.detect import detect_format

    ending = "." + member.lower().rsplit(".", 1)[-1]
    if ending in _TEXTS:
        yield from _text_rows(inner, member)
        return
    if ending == ".docx":
        yield _word_row(inner, member)
        return
    kind = _BINARY.get(ending) or detect_format(inner.path, member)
    if kind not in ROW_KINDS or kind == "zip":
        yield inner.fault(f"{kind} files are not read inside an archive; import it by itself", code="archive")
        return
    split = split_of_name(member)
    for item in ROW_KINDS[kind](inner):
        if isinstance(item, Fault):
            yield item
            continue
        values = {**item.values, "split": split} if split and "split" not in item.values else item.values
        yield TableRow(values, f"{to_printable(member, 100)}, {item.place}", item.line, stem_of(member))


def stem_of(name: str) -> str:
    """The file name without folders and extension."""
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return base.rsplit(".", 1)[0] if "." in base.lstrip(".") else base


def _clean_row(file: InputFile, values: dict[str, Any], place: str) -> TableRow | Fault:
    """The row with values that JSON can hold; a fault for a character that cannot be stored."""
    number = place.rsplit(" ", 1)[-1]
    line = int(number) if place.startswith("row ") and number.isdecimal() else None
    cleaned = {name: _clean_value(value) for name, value in values.items()}
    for name, value in cleaned.items():
        if isinstance(value, str) and ("\0" in value or any("\ud800" <= char <= "\udfff" for char in value)):
            return file.fault("holds a character that cannot be stored", line=line, field=name, code="character")
    return TableRow(cleaned, place, line)


def _clean_value(value: Any) -> Any:
    """A value of a binary table as JSON: dates as text, bytes and NaN as nothing."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, list | tuple):
        return [_clean_value(item) for item in value]
    if isinstance(value, dict):
        return {str(name): _clean_value(item) for name, item in value.items()}
    if isinstance(value, bytes):
        return None
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


ROW_KINDS: dict[str, Callable[[InputFile], Rows]] = {
    "csv": _csv_rows,
    "jsonl": _jsonl_rows,
    "json": _entry_rows,
    "parquet": _numbered(read_parquet_rows),
    "arrow": _numbered(read_arrow_rows),
    "excel": _numbered(read_excel_rows),
    "word": _word_rows,
    "text": _text_rows,
    "zip": _zip_rows,
    **{kind: _tool_rows(kind) for kind in FLATTEN},
}
"""Kinds whose columns a mapping names, and how their rows are read."""

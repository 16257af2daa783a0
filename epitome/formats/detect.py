"""Recognizes the format of a file by its content: first what formats declare, then how tables and texts look."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import islice

from epitome.formats.archives import is_archive, is_tar
from epitome.formats.elements import looks_like_json_lines, read_entries
from epitome.formats.fields import CNN_DAILYMAIL
from epitome.formats.file_format import Format
from epitome.formats.macsum import is_macsum
from epitome.formats.markup import recognize_markup
from epitome.formats.reading import GZIP, InputFile, Spot, UnreadableFile, empty_file_fault, without_packing
from epitome.formats.rows import Row
from epitome.formats.sniff import list_members, refuse_other_office, refuse_wrong_kind
from epitome.formats.stories import HIGHLIGHT_MARK
from epitome.formats.table_dialect import cell_starts, detect_delimiter
from epitome.formats.tools.refused import refuse_tool
from epitome.formats.wrapped_json import describe_object
from epitome.formats.zip_tables import TABLE_ENDINGS

HEAD = 1 << 18
MAX_EXAMINED = 20
_OBJECT_LINE = re.compile(rb'\n\{\s*"')
_JSON = ("json", "jsonl", "ndjson")
_TABLE = ("csv", "tsv", "tab")
_TEXT = ("txt", "md", "text")
Formats = Collection[Format]


def recognize_format(file: InputFile, formats: Formats, mapping: Mapping[str, str] | None) -> str:
    """The name of the format, one of those given. Raises UnreadableFile; see registry.detect_format."""
    magic = file.magic()
    if container := _recognize_container(file, magic, formats):
        return container
    if magic.startswith(GZIP):
        magic = file.unpacked_magic()
        if is_tar(magic):
            return "story"
        if magic.startswith(b"PK") or is_archive(magic) or any(magic.startswith(f.first_bytes) for f in formats):
            raise file.unreadable("is packed twice: unpack it once, and import what is in it", code="archive")
    elif is_archive(magic):
        return "story"
    refuse_wrong_kind(file, magic)
    head = file.head(HEAD)
    if not head:
        raise UnreadableFile(empty_file_fault(file))
    if kind := recognize_markup(file, head):
        return kind
    if head[:1] in b"{[" and (kind := _recognize_json(file, head, formats)):
        return kind
    return _recognize_text(file, head, mapping)


def _recognize_container(file: InputFile, magic: bytes, formats: Formats) -> str | None:
    """A binary table, an office file or a zip file of tables; None for a plain file and for an archive of stories."""
    for known in formats:
        if known.first_bytes and magic.startswith(known.first_bytes):
            return known.name
    if not magic.startswith(b"PK"):
        return None
    members = list_members(file)
    for known in formats:
        if known.member and known.member in members:
            return known.name
    refuse_other_office(file, members)
    return "zip" if any(name.lower().endswith(TABLE_ENDINGS) for name in members) else None


def _ending(file: InputFile) -> str:
    return without_packing(file.data_name).lower().rsplit(".", 1)[-1]


def _recognize_json(file: InputFile, head: bytes, formats: Formats) -> str | None:
    """The format of a JSON file, by the keys of its first valid entry; None for a text that begins with a bracket."""
    is_list = head[:1] == b"["
    rows = read_entries(file)
    n_faults = 0
    for row in islice(rows, MAX_EXAMINED):
        if isinstance(row, Row):
            is_only = n_faults == 0 and not is_list and next(rows, None) is None
            return _recognize_entry(row, head, formats) or _name_plain_json(file, row, head, is_only)
        n_faults += 1
    if is_list and not n_faults:
        raise UnreadableFile(empty_file_fault(file))
    if not _begins_as_json(file, head):
        return None
    return "json" if is_list else "jsonl"


def _recognize_entry(row: Row, head: bytes, formats: Formats) -> str | None:
    """The format that declares a JSON object as one of its entries."""
    for known in formats:
        if known.has_entry is not None and known.has_entry(row.values):
            return known.name
    return "macsum" if is_macsum(row.values) else None  # the loosest, so that it comes last


def _name_plain_json(file: InputFile, row: Row, head: bytes, is_only: bool) -> str:
    """JSON lines, or any other JSON. Raises UnreadableFile for one object that is no entry, and for a tool's file
    without texts."""
    refuse_tool(file, row.values)
    if is_only and (reason := describe_object(row.values)):
        raise file.unreadable(reason, line=1, code="one_object")
    has_lines = isinstance(row.spot, Spot) and (looks_like_json_lines(head) or b"\n" not in head)
    return "jsonl" if has_lines and head[:1] != b"[" else "json"


def _begins_as_json(file: InputFile, head: bytes) -> bool:
    """Whether a file without a valid entry is damaged JSON, and not a text such as `[Music] Good evening`."""
    second = head[1:].lstrip()[:1]
    is_likely = second in (b'"', b"{", b"[") if head[:1] == b"[" else second == b'"'
    return _ending(file) in _JSON or (_ending(file) not in _TEXT and is_likely)


def _recognize_text(file: InputFile, head: bytes, mapping: Mapping[str, str] | None) -> str:
    """A story, a table, JSON lines that begin with garbage, or a plain text."""
    text = head.decode("utf-8", "replace")
    if any(line.strip() == HIGHLIGHT_MARK for line in text.split("\n")):
        return "story"
    header = text.split("\n", 1)[0]
    ending = _ending(file)
    if ending in _TABLE or (_is_header(header, mapping) and (ending not in _TEXT or _is_even(text))):
        return "csv"
    if ending in _TEXT:
        return "csv" if _is_even(text, "\t") else "text"
    if _OBJECT_LINE.search(head):
        return "jsonl"
    if len(cell_starts(header, detect_delimiter(header))) > 1:
        return "csv"
    if ending in _JSON or "\ufffd" in text[:-4] or any(char < " " and not char.isspace() for char in text):
        message = "is in no known format: neither a text in UTF-8, nor JSON, nor a table with a header"
        raise UnreadableFile(file.fault(message, line=1, column=1, value=header[:80], code="format", fatal=True))
    return "text"


def _is_header(line: str, mapping: Mapping[str, str] | None) -> bool:
    """Whether a line is a table's header: one of its cells has a name that a source needs."""
    known_names = {"id", "text", *CNN_DAILYMAIL.values(), *(mapping or {}).values()}
    cells = line.strip("\r").split(detect_delimiter(line))
    return len(cells) > 1 and any(cell.strip('" ') in known_names for cell in cells)


def _is_even(text: str, delimiter: str = "") -> bool:
    """Whether the first lines of a text have all the same number of cells, so that it is a table and no prose."""
    lines = [line for line in text.split("\n")[: MAX_EXAMINED + 1] if line.strip()][:MAX_EXAMINED]
    delimiter = delimiter or detect_delimiter(lines[0])
    sizes = {len(cell_starts(line, delimiter)) for line in lines}
    return len(lines) > 1 and len(sizes) == 1 and sizes.pop() > 1

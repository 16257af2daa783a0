"""The beginnings of Word documents and Excel books, so that long ones are shown while a person waits: their main parts
are read up to some paragraphs or rows, pictures and the like are left out."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

_DOCUMENT = re.compile("word/document.xml")
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_PARAGRAPH = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}p"
_ROW = re.compile(rb"<row[\s/>]")
_PIECE = 1 << 16


class Beginning(NamedTuple):
    """stream: a whole file. is_cut: it ends before the other does."""

    stream: io.BytesIO
    is_cut: bool


def begin_document(path: Path, n_paragraphs: int) -> Beginning:
    """A document of the file's first paragraphs and its styles. Raises as zipfile and lxml do."""
    return _copy_package(path, _DOCUMENT, lambda part: _cut_document(part, n_paragraphs))


def begin_book(path: Path, n_rows: int) -> Beginning:
    """A book of the first rows of each sheet. Raises as zipfile does."""
    return _copy_package(path, _SHEET, lambda part: _cut_sheet(part, n_rows))


def _copy_package(path: Path, names: re.Pattern[str], cut: Callable[[IO[bytes]], tuple[bytes, bool]]) -> Beginning:
    """The zip file with some of its members cut, and with nothing in those that are not XML."""
    stored, is_cut = io.BytesIO(), False
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(stored, "w") as copy:
        for name in archive.namelist():
            raw = b""
            if names.fullmatch(name):
                with archive.open(name) as part:
                    raw, is_part_cut = cut(part)
                is_cut = is_cut or is_part_cut
            elif name.endswith((".xml", ".rels")):
                raw = archive.read(name)
            copy.writestr(name, raw)
    stored.seek(0)
    return Beginning(stored, is_cut)


def _cut_document(part: IO[bytes], n_paragraphs: int) -> tuple[bytes, bool]:
    """The XML up to the end of a paragraph, with the elements that are open there closed."""
    from lxml import etree

    parser = etree.XMLPullParser(("end",), tag=_PARAGRAPH, resolve_entities=False)
    n_read, root = 0, None
    for piece in iter(lambda: part.read(_PIECE), b""):
        parser.feed(piece)
        for _event, paragraph in parser.read_events():
            n_read += 1
            root = paragraph.getroottree().getroot()
        if root is not None and n_read > n_paragraphs:
            begun = etree.fromstring(etree.tostring(root), etree.XMLParser(resolve_entities=False))  # what is open ends
            _end_at(next(islice(begun.iter(_PARAGRAPH), n_paragraphs, None)))
            return etree.tostring(begun, encoding="UTF-8", xml_declaration=True), True
    return etree.tostring(parser.close(), encoding="UTF-8", xml_declaration=True), False


def _end_at(element: Any) -> None:
    """Take out all that follows an element."""
    while (parent := element.getparent()) is not None:
        for following in list(element.itersiblings()):
            parent.remove(following)
        element = parent


def _cut_sheet(part: IO[bytes], n_rows: int) -> tuple[bytes, bool]:
    """The XML up to the end of a row. One whose elements bear a prefix stays whole."""
    raw, n_found = bytearray(), 0
    for piece in iter(lambda: part.read(_PIECE), b""):
        raw += piece
        n_found += piece.count(b"<row")
        if n_found > n_rows + 1 and b"<sheetData>" in raw:
            starts = [match.start() for match in _ROW.finditer(raw)]
            if len(starts) > n_rows + 1:
                return bytes(raw[: starts[n_rows + 1]]) + b"</sheetData></worksheet>", True
    return bytes(raw), False

"""Rows of Excel sheets and the text of Word documents. No formula is run, no link followed, no entity expanded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from annotation.formats.archives import ArchiveFault, check_unpacked_size
from annotation.formats.faults import Fault, to_printable
from annotation.formats.reading import InputFile, UnreadableFile

MAX_SHEET_PART = 100_000_000
MAX_WORD_PART = 30_000_000
"""Bytes of one part of a file, unpacked: a sheet's shared strings and a document's text are held in memory."""
_DAMAGED = "is damaged and cannot be read"


def read_excel_rows(file: InputFile) -> Iterator[dict[str, Any] | Fault]:
    """One dict per row below the header of the first sheet that has rows. Raises UnreadableFile."""
    _check_container(file, MAX_SHEET_PART)
    try:
        from openpyxl import DEFUSEDXML, load_workbook
    except ImportError:
        raise _missing(file, "openpyxl", "web") from None
    if not DEFUSEDXML:
        raise _missing(file, "defusedxml", "web")
    try:
        book = load_workbook(file.path, read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            header: list[str] = []
            for cells in sheet.iter_rows(values_only=True):
                if all(cell is None or cell == "" for cell in cells):
                    continue
                if not header:
                    header = _name_columns(cells)
                    continue
                yield {name: cell for name, cell in zip(header, cells, strict=False) if name}
            if header:
                return
    except UnreadableFile:
        raise
    except Exception as error:  # a damaged workbook raises errors of many kinds
        raise _damaged(file, error) from error


def _name_columns(cells: tuple[Any, ...]) -> list[str]:
    """The header's names; "" for an empty one, a number after a name that is there already."""
    names: list[str] = []
    for cell in cells:
        name = "" if cell is None else str(cell).strip()
        names.append(f"{name} {len(names) + 1}" if name and name in names else name)
    return names


def read_word_text(file: InputFile) -> tuple[str, str]:
    """(title, text): paragraphs, and table rows with cells parted by tabs. The title is that of a paragraph of the
    style Title or, in front of all text, of a heading. Raises UnreadableFile."""
    _check_container(file, MAX_WORD_PART)
    try:
        import docx
    except ImportError:
        raise _missing(file, "python-docx", "word") from None
    try:
        document = docx.Document(str(file.path))
        title, lines = "", []
        for block in document.iter_inner_content():
            if hasattr(block, "rows"):
                lines += ["\t".join(cell.text for cell in row.cells) for row in block.rows]
                continue
            style = (block.style.name or "") if block.style is not None else ""
            if not title and not lines and style.startswith(("Title", "Heading")):
                title = " ".join(block.text.split())
            else:
                lines.append(block.text)
    except Exception as error:  # a damaged document raises errors of many kinds
        raise _damaged(file, error) from error
    return title, "\n".join(lines).strip("\n")


def _check_container(file: InputFile, max_part: int) -> None:
    """Refuses what unpacks to too much, before any part of it is read."""
    try:
        check_unpacked_size(file.path, max_part)
    except ArchiveFault as error:
        message = f"{_DAMAGED}: {error.message}"
        raise UnreadableFile(
            file.fault(message, field=to_printable(error.member, 100), code="archive", fatal=True)
        ) from error


def _missing(file: InputFile, package: str, extra: str) -> UnreadableFile:
    message = f"needs the package {package} to be read: pip install 'epitome[{extra}]'; or save it as CSV or .txt"
    return UnreadableFile(file.fault(message, code="missing_package", fatal=True))


def _damaged(file: InputFile, error: Exception) -> UnreadableFile:
    message = f"{_DAMAGED}: {to_printable(str(error), 120)}"
    return UnreadableFile(file.fault(message, code="damaged", fatal=True))

"""Recognizes files by their first bytes: containers that are read, and kinds that hold no text for us."""

from __future__ import annotations

import zipfile
from pathlib import Path

from annotation.formats.reading import InputFile, UnreadableFile

_SAVE_AS_TEXT = "Save its text as .txt, .docx or CSV and import that."
_PICTURE = f"is a picture, not a text. {_SAVE_AS_TEXT}"
_MEDIA = "is a sound or video file, not a text. Import a transcript of it as .txt, .docx or CSV."
_PROGRAM = "is a program, not a text. Choose the file that holds the texts."
_OLD_OFFICE = "is a file of an old office program. Save it as .docx, .xlsx or CSV and import that."
_SERIALIZED = "holds serialized Python objects, which could run code. Save the data as JSON lines, CSV or Parquet."
WRONG_KINDS: tuple[tuple[bytes, int, str], ...] = (
    (b"\x89PNG", 0, _PICTURE),
    (b"\xff\xd8\xff", 0, _PICTURE),
    (b"GIF8", 0, _PICTURE),
    (b"WEBP", 8, _PICTURE),
    (b"II*\0", 0, _PICTURE),
    (b"MM\0*", 0, _PICTURE),
    (b"8BPS", 0, _PICTURE),
    (b"%PDF", 0, "is a PDF. Its text cannot be read reliably. Save it as .txt or .docx and import that."),
    (b"{\\rtf", 0, "is a rich text file (RTF). Save it as .docx or .txt and import that."),
    (b"ftyp", 4, _MEDIA),
    (b"\x1aE\xdf\xa3", 0, _MEDIA),
    (b"AVI ", 8, _MEDIA),
    (b"WAVE", 8, _MEDIA),
    (b"ID3", 0, _MEDIA),
    (b"OggS", 0, _MEDIA),
    (b"fLaC", 0, _MEDIA),
    (b"\x7fELF", 0, _PROGRAM),
    (b"MZ\x90", 0, _PROGRAM),
    (b"\xcf\xfa\xed\xfe", 0, _PROGRAM),
    (b"\xca\xfe\xba\xbe", 0, _PROGRAM),
    (b"\xd0\xcf\x11\xe0", 0, _OLD_OFFICE),
    (b"SQLite format 3", 0, "is a database. Export the table with the texts as CSV and import that."),
    (b"\x80\x02", 0, _SERIALIZED),
    (b"\x80\x03", 0, _SERIALIZED),
    (b"\x80\x04", 0, _SERIALIZED),
    (b"\x80\x05", 0, _SERIALIZED),
    (b"7z\xbc\xaf", 0, "is a 7z archive. Pack the files as .zip and import that."),
    (b"Rar!", 0, "is a RAR archive. Pack the files as .zip and import that."),
)
_ARROW_STREAM = b"\xff\xff\xff\xff"
_TABLES = (".parquet", ".arrow", ".csv", ".tsv", ".jsonl", ".json", ".docx", ".xlsx")


def refuse_wrong_kind(file: InputFile, magic: bytes) -> None:
    """Raises UnreadableFile with one sentence for a picture, PDF, video, program or database."""
    for mark, offset, message in WRONG_KINDS:
        if magic[offset : offset + len(mark)] == mark:
            raise UnreadableFile(file.fault(message, code="wrong_kind", fatal=True))
    if b"<svg" in magic[:512]:
        raise UnreadableFile(file.fault(_PICTURE, code="wrong_kind", fatal=True))


def find_container(file: InputFile, magic: bytes) -> str | None:
    """parquet, arrow, excel, word or zip; None for a plain file, and for an archive that holds only stories."""
    if magic.startswith(b"PAR1"):
        return "parquet"
    if magic.startswith((b"ARROW1", _ARROW_STREAM)):
        return "arrow"
    if not magic.startswith(b"PK"):
        return None
    names = _list_members(file.path)
    if "word/document.xml" in names:
        return "word"
    if "xl/workbook.xml" in names:
        return "excel"
    if "ppt/presentation.xml" in names or "content.xml" in names or "xl/workbook.bin" in names:
        message = "is an office file of a kind that is not read. Save it as .docx, .xlsx or .txt and import that."
        raise UnreadableFile(file.fault(message, code="wrong_kind", fatal=True))
    return "zip" if any(name.lower().endswith(_TABLES) for name in names) else None


def _list_members(path: Path) -> list[str]:
    """The member names of a zip file; none where its directory cannot be read (its reader says why)."""
    from annotation.formats.archives import ArchiveFault, check_directory

    try:
        with path.open("rb") as stream:
            check_directory(stream, path.stat().st_size)
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except (OSError, zipfile.BadZipFile, ArchiveFault, ValueError, NotImplementedError):
        return []

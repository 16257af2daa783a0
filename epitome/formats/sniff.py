"""Kinds of files that hold no text for us, by their first bytes; the members of zip files."""

from __future__ import annotations

import zipfile

from epitome.formats.archives import ArchiveFault, check_directory, true_name
from epitome.formats.reading import InputFile

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
    (b"BZh", 0, "is packed with bzip2. Unpack it, or pack it as .gz, and import that."),
    (b"\xfd7zXZ", 0, "is packed with xz. Unpack it, or pack it as .gz, and import that."),
    (b"\x28\xb5\x2f\xfd", 0, "is packed with Zstandard. Unpack it, or pack it as .gz, and import that."),
    (b"7z\xbc\xaf", 0, "is a 7z archive. Pack the files as .zip and import that."),
    (b"Rar!", 0, "is a RAR archive. Pack the files as .zip and import that."),
)


def refuse_wrong_kind(file: InputFile, magic: bytes) -> None:
    """Raises UnreadableFile with one sentence for a picture, PDF, video, program or database."""
    for mark, offset, message in WRONG_KINDS:
        if magic[offset : offset + len(mark)] == mark:
            raise file.unreadable(message, code="wrong_kind")
    if b"<svg" in magic[:512]:
        raise file.unreadable(_PICTURE, code="wrong_kind")


def list_members(file: InputFile) -> list[str]:
    """The member names of a zip file; none where its directory cannot be read (its reader says why)."""
    try:
        with file.path.open("rb") as stream:
            check_directory(stream, file.path.stat().st_size)
        with zipfile.ZipFile(file.path) as archive:
            return [true_name(info) for info in archive.infolist()]
    except (OSError, zipfile.BadZipFile, ArchiveFault, ValueError, NotImplementedError):
        return []


def refuse_other_office(file: InputFile, members: list[str]) -> None:
    """Raises UnreadableFile for slides, OpenDocument and binary sheets."""
    if "ppt/presentation.xml" in members or "content.xml" in members or "xl/workbook.bin" in members:
        message = "is an office file of a kind that is not read. Save it as .docx, .xlsx or .txt and import that."
        raise file.unreadable(message, code="wrong_kind")

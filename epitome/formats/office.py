"""What readers of Excel sheets and Word documents share: zip files whose size is checked before a part is read."""

from __future__ import annotations

from epitome.formats.archives import ArchiveFault, check_unpacked_size
from epitome.formats.faults import to_printable
from epitome.formats.reading import InputFile, UnreadableFile

_DAMAGED = "is damaged and cannot be read"


def check_container(file: InputFile, max_part: int) -> None:
    """Refuses what unpacks to too much, before any part of it is read. max_part: bytes of one part, unpacked. Raises
    UnreadableFile."""
    try:
        check_unpacked_size(file.path, max_part)
    except ArchiveFault as error:
        member = to_printable(error.member, 100)
        raise file.unreadable(f"{_DAMAGED}: {error.message}", field=member, code="archive") from error


def missing_package(file: InputFile, package: str, extra: str, other: str) -> UnreadableFile:
    """The error of a file that a package would read. other: what to do without it."""
    message = f"needs the package {package} to be read: pip install 'epitome[{extra}]'; or {other}"
    return file.unreadable(message, code="missing_package")


def damaged(file: InputFile, error: Exception) -> UnreadableFile:
    """The error of a file whose reader failed."""
    return file.unreadable(f"{_DAMAGED}: {to_printable(str(error), 120)}", code="damaged")

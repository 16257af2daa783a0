"""Reads the members of a zip, tar or tar.gz file as bytes, within limits that are checked before anything is unpacked.

Tar headers are parsed here: the standard module would read a declared header of any size into memory.
"""

from __future__ import annotations

import gzip
import os
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from epitome.formats.faults import to_printable
from epitome.formats.reading import InputFile

MAX_MEMBERS = 100_000
MAX_MEMBER = 5_000_000
MAX_TOTAL = 2_000_000_000
MAX_RATIO = 200
RATIO_FROM = 10_000_000
"""Unpacked bytes below which the ratio is not checked: a few highly compressible stories are not a zip bomb."""
MAX_DIRECTORY = 32_000_000
MAX_LONG_NAME = 65_536
BLOCK = 512
ENDINGS = (".story", ".txt")
_UNREADABLE = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError)
"""Errors of a damaged archive. RuntimeError: a member with a password."""
_NESTED = (".zip", ".gz", ".tgz", ".tar", ".bz2", ".xz", ".7z", ".rar", ".zst")


class ArchiveFault(ValueError):
    """An archive that is refused entirely; `member` names the member at fault."""

    def __init__(self, message: str, member: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.member = member


def is_archive(magic: bytes) -> bool:
    """Whether a file's first 512 bytes are those of a zip, gzip or tar file."""
    return magic.startswith((b"PK\3\4", b"PK\5\6", b"\x1f\x8b")) or magic[257:262] == b"ustar"


def true_name(info: zipfile.ZipInfo) -> str:
    """The name of a member: UTF-8 also where the packing program did not say so, as that of macOS."""
    if info.flag_bits & 0x800 or info.filename.isascii():
        return info.filename
    try:
        return info.filename.encode("cp437").decode()
    except UnicodeError:
        return info.filename


def is_tar(magic: bytes) -> bool:
    """Whether the first 512 bytes are those of a tar file, also of an old one without its mark."""
    if magic[257:262] == b"ustar":
        return True
    try:
        return len(magic) == BLOCK and any(magic) and _tar_size(magic) >= 0
    except ArchiveFault:
        return False


def read_members(
    file: InputFile, endings: tuple[str, ...] = ENDINGS, max_member: int = MAX_MEMBER
) -> Iterator[tuple[str, bytes]]:
    """Yields (name, bytes) of each member with one of the endings, in archive order; of at most `max_member` bytes.
    Raises ArchiveFault, possibly midway."""
    wanted = _Wanted(endings, max_member)
    try:
        with file.path.open("rb") as stream:
            magic = stream.read(2)
            stream.seek(0)
            if magic == b"PK":
                for info, member in _zip_members(stream, wanted):
                    # The directory may give a wrong size: never read more than the declared size.
                    raw = member.read(info.file_size + 1)
                    _check_read_size(info, len(raw))
                    yield true_name(info), raw
            elif magic == b"\x1f\x8b":
                with gzip.GzipFile(fileobj=stream) as unpacked:
                    yield from _tar_members(_Limited(unpacked, os.fstat(stream.fileno()).st_size), wanted)
            else:
                yield from _tar_members(_Limited(stream, os.fstat(stream.fileno()).st_size), wanted)
    except _UNREADABLE as error:
        raise ArchiveFault(f"the archive cannot be read: {to_printable(str(error), 120)}") from error


class _Wanted(NamedTuple):
    """Which members are read: by the ending of their name, up to a size in bytes."""

    endings: tuple[str, ...]
    max_member: int


def _is_wanted(name: str, wanted: _Wanted) -> bool:
    """Whether a member is to be read. Raises ArchiveFault for unsafe names and nested archives."""
    path_parts = name.replace("\\", "/").split("/")
    if ".." in path_parts or name.startswith(("/", "\\")) or name[1:2] == ":" or "\0" in name:
        raise ArchiveFault("a member's name leads out of the archive", name)
    if name.lower().endswith(_NESTED):
        raise ArchiveFault("an archive inside the archive; unpack it first", name)
    hidden = path_parts[-1].startswith(".") or "__MACOSX" in path_parts
    return name.lower().endswith(wanted.endings) and not hidden


def _check_sizes(name: str, size: int, total: int, packed: int, max_member: int = MAX_MEMBER) -> None:
    if size > max_member:
        raise ArchiveFault(f"a member of {size:,} bytes, more than {max_member:,}", name)
    if total > MAX_TOTAL:
        raise ArchiveFault(f"holds more than {MAX_TOTAL:,} bytes", name)
    if total > RATIO_FROM and total > MAX_RATIO * max(packed, 1):
        raise ArchiveFault(f"unpacks to more than {MAX_RATIO} times its size", name)


def _zip_members(stream: IO[bytes], wanted: _Wanted) -> Iterator[tuple[zipfile.ZipInfo, IO[bytes]]]:
    packed_size = os.fstat(stream.fileno()).st_size
    check_directory(stream, packed_size)
    stream.seek(0)
    with zipfile.ZipFile(stream) as archive:
        infos = archive.infolist()
        if len(infos) > MAX_MEMBERS:
            raise ArchiveFault(f"holds {len(infos):,} members, more than {MAX_MEMBERS:,}")
        total = 0
        wanted_infos = []
        for info in infos:
            total += info.file_size
            _check_sizes(info.filename, info.file_size, total, packed_size, wanted.max_member)
            if (info.external_attr >> 16) & 0o170000 == 0o120000:
                raise ArchiveFault("a link; archives may hold plain files only", info.filename)
            if not info.is_dir() and _is_wanted(info.filename, wanted):
                wanted_infos.append(info)
        for info in wanted_infos:
            with archive.open(info) as member:
                yield info, member


def _check_read_size(info: zipfile.ZipInfo, n_read: int) -> None:
    if n_read != info.file_size:
        raise ArchiveFault("a member is not of the size that the archive tells", info.filename)


def copy_zip_members(file: InputFile, endings: tuple[str, ...], max_member: int) -> Iterator[tuple[str, Path]]:
    """Yields (name, path) of each member of a zip file with one of the endings, copied piece by piece to a temporary
    file that is gone at the next one: a member may be larger than the memory. Raises ArchiveFault, possibly midway."""
    try:
        with file.path.open("rb") as stream:
            for info, member in _zip_members(stream, _Wanted(endings, max_member)):
                with tempfile.NamedTemporaryFile(suffix=".member") as copy:
                    _check_read_size(info, _copy_at_most(member, copy, info.file_size + 1))
                    copy.flush()
                    yield true_name(info), Path(copy.name)
    except _UNREADABLE as error:
        raise ArchiveFault(f"the archive cannot be read: {to_printable(str(error), 120)}") from error


def _copy_at_most(source: IO[bytes], target: IO[bytes], limit: int) -> int:
    n_copied = 0
    while n_copied < limit and (raw := source.read(min(1 << 20, limit - n_copied))):
        n_copied += target.write(raw)
    return n_copied


def check_unpacked_size(path: Path, max_member: int) -> None:
    """Refuses a zip file (such as an office document) whose members unpack past the limits. Raises ArchiveFault."""
    try:
        with path.open("rb") as stream:
            packed_size = os.fstat(stream.fileno()).st_size
            check_directory(stream, packed_size)
            with zipfile.ZipFile(stream) as archive:
                infos = archive.infolist()
    except (OSError, zipfile.BadZipFile, NotImplementedError) as error:
        raise ArchiveFault(f"the archive cannot be read: {to_printable(str(error), 120)}") from error
    total = 0
    for info in infos:
        total += info.file_size
        _check_sizes(info.filename, info.file_size, total, packed_size, max_member)


def check_directory(stream: IO[bytes], size: int) -> None:
    """Refuses a central directory over the limits before zipfile reads it into memory."""
    stream.seek(max(0, size - 65_557))
    tail = stream.read()
    record_start = tail.rfind(b"PK\5\6")
    if record_start < 0 or len(tail) - record_start < 22:
        raise ArchiveFault("the archive is cut short: it has no directory")
    count, length = struct.unpack("<HL", tail[record_start + 10 : record_start + 16])
    locator = tail.rfind(b"PK\6\6", 0, record_start)
    if locator >= 0 and len(tail) - locator >= 56:
        count, length = struct.unpack("<QQ", tail[locator + 32 : locator + 48])
    if count > MAX_MEMBERS:
        raise ArchiveFault(f"holds {count:,} members, more than {MAX_MEMBERS:,}")
    if length > MAX_DIRECTORY:
        raise ArchiveFault(f"has a directory of {length:,} bytes, more than {MAX_DIRECTORY:,}")


class _Limited:
    """Stream that raises ArchiveFault after MAX_TOTAL bytes or MAX_RATIO times the file's size."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile, packed: int) -> None:
        self.stream = stream
        self.packed = packed
        self.total = 0

    def read(self, size: int) -> bytes:
        raw = self.stream.read(size)
        self.total += len(raw)
        _check_sizes("", 0, self.total, self.packed)
        return raw

    def skip(self, size: int) -> None:
        while size > 0:
            passed = len(self.read(min(size, 1 << 20)))
            if not passed:
                raise ArchiveFault("the archive is cut short")
            size -= passed


def _tar_members(stream: _Limited, wanted: _Wanted) -> Iterator[tuple[str, bytes]]:
    long_name = ""
    count = 0
    while len(header := stream.read(BLOCK)) == BLOCK and any(header):
        count += 1
        if count > MAX_MEMBERS:
            raise ArchiveFault(f"holds more than {MAX_MEMBERS:,} members")
        name, size, kind = long_name or _tar_name(header), _tar_size(header), header[156:157]
        padding = -size % BLOCK
        if kind in b"LKxg":
            if size > MAX_LONG_NAME:
                raise ArchiveFault("a header is too long", name)
            raw = stream.read(size + padding)[:size]
            if kind == b"L":
                long_name = raw.rstrip(b"\0").decode("utf-8", "replace")
            elif kind == b"x":
                long_name = _pax_name(raw) or long_name
            continue
        long_name = ""
        if kind in b"12":
            raise ArchiveFault("a link; archives may hold plain files only", name)
        _check_sizes(name, size, stream.total, stream.packed, wanted.max_member)
        if kind in b"0\0" and _is_wanted(name, wanted):
            raw = stream.read(size)
            if len(raw) != size:
                raise ArchiveFault("the archive is cut short", name)
            yield name, raw
            stream.skip(padding)
        else:
            stream.skip(size + padding)
    if count == 0:
        raise ArchiveFault("is no zip or tar archive")


def _tar_name(header: bytes) -> str:
    name = header[:100].split(b"\0", 1)[0]
    prefix = header[345:500].split(b"\0", 1)[0] if header[257:263] == b"ustar\0" else b""
    return (prefix + b"/" + name if prefix else name).decode("utf-8", "replace")


def _tar_size(header: bytes) -> int:
    checksum = sum(header[:148]) + 8 * 32 + sum(header[156:])
    try:
        if int(header[148:156].strip(b" \0") or b"0", 8) != checksum:
            raise ArchiveFault("is no zip or tar archive, or a damaged one")
        if header[124] & 0x80:
            return int.from_bytes(header[125:136], "big")
        return int(header[124:136].strip(b" \0") or b"0", 8)
    except ValueError as error:
        if isinstance(error, ArchiveFault):
            raise
        raise ArchiveFault("is no zip or tar archive, or a damaged one") from error


def _pax_name(raw: bytes) -> str:
    """The `path` of a pax header: records of `length key=value\\n`."""
    for record in raw.split(b"\n"):
        _, _, pair = record.partition(b" ")
        if pair.startswith(b"path="):
            return pair[5:].decode("utf-8", "replace")
    return ""

"""Reads a backup archive: checks the whole file before anything is restored from it."""

import gzip
import hashlib
import json
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.utils.translation import gettext as _

from annotation.services.backup.archive_writer import FORMAT, MANIFEST
from annotation.services.backup.data_files import FILE_FOLDERS, KEY_MEMBER
from annotation.services.core.errors import BadInput

TABLE_MEMBER = re.compile(r"tables/[a-z0-9_]+/[0-9]{6}\.jsonl")
MAX_MANIFEST = 256 * 1024 * 1024
PIECE = 1024 * 1024
UNREADABLE = (tarfile.TarError, EOFError, zlib.error, OSError)


class DamagedArchive(BadInput):
    """The archive is not complete, not sound, or no backup at all."""


def check_archive(path: Path, progress: Callable[[str], None] = lambda _name: None) -> dict[str, Any]:
    """Read the whole archive and check every member against the manifest; returns the manifest.

    Raises DamagedArchive for a file that is cut short, altered, holds other members than the manifest says, or members
    that would be stored outside their folder.
    """
    members: dict[str, dict[str, Any]] = {}
    manifest: dict[str, Any] | None = None
    with _explain_damage(path):
        for info, stream in read_members(path):
            if manifest is not None or info.name in members:
                raise DamagedArchive(_("The archive contains %(name)s in the wrong place.") % {"name": info.name[:200]})
            progress(info.name)
            if info.name == MANIFEST:
                manifest = _parse_manifest(info, stream)
            else:
                members[info.name] = {"bytes": info.size, "sha256": _hash_stream(stream)}
    if manifest is None:
        raise DamagedArchive(_("The archive is cut short: its last part, the manifest, is missing."))
    if differing := _find_difference(manifest["members"], members):
        raise DamagedArchive(
            _("%(name)s is not what the manifest of the archive says: the archive was damaged or altered.")
            % {"name": differing[:200]}
        )
    return manifest


def read_members(path: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """The members in their order, each a plain file with an allowed name; the stream is valid until the next one."""
    with gzip.open(path) as unpacked:
        with tarfile.open(fileobj=unpacked, mode="r|") as tar:
            for info in tar:
                if not info.isreg() or not is_allowed_name(info.name):
                    raise DamagedArchive(
                        _("The archive contains %(name)s, which is no part of a backup.")
                        % {"name": repr(info.name[:200])}
                    )
                stream = tar.extractfile(info)
                assert stream is not None
                yield info, stream
        while unpacked.read(PIECE):  # to the end of the file, where gzip has its own checksum
            pass


def is_allowed_name(name: str) -> bool:
    """Whether a member of this name belongs into a backup, and stays below its folder when it is stored."""
    if name in (MANIFEST, KEY_MEMBER) or TABLE_MEMBER.fullmatch(name):
        return True
    parts = name.split("/")
    if len(parts) < 2 or parts[0] not in FILE_FOLDERS or "\0" in name or "\\" in name:
        return False
    return PurePosixPath(name).as_posix() == name and not {"", ".", ".."}.intersection(parts)


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise DamagedArchive(
            _("%(file)s cannot be read as a backup; it is cut short, damaged or another kind of file (%(why)s).")
            % {"file": path.name, "why": str(error)[:200]}
        ) from error


def _parse_manifest(info: tarfile.TarInfo, stream: IO[bytes]) -> dict[str, Any]:
    if info.size > MAX_MANIFEST:
        raise DamagedArchive(_("The manifest of the archive is too large."))
    try:
        manifest = json.loads(stream.read())
    except ValueError as error:
        raise DamagedArchive(_("The manifest of the archive cannot be read.")) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DamagedArchive(_("The archive is not a backup of the format %(format)s.") % {"format": FORMAT})
    for field, kind in (("members", dict), ("tables", list), ("migrations", list), ("secret_key", str)):
        if not isinstance(manifest.get(field), kind):
            raise DamagedArchive(_("The manifest of the archive says nothing of %(field)s.") % {"field": field})
    return manifest


def _hash_stream(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := stream.read(PIECE):
        digest.update(piece)
    return digest.hexdigest()


def _find_difference(expected: dict[str, Any], members: dict[str, Any]) -> str | None:
    """The first name that only one side has, or with another size or hash."""
    for name in sorted(expected.keys() | members.keys()):
        if expected.get(name) != members.get(name):
            return name
    return None

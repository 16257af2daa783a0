"""Writes a backup archive: a compressed tar file with a manifest, which comes last, of the hash of every member."""

import hashlib
import io
import json
import os
import tarfile
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput, Conflict

MANIFEST = "manifest.json"
FORMAT = "epitome-backup-1"
MEMBER_BYTES = 4_000_000
"""Rows of one table member: a tar file states the size of a member before its bytes, so each is built in memory."""
COMPRESSION = 5


class ArchiveWriter:
    """Adds members to an open tar file and keeps their sizes and hashes for the manifest."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self.tar = tar
        self.members: dict[str, dict[str, Any]] = {}

    def add_bytes(self, name: str, content: bytes) -> None:
        self.add_stream(name, io.BytesIO(content), len(content))

    def add_stream(self, name: str, stream: BinaryIO, size: int) -> None:
        """Add exactly `size` bytes. Raises OSError if the stream has fewer."""
        info = tarfile.TarInfo(name)
        info.size, info.mode, info.mtime = size, 0o600, int(time.time())
        hashing = _HashingReader(stream)
        self.tar.addfile(info, hashing)  # type: ignore[arg-type]
        self.members[name] = {"bytes": size, "sha256": hashing.digest.hexdigest()}

    def add_lines(self, folder: str, lines: Iterable[bytes]) -> tuple[int, list[str]]:
        """Add lines as members `FOLDER/000001.jsonl`, ...; returns the number of lines and the names."""
        names: list[str] = []
        part: list[bytes] = []
        n_lines = size = 0
        for line in lines:
            part.append(line)
            n_lines, size = n_lines + 1, size + len(line)
            if size >= MEMBER_BYTES:
                names.append(self._add_part(folder, len(names) + 1, part))
                part, size = [], 0
        if part:
            names.append(self._add_part(folder, len(names) + 1, part))
        return n_lines, names

    def _add_part(self, folder: str, number: int, lines: list[bytes]) -> str:
        name = f"{folder}/{number:06}.jsonl"
        self.add_bytes(name, b"".join(lines))
        return name

    def add_manifest(self, about: dict[str, Any]) -> None:
        manifest = {"format": FORMAT, **about, "members": self.members}
        self.add_bytes(MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1).encode() + b"\n")


class _HashingReader:
    """A stream that hashes what is read from it."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self.stream.read(size)
        self.digest.update(piece)
        return piece


@contextmanager
def open_new_archive(path: Path) -> Iterator[ArchiveWriter]:
    """A new archive that only its owner can read; it gets its name when it is complete and on the disk.

    Raises Conflict if the file exists, BadInput if it cannot be written.
    """
    if path.exists():
        raise Conflict(_("There is already a file %(file)s; a backup does not replace it.") % {"file": path.name})
    temp_path = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        handle = os.open(temp_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as out:
            with tarfile.open(fileobj=out, mode="w:gz", compresslevel=COMPRESSION, format=tarfile.PAX_FORMAT) as tar:
                yield ArchiveWriter(tar)
            out.flush()
            os.fsync(out.fileno())
        os.link(temp_path, path)
    except OSError as error:
        raise BadInput(
            _("%(file)s cannot be written: %(why)s") % {"file": path.name, "why": error.strerror or error}
        ) from error
    finally:
        temp_path.unlink(missing_ok=True)

"""The folder of staging files, and the way from a staging file to batches that can be stored."""

import subprocess
import sys
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from django.conf import settings

from annotation.formats.records import ReferenceRecord, SourceRecord
from annotation.formats.staged import StagedSource, staged, staged_source

HELPED_FROM = 8_000_000
"""Bytes from which a process of its own cuts the texts: starting one takes as long as cutting 2 MB."""


class CuttingBroke(RuntimeError):
    """The process that cuts the texts ended early."""


def staging_folder() -> Path:
    folder = Path(settings.DATA_DIR) / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def new_staging_path() -> Path:
    return staging_folder() / f"{uuid.uuid4()}.staged"


def stage(
    out: BinaryIO,
    record: SourceRecord,
    *,
    stored_id: int | None,
    position: int,
    licence: str,
    may_release_text: bool,
    references: list[ReferenceRecord],
) -> int:
    """Append one source to a staging file; returns the bytes written."""
    source = staged_source(
        record,
        stored_id=stored_id,
        position=position,
        licence=licence,
        may_release_text=may_release_text,
        references=references,
    )
    return out.write(source.dump())


def batches(path: Path, *, rows: int = 1000, size: int = 8_000_000) -> Iterator[list[StagedSource]]:
    """The sources that are not stored yet, cut, in batches of at most `rows` sources and about `size` bytes.

    A thread reads the next batch while the database stores this one: a pipe holds only a few sources.
    """
    found = _batches(path, rows, size)
    with ThreadPoolExecutor(1, thread_name_prefix="staged") as reader:
        coming = reader.submit(next, found, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, found, None)
            yield batch


def _batches(path: Path, rows: int, size: int) -> Iterator[list[StagedSource]]:
    batch: list[StagedSource] = []
    held = 0
    with _cut_stream(path) as stream:
        for source in staged(stream):
            if source.stored_id is not None:
                continue
            source.cut()
            batch.append(source)
            held += len(source.content)
            if len(batch) >= rows or held >= size:
                yield batch
                batch, held = [], 0
    if batch:
        yield batch


def all_staged(path: Path) -> Iterator[StagedSource]:
    """Every source as it stands in the file."""
    with path.open("rb", buffering=1 << 20) as stream:
        yield from staged(stream)


@contextmanager
def _cut_stream(path: Path) -> Iterator[IO[bytes]]:
    """The staging file; a large one as a second process gives it back cut, beside the database's work."""
    with path.open("rb", buffering=1 << 20) as stream:
        if path.stat().st_size < HELPED_FROM or next((each.text_bytes for each in staged(stream)), -1) < 0:
            stream.seek(0)
            yield stream
            return
    with path.open("rb") as stream:
        command = [sys.executable, "-m", "annotation.formats.staged"]
        with subprocess.Popen(
            command, stdin=stream, stdout=subprocess.PIPE, cwd=settings.BASE_DIR, bufsize=1 << 20
        ) as process:
            assert process.stdout is not None
            try:
                yield process.stdout
                if process.wait() != 0:
                    raise CuttingBroke(f"cutting the texts ended with {process.returncode}; import the file again")
            finally:
                process.kill()

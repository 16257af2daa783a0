"""Staging files: their folder, writing them, and reading them in batches for the database."""

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from annotation.services.sources.staging_process import StagingFile
from epitome.formats.records import SourceRecord
from epitome.formats.staged import StagedSource, read_staged_sources, stage_source


def staging_folder() -> Path:
    folder = Path(settings.DATA_DIR) / "imports"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def new_staging_path() -> Path:
    return staging_folder() / f"{uuid.uuid4()}.staged"


def append_source(
    out: BinaryIO,
    record: SourceRecord,
    *,
    stored_id: int | None,
    position: int,
    licence: str,
    may_release_text: bool,
    references: bytes = b"",
    n_references: int = 0,
) -> int:
    """Append one source to a staging file; returns the bytes written."""
    source = stage_source(
        record,
        stored_id=stored_id,
        position=position,
        licence=licence,
        may_release_text=may_release_text,
        references=references,
        n_references=n_references,
    )
    return out.write(source.dump())


def read_batches(path: Path | StagingFile, *, rows: int = 1000, size: int = 8_000_000) -> Iterator[list[StagedSource]]:
    """The sources that are not stored yet, after `cut()`, in batches of at most `rows` sources and about `size` bytes.

    A thread reads the next batch while the database stores this one; the staging process runs on meanwhile.
    """
    batch_iterator = _iterate_batches(path, rows, size)
    with ThreadPoolExecutor(1, thread_name_prefix="staged") as reader:
        pending = reader.submit(next, batch_iterator, None)
        while (batch := pending.result()) is not None:
            pending = reader.submit(next, batch_iterator, None)
            yield batch


def _iterate_batches(path: Path | StagingFile, rows: int, size: int) -> Iterator[list[StagedSource]]:
    batch: list[StagedSource] = []
    batch_size = 0
    source_file = path if isinstance(path, StagingFile) else StagingFile(path)
    with source_file.stream() as stream:
        for source in read_staged_sources(stream):
            if source.stored_id is not None:
                continue
            source.cut()
            batch.append(source)
            batch_size += len(source.content)
            if len(batch) >= rows or batch_size >= size:
                yield batch
                batch, batch_size = [], 0
    if batch:
        yield batch


def all_staged(path: Path) -> Iterator[StagedSource]:
    """Every source of the file, unchanged."""
    with path.open("rb", buffering=1 << 20) as stream:
        yield from read_staged_sources(stream)

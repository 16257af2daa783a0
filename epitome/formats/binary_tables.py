"""Rows of Parquet and Arrow files, the files of a Hugging Face dataset. Data only: no script, no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from epitome.formats.faults import to_printable
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.rows import Rows, number_rows

BATCH = 64


def read_parquet_rows(file: InputFile) -> Rows:
    """The rows of a Parquet file. Raises UnreadableFile."""
    parquet = _import_pyarrow(file, "pyarrow.parquet")
    try:
        table = parquet.ParquetFile(file.path)
        batches = table.iter_batches(batch_size=BATCH)
        yield from number_rows(file, _rows_of(file, batches, table.metadata.num_rows))
    except (OSError, ValueError, MemoryError) as error:  # ArrowInvalid is a ValueError
        raise _unreadable(file, error) from error


def read_arrow_rows(file: InputFile) -> Rows:
    """The rows of an Arrow file, of the file format and of the stream format that Hugging Face datasets use."""
    ipc = _import_pyarrow(file, "pyarrow.ipc")
    try:
        with file.path.open("rb") as stream:
            if file.magic().startswith(b"ARROW1"):
                reader = ipc.open_file(stream)
                batches: Iterable[Any] = (reader.get_batch(number) for number in range(reader.num_record_batches))
            else:
                batches = ipc.open_stream(stream)
            yield from number_rows(file, _rows_of(file, batches, 0))
    except (OSError, ValueError, MemoryError) as error:
        raise _unreadable(file, error) from error


def _rows_of(file: InputFile, batches: Iterable[Any], total: int) -> Iterator[dict[str, Any]]:
    n_read = 0
    for batch in batches:
        for start in range(0, batch.num_rows, BATCH):
            yield from batch.slice(start, BATCH).to_pylist()
        n_read += batch.num_rows
        if file.progress is not None:
            file.progress(n_read, total or n_read + 1)


def _import_pyarrow(file: InputFile, module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        message = "needs the package pyarrow to be read: pip install 'epitome[web]'"
        raise file.unreadable(message, code="missing_package") from None


def _unreadable(file: InputFile, error: Exception) -> UnreadableFile:
    return file.unreadable(f"is damaged and cannot be read: {to_printable(str(error), 120)}", code="damaged")

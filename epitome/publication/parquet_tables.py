"""Rows of one configuration as Parquet, one file per split, a few hundred rows in memory at a time."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from epitome.publication.facts import DataFile

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

ROWS_AT_ONCE = 200


def _types() -> "dict[str, pa.DataType]":
    import pyarrow as pa

    segment = pa.struct([("speaker", pa.string()), ("text", pa.string())])
    span = pa.struct([("segment", pa.int64()), ("start", pa.int64()), ("end", pa.int64()), ("quote", pa.string())])
    return {
        "text": pa.string(),
        "int": pa.int64(),
        "bool": pa.bool_(),
        "json": pa.string(),
        "texts": pa.list_(pa.string()),
        "segments": pa.list_(segment),
        "spans": pa.list_(span),
        "ranges": pa.list_(pa.list_(pa.int64())),
    }


class SplitTables:
    """Writes `data/CONFIG/SPLIT.parquet` below a folder. columns: name -> text, int, bool, json (text), texts,
    segments, spans or ranges. Use as a context manager; `files` lists what was written, once it is closed."""

    def __init__(self, folder: Path, config: str, columns: Mapping[str, str]) -> None:
        import pyarrow as pa

        types = _types()
        self.folder, self.config, self.columns = folder, config, dict(columns)
        self.schema = pa.schema([(name, types[kind]) for name, kind in columns.items()])
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.counts: dict[str, int] = {}
        self.writers: dict[str, pq.ParquetWriter] = {}
        self.files: list[DataFile] = []

    def add(self, split: str, row: dict[str, Any]) -> None:
        """One row; a column that it lacks is null."""
        rows = self.rows.setdefault(split, [])
        rows.append(row)
        self.counts[split] = self.counts.get(split, 0) + 1
        if len(rows) >= ROWS_AT_ONCE:
            self._write(split)

    def _path(self, split: str) -> str:
        return f"data/{self.config}/{split}.parquet"

    def _write(self, split: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if split not in self.writers:
            path = self.folder / self._path(split)
            path.parent.mkdir(parents=True, exist_ok=True)
            self.writers[split] = pq.ParquetWriter(path, self.schema, compression="zstd")
        self.writers[split].write_table(pa.Table.from_pylist(self.rows[split], schema=self.schema))
        self.rows[split] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None:
            for split, rows in self.rows.items():
                if rows:
                    self._write(split)
        for writer in self.writers.values():
            writer.close()
        if error is None:
            self.files = [self._describe(split) for split in sorted(self.writers, key=_split_order)]

    def _describe(self, split: str) -> DataFile:
        path = self.folder / self._path(split)
        with path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        return DataFile(
            self.config, split, self._path(split), self.counts[split], path.stat().st_size, sha256, self.columns
        )


def _split_order(split: str) -> tuple[int, str]:
    return {"train": 0, "validation": 1, "test": 2}.get(split, 3), split

"""Writes flat rows to a Parquet file, one row group at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from epitome.formats.encoded_json import EncodedJSON, encode_json

KINDS = ("text", "int", "float", "bool", "list", "json")
"""Column kinds: list is a list of texts; json is JSON text (for nested values, whose shape may differ by row)."""


def write_parquet(
    path: str | Path,
    rows: Iterable[Mapping[str, Any]],
    columns: Mapping[str, str] | None = None,
    batch: int = 1000,
) -> int:
    """Writes the rows (zstd, `batch` rows per group) and returns how many.

    columns: {name: kind}, in order; None takes names and kinds from the first batch: all-empty columns become text,
    lists of texts become lists, other nested values JSON text. A row with another column, or a value that does not
    fit its column, raises ValueError with the row's number from 1. No rows and no columns: a file without columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    source = iter(rows)
    first = list(islice(source, batch))
    kinds = dict(columns) if columns is not None else infer_columns(first)
    types = {"text": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}
    types |= {"list": pa.list_(pa.string()), "json": pa.string()}
    schema = pa.schema([(name, types[kind]) for name, kind in kinds.items()])
    written = 0
    repeated = [name for name, kind in kinds.items() if kind == "text"]  # a dictionary does not help other columns
    with pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=repeated) as writer:
        for group in _split_batches(first, source, batch):
            data = {name: _build_column(group, name, kind, written) for name, kind in kinds.items()}
            _refuse_unknown_columns(group, kinds, written)
            writer.write_table(pa.table(data, schema=schema))
            written += len(group)
    return written


def _split_batches(
    first: list[Mapping[str, Any]], source: Iterator[Mapping[str, Any]], batch: int
) -> Iterator[list[Mapping[str, Any]]]:
    group = first
    while group:
        yield group
        group = list(islice(source, batch))


def infer_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Names and kinds of the columns of some rows, in order of appearance."""
    kinds_by_name: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items():
            kinds_by_name.setdefault(name, set()).update(() if value is None else (_value_kind(value),))
    return {name: _common_kind(kinds) for name, kinds in kinds_by_name.items()}


def _value_kind(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "list"
    kinds = {bool: "bool", int: "int", float: "float", str: "text"}
    return kinds.get(type(value), "json")


def _common_kind(kinds: set[str]) -> str:
    if not kinds:
        return "text"
    if kinds == {"int", "float"}:
        return "float"
    return kinds.pop() if len(kinds) == 1 else "json"


def _build_column(rows: list[Mapping[str, Any]], name: str, kind: str, rows_before: int) -> list[Any]:
    values = [row.get(name) for row in rows]
    if set(map(type, values)) <= _AS_IS.get(kind, set()):  # most columns need no check or conversion per cell
        return values
    return [_convert_cell(value, name, kind, rows_before + number) for number, value in enumerate(values, 1)]


_AS_IS: dict[str, set[type]] = {
    "text": {str, type(None)},
    "int": {int, type(None)},
    "float": {float, type(None)},
    "bool": {bool, type(None)},
    "json": {EncodedJSON, type(None)},
}
_FITS: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "list": (list,),
}


def _convert_cell(value: Any, name: str, kind: str, number: int) -> Any:
    if value is None:
        return None
    if kind == "json":
        return value if type(value) is EncodedJSON else encode_json(value)
    fits = isinstance(value, _FITS[kind]) and (kind == "bool" or not isinstance(value, bool))
    if not fits or (kind == "list" and not all(isinstance(item, str) for item in value)):
        raise ValueError(f"row {number}, column {name}: {value!r:.60} does not fit a column of kind {kind}")
    return float(value) if kind == "float" else value


def _refuse_unknown_columns(rows: list[Mapping[str, Any]], kinds: Mapping[str, str], rows_before: int) -> None:
    known = kinds.keys()
    for number, row in enumerate(rows, rows_before + 1):
        if not row.keys() <= known:
            others = sorted(row.keys() - known)
            raise ValueError(f"row {number}: column {others[0]} is not among the file's columns")

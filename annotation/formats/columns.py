"""The columns and first rows of a file of rows, to find a mapping that fits them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from annotation.formats.csvfile import read_header
from annotation.formats.faults import Fault
from annotation.formats.reading import InputFile, UnreadableFile, input_file
from annotation.formats.rows import ROW_KINDS, read_rows

MAX_EXAMINED = 20
FORMATS_WITH_COLUMNS = tuple(ROW_KINDS)


@dataclass(frozen=True, slots=True)
class TableHead:
    """columns: in the order of the file. rows: the first MAX_EXAMINED without faults; faults: those of the others."""

    columns: list[str]
    rows: list[dict[str, Any]]
    faults: list[Fault]


def read_table_head(file: InputFile, kind: str) -> TableHead:
    """The columns and first rows of a file of one of FORMATS_WITH_COLUMNS. Raises UnreadableFile."""
    rows = list(islice(read_rows(file, kind), MAX_EXAMINED))
    values = [row.values for row in rows if not isinstance(row, Fault)]
    header = read_header(file) if kind == "csv" else []
    columns = list(dict.fromkeys([*header, *(column for row in values for column in row)]))
    return TableHead(columns, values, [row for row in rows if isinstance(row, Fault)])


def read_column_names(path: Path, name: str, kind: str) -> frozenset[str]:
    """The names in a table's header, or the keys of the first rows; none for a file that cannot be read."""
    if kind not in FORMATS_WITH_COLUMNS:
        return frozenset()
    file = input_file(path, name)
    try:
        if kind == "csv":
            return frozenset(read_header(file))
        rows = islice(read_rows(file, kind), MAX_EXAMINED)
        return frozenset(key for row in rows if not isinstance(row, Fault) for key in row.values)
    except UnreadableFile:
        return frozenset()


def parse_mapping(texts: Sequence[str]) -> dict[str, str]:
    """{our field: column} from texts such as `text=body,title=headline`. Raises ValueError naming the wrong pair."""
    mapping = {}
    for pair in (pair for text in texts for pair in _split_pairs(text)):
        field, equals, column = pair.partition("=")
        if not equals or not field or not column:
            raise ValueError(f"{pair[:60]!r} is not FIELD=COLUMN")
        mapping[field] = column
    return mapping


def _split_pairs(text: str) -> list[str]:
    """`text=body,title=headline` as two pairs; a comma inside a column name stays."""
    return re.split(r",(?=[a-z_]+(?::\w+)?=)", text)

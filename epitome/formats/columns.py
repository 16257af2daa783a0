"""The columns and first rows of a file of rows, to find a mapping that fits them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from epitome.formats.faults import Fault
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.registry import FORMATS, has_columns

MAX_EXAMINED = 20


@dataclass(frozen=True, slots=True)
class TableHead:
    """columns: in the order of the file. rows: the first MAX_EXAMINED without faults; faults: those of the others."""

    columns: list[str]
    rows: list[dict[str, Any]]
    faults: list[Fault]


def read_table_head(file: InputFile, kind: str) -> TableHead:
    """The columns and first rows of a file of a format with columns. Raises UnreadableFile."""
    known = FORMATS[kind]
    rows = list(islice(known.read_rows(file), MAX_EXAMINED))
    values = [row.values for row in rows if not isinstance(row, Fault)]
    header = known.header(file) if known.header is not None else []
    columns = list(dict.fromkeys([*header, *(column for row in values for column in row)]))
    return TableHead(columns, values, [row for row in rows if isinstance(row, Fault)])


def read_column_names(file: InputFile, kind: str) -> frozenset[str]:
    """The names in a table's header, or the keys of the first rows; none for a file that cannot be read."""
    if not has_columns(kind):
        return frozenset()
    known = FORMATS[kind]
    try:
        if known.header is not None:
            return frozenset(known.header(file))
        rows = islice(known.read_rows(file), MAX_EXAMINED)
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
    return re.split(r",(?=[a-z_]+(?::[^,=:]+)*=)", text)

"""The column names of a file of rows, to find a mapping that fits them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from annotation.formats.csvfile import read_header
from annotation.formats.faults import Fault
from annotation.formats.reading import UnreadableFile, input_file
from annotation.formats.rows import ROW_KINDS, read_rows

MAX_EXAMINED = 20
FORMATS_WITH_COLUMNS = tuple(ROW_KINDS)


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

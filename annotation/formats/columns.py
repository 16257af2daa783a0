"""The column names of a file of JSON lines or of a table, to find a mapping that fits them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from annotation.formats.csvfile import read_header
from annotation.formats.elements import read_entries
from annotation.formats.faults import Fault
from annotation.formats.reading import UnreadableFile, input_file

MAX_EXAMINED = 20
FORMATS_WITH_COLUMNS = ("jsonl", "csv")


def read_column_names(path: Path, name: str, kind: str) -> frozenset[str]:
    """The names in a table's header, or the keys of the first JSON lines; none for a file that cannot be read."""
    if kind not in FORMATS_WITH_COLUMNS:
        return frozenset()
    file = input_file(path, name)
    try:
        if kind == "csv":
            return frozenset(read_header(file))
        entries = islice(read_entries(file), MAX_EXAMINED)
        return frozenset(key for entry in entries if not isinstance(entry, Fault) for key in entry[1])
    except UnreadableFile:
        return frozenset()

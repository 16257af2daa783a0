"""Tables with different columns in one zip file: each is matched by itself, so that all have the same names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from epitome.formats.faults import Fault
from epitome.formats.guess import guess_columns
from epitome.formats.rows import Row, Rows

MAX_EXAMINED = 20
FIELDS = ("id", "title", "text", "segments", "summary", "split")
"""What is renamed; further columns keep their names."""


def read_columns(rows: Rows) -> frozenset[str]:
    """The columns of the first rows of a table."""
    head = islice(rows, MAX_EXAMINED)
    return frozenset(name for row in head if isinstance(row, Row) for name in row.values)


def name_columns(rows: Rows, stem: str) -> Rows:
    """The rows with our names for the id, the text, the summary ...; a table without a text stays as it is.

    stem: the begin of ids that are made of the numbers of the rows, where no column has any.
    """
    head = list(islice(rows, MAX_EXAMINED))
    values = [row.values for row in head if isinstance(row, Row)]
    columns = list(dict.fromkeys(name for row in values for name in row))
    mapping = guess_columns(values, columns).mapping
    if not {"text", "segments"} & mapping.keys():
        yield from chain(head, rows)
        return
    names = {mapping[field]: field for field in FIELDS if field in mapping and field not in columns}
    for number, row in enumerate(chain(head, rows), 1):
        if isinstance(row, Fault):
            yield row
        else:
            made_id = {} if "id" in mapping else {"id": f"{stem}-{number}"}
            yield replace(row, values=made_id | _rename(row.values, names))


def _rename(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in values.items()}

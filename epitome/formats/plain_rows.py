"""Tables of texts, summaries and outputs of a system in which nothing is requested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epitome.formats.cell_values import parse_cell
from epitome.formats.column_names import OUTPUT_NAMES, find_by_name, fold_column, texts_of
from epitome.formats.columns import read_table_head
from epitome.formats.faults import Fault, FieldFault
from epitome.formats.guess import asks_for_speakers, build_attribute_tests, guess_columns
from epitome.formats.options import PIECES, SEVERAL
from epitome.formats.reading import InputFile
from epitome.formats.registry import FORMATS, detect_format, has_columns
from epitome.formats.row_references import ATTRIBUTE
from epitome.formats.rows import Row
from epitome.formats.sample_files import SampleFault, SampleFileOptions
from epitome.schema import load_preset

FIELDS = ("id", "text", "summary", "prediction")
"""What --map may name of a table in which nothing is requested."""


@dataclass(frozen=True, slots=True)
class PlainColumns:
    """mapping: {field of FIELDS: column}. summary_lists: what a list in a cell of summaries is. requests: columns that
    could be read as requests under a preset, which nobody named; unread: the others that are not read."""

    kind: str
    mapping: Mapping[str, str]
    summary_lists: str = SEVERAL
    requests: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainRow:
    """One summary, or one output and the summary it is compared with. lines: of the source, () where the table has
    none. cluster: rows of one source share it. prediction: None where the table has no column of outputs."""

    cluster: str
    lines: tuple[str, ...]
    summary: str
    prediction: str | None
    row: Row


def find_plain_columns(file: InputFile, options: SampleFileOptions) -> PlainColumns | None:
    """The columns of a table in which nothing is requested; None for any other file.

    Nothing is requested where no preset is named, or no column is read as an attribute of the preset. Raises
    SampleFault (the first row cannot be read; a mapping names a field or column that is none), UnreadableFile.
    """
    kind = options.format if options.format != "auto" else detect_format(file, options.mapping)
    if not has_columns(kind) or FORMATS[kind].is_single_text or options.text_from is not None:
        return None
    if options.mapping and any(name.startswith(ATTRIBUTE) for name in options.mapping):
        return None
    head = read_table_head(file, kind)
    if head.faults and not head.rows:
        raise SampleFault(head.faults[0])
    schema = options.schema or load_preset("macsum-doc")
    tests = build_attribute_tests(schema)
    guess = guess_columns(head.rows, head.columns, tests, needs_speakers=asks_for_speakers(schema))
    requests = tuple(column for name, column in guess.mapping.items() if name.startswith(ATTRIBUTE))
    if requests and options.schema is not None and options.mapping is None:
        return None
    if options.mapping is not None:
        mapping, requests = _check_mapping(file, options.mapping, head.columns), ()
    else:
        mapping = _choose_columns(guess.mapping, head.rows, head.columns)
    unread = tuple(name for name in head.columns if name not in (*mapping.values(), *requests))
    return PlainColumns(kind, mapping, guess.summary_lists, requests, unread)


def _check_mapping(file: InputFile, mapping: Mapping[str, str], columns: Sequence[str]) -> Mapping[str, str]:
    for name, column in mapping.items():
        if name not in FIELDS:
            message = f"column mapping: {name[:40]!r} is none of {', '.join(FIELDS)}, attribute:KEY"
            raise SampleFault(file.fault(message, code="mapping", fatal=True))
        if column not in columns:
            message = f"column mapping: there is no column {column[:40]!r}; there are {', '.join(columns[:12])}"
            raise SampleFault(file.fault(message, line=1, code="mapping", fatal=True))
    return mapping


def _choose_columns(
    guessed: Mapping[str, str], rows: Sequence[Mapping[str, Any]], columns: Sequence[str]
) -> dict[str, str]:
    """Outputs and summaries by their names first: without a column of texts the guess takes one of them for it."""
    chosen = {name: guessed[name] for name in ("id", "summary") if name in guessed}
    outputs = [name for name in columns if fold_column(name) in OUTPUT_NAMES]
    if outputs:
        chosen["prediction"] = outputs[0]
    values = {name: [row[name] for row in rows if row.get(name) not in (None, "")] for name in columns}
    if "summary" not in chosen and (called := find_by_name("summary", columns, values, set(outputs))):
        chosen["summary"] = called[0]
    text = guessed.get("segments") or guessed.get("text")
    if text is not None and text not in chosen.values():
        chosen["text"] = text
    return chosen


def read_plain_rows(file: InputFile, columns: PlainColumns) -> Iterator[PlainRow]:
    """Every summary of the table with its source and output, in file order; rows without a summary and an output are
    left out. Raises SampleFault: a row that cannot be read, no column of summaries or outputs."""
    mapping = columns.mapping
    if not {"summary", "prediction"} & mapping.keys():
        seen = ", ".join(read_table_head(file, columns.kind).columns[:12])
        message = f"has no column that is read as the summary: {seen}; name it with --map summary=COLUMN"
        raise SampleFault(file.fault(message, line=1, code="header", fatal=True))
    clusters: dict[tuple[str, ...], str] = {}
    for number, row in enumerate(FORMATS[columns.kind].read_rows(file)):
        if isinstance(row, Fault):
            raise SampleFault(row)
        lines = tuple(_list_lines(row.values.get(mapping.get("text", ""))))
        key = str(row.values.get(mapping.get("id", "")) or "")
        cluster = clusters.setdefault(lines, key or f"row {number}") if lines else key or f"row {number}"
        prediction = _read_text(row, mapping["prediction"]) if "prediction" in mapping else None
        summaries = texts_of(parse_cell(row.values.get(mapping.get("summary", ""))))
        if columns.summary_lists == PIECES:
            summaries = ["\n".join(summaries)]
        for summary in summaries or [""]:
            if summary.strip() or prediction:
                yield PlainRow(cluster, lines, summary, prediction, row)


def _list_lines(cell: Any) -> list[str]:
    """The lines of a source: a text, a list of texts, or turns."""
    value = parse_cell(cell)
    if isinstance(value, list) and all(isinstance(turn, dict) for turn in value):
        return [" : ".join(text for text in turn.values() if isinstance(text, str)) for turn in value]
    return [line for text in texts_of(value) for line in text.splitlines() if line.strip()]


def _read_text(row: Row, column: str) -> str:
    value = row.values.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SampleFault(row.spot.fault(FieldFault((column,), "is not a text", value, "type")))
    return value

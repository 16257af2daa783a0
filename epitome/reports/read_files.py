"""Reads the files of a report of numbers: what commands printed, exports of rounds, judgements, tables of texts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from epitome.agreement.judgements_file import BadJudgements, read_judgements
from epitome.agreement.report import make_report as make_agreement_report
from epitome.check.report_file import FORMAT, BadReport, Number, read_report
from epitome.figures.tables import Cell, Column, Table
from epitome.formats.columns import read_column_names, read_table_head
from epitome.formats.faults import Fault
from epitome.formats.plain_rows import find_plain_columns
from epitome.formats.reading import InputFile, UnreadableFile, input_file
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.sample_files import SampleFault, SampleFileOptions
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.macsum_samples import BadInput, read_macsum_file
from epitome.metrics.plain import measure_plain, read_plain_table
from epitome.metrics.plain_text import plain_json
from epitome.metrics.report import Options, load_tagger, make_report
from epitome.metrics.report_json import report_json
from epitome.reports.file_sections import Section, build_section, tables_of_object

JUDGED = frozenset({"item_id", "rater", "answer"})
ROW_KEYS = frozenset({"references", "task", "text", "document", "article", "source", "summary", "prediction"})
"""One of these is in a single row of samples or texts."""
MOST_ROWS = 500
"""Rows of a table that is shown as it is."""
KNOWN = (
    "a file of samples or texts, judgements, a round's file for checking, what a command printed with --json, or a "
    "table of numbers"
)


class NoReport(ValueError):
    """A file that no report can be made of; the message names the file and the place."""


def read_sections(path: Path, options: SampleFileOptions, language: str = "") -> Section:
    """The section of one file. Raises NoReport."""
    try:
        file = input_file(path)
        head = file.head(65_536)
        if FORMAT.encode() in head.partition(b"\n")[0]:
            return _read_check_file(path)
        if (data := _read_object(path, head)) is not None:
            tables = tables_of_object(data)
            if tables:
                return build_section(path.name, tables)
            if not (ROW_KEYS & data.keys() or data.keys() >= JUDGED):
                raise NoReport(f"{path.name}: is none of: {KNOWN}")
        return _read_rows(file, options, language)
    except (UnreadableFile, SampleFault, BadInput, BadReport, BadJudgements) as error:
        raise NoReport(str(error)) from error


def _read_object(path: Path, head: bytes) -> Mapping[str, Any] | None:
    """The one JSON object that a file holds; None where it holds anything else."""
    if not head.lstrip().startswith(b"{"):
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _read_rows(file: InputFile, options: SampleFileOptions, language: str) -> Section:
    kind = detect_format(file, options.mapping)
    if kind in FORMATS and FORMATS[kind].is_single_text:
        raise NoReport(f"{file.name}: is none of: {KNOWN}")
    columns = read_column_names(file, kind)
    if columns >= JUDGED:
        return _measure_agreement(file, kind)
    if (plain := find_plain_columns(file, options)) is not None:
        if not {"summary", "prediction"} & plain.mapping.keys():
            return build_section(file.name, [_show_table(file, kind)])
        table = read_plain_table(file, plain, language)
        data = plain_json(measure_plain(table, Options()), intervals=True)
        notes = [f"{name}: {why}." for name, why in data.get("undefined", {}).items()]
        return build_section(file.name, tables_of_object(data), notes)
    samples = read_macsum_file(file, options)
    report = make_report(samples, tagger=load_tagger(samples))
    return build_section(file.name, tables_of_object(report_json(report, intervals=True)))


def _measure_agreement(file: InputFile, kind: str) -> Section:
    with tempfile.TemporaryDirectory() as folder:
        judgements = read_judgements(file if kind == "jsonl" else _as_lines(file, kind, Path(folder)))
    report = make_agreement_report(judgements, replicates=DEFAULT_REPLICATES, seed=DEFAULT_SEED)
    return build_section(file.name, tables_of_object(report.as_dict()))


def _as_lines(file: InputFile, kind: str, folder: Path) -> InputFile:
    """A table of judgements as JSON lines in a folder."""
    lines = folder / "judgements.jsonl"
    rows = [{"question": "answer", **row} for row in _list_rows(file, kind)]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return input_file(lines, file.name)


def _list_rows(file: InputFile, kind: str) -> Iterator[Mapping[str, Any]]:
    for row in FORMATS[kind].read_rows(file):
        if isinstance(row, Fault):
            raise SampleFault(row)
        yield row.values


def _show_table(file: InputFile, kind: str) -> Table:
    """A table as it is: numbers as numbers, everything else as text."""
    names = read_table_head(file, kind).columns
    rows = list(_list_rows(file, kind))
    if not rows:
        raise NoReport(f"{file.name}: holds no rows")
    numbers = {name for name in names if all(_as_number(row.get(name)) is not None for row in rows if row.get(name))}
    cells = [[_show_cell(row.get(name), name in numbers) for name in names] for row in rows[:MOST_ROWS]]
    columns = [Column(name, kind="number" if name in numbers else "text", digits=3) for name in names]
    notes = [f"The first {MOST_ROWS} of {len(rows)} rows."] if len(rows) > MOST_ROWS else []
    return Table("table", file.name, columns, cells, notes=notes)


def _as_number(value: object) -> float | int | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    try:
        number = float(str(value))
    except ValueError:
        return None
    return (int(number) if number.is_integer() and "." not in str(value) else number) if abs(number) < 1e15 else None


def _show_cell(value: object, is_number: bool) -> Cell:
    if value is None or value == "":
        return Cell(undefined="empty")
    return Cell(_as_number(value) if is_number else str(value)[:300])


def _read_check_file(path: Path) -> Section:
    """The printed tables of a round's report, from its file for checking."""
    report = read_report(path)
    by_table: dict[str, list[Number]] = {}
    for number in report.numbers:
        by_table.setdefault(number.table, []).append(number)
    tables = [_rebuild_table(key, numbers) for key, numbers in by_table.items()]
    title = str(report.head.get("round") or report.head.get("title") or path.name)
    return build_section(title, tables, [f"Read from {path.name}; epitome check computes its numbers again."])


def _rebuild_table(key: str, numbers: Sequence[Number]) -> Table:
    names = list(dict.fromkeys(number.column for number in numbers))
    rows: dict[tuple[str, ...], dict[str, Number]] = {}
    for number in numbers:
        rows.setdefault(number.row, {})[number.column] = number
    columns = [Column("", kind="text"), *(Column(name, digits=3, interval=True, count=True) for name in names)]
    cells = [
        [Cell(", ".join(filter(None, row)) or "all"), *(_number_cell(by_column.get(name)) for name in names)]
        for row, by_column in rows.items()
    ]
    return Table(f"check-{key}", key.replace("-", " ").capitalize(), columns, cells)


def _number_cell(number: Number | None) -> Cell:
    if number is None or number.value is None:
        return Cell(undefined=(number.reason if number else "") or "no number")
    return Cell(number.value, low=number.low, high=number.high, n=number.n)

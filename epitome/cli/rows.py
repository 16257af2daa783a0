"""Rows from JSON Lines, CSV or a table of another kind, by the end of the file's name."""

import csv
from pathlib import Path
from typing import Any

from epitome.cli.faults import CommandFault
from epitome.formats.faults import Fault
from epitome.formats.reading import input_file, read_lines
from epitome.formats.strictjson import BadJson, parse_strict_json

OTHER_TABLES = (".xlsx", ".xlsm", ".parquet", ".tsv")


def is_table(path: str) -> bool:
    """Whether a file is a table of cells by its name, and not JSON lines."""
    return path.lower().endswith((".csv", *OTHER_TABLES))


def read_rows(path: str) -> list[dict[str, Any]]:
    """One mapping per line. In tables a cell that is JSON (a number, a list) is read as such, an empty one is absent.

    Raises CommandFault with file and line, UnreadableFile.
    """
    if path.lower().endswith(OTHER_TABLES):
        rows = _read_other_table(path)
    else:
        rows = _read_csv(path) if is_table(path) else _read_json_lines(path)
    if not rows:
        raise CommandFault(f"{Path(path).name}: holds no rows")
    return rows


def _read_json_lines(path: str) -> list[dict[str, Any]]:
    file = input_file(path)
    rows = []
    for line in read_lines(file):
        if isinstance(line, Fault):
            raise CommandFault(str(line))
        number, raw = line
        try:
            row = parse_strict_json(raw)
        except BadJson as error:
            raise CommandFault(f"{file.name}, line {number}: {error}") from error
        if not isinstance(row, dict):
            raise CommandFault(f"{file.name}, line {number}: is not an object {{...}}")
        rows.append(row)
    return rows


def _read_csv(path: str) -> list[dict[str, Any]]:
    name = Path(path).name
    input_file(path).head(1)  # UnreadableFile where it is absent or in another encoding
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            rows = [_read_cells(name, reader.line_num, row) for row in reader]
    except UnicodeDecodeError as error:
        raise CommandFault(f"{name}: is not UTF-8") from error
    except csv.Error as error:
        raise CommandFault(f"{name}: is no CSV: {error}") from error
    return rows


def _read_other_table(path: str) -> list[dict[str, Any]]:
    from epitome.formats.registry import FORMATS, detect_format

    file = input_file(path)
    rows = []
    for row in FORMATS[detect_format(file)].read_rows(file):
        if isinstance(row, Fault):
            raise CommandFault(str(row))
        filled = {key: value for key, value in row.values.items() if value not in (None, "")}
        rows.append({key: _read_cell(value) if isinstance(value, str) else value for key, value in filled.items()})
    return rows


def _read_cells(name: str, line: int, row: dict[str | None, Any]) -> dict[str, Any]:
    if None in row or None in row.values():
        raise CommandFault(f"{name}, line {line}: has other columns than the header")
    return {str(key): _read_cell(str(cell)) for key, cell in row.items() if str(cell).strip()}


def _read_cell(cell: str) -> Any:
    try:
        return parse_strict_json(cell.encode())
    except BadJson:
        return cell

"""Small files and what readers make of them."""

import json
from pathlib import Path
from typing import Any

from epitome.formats.faults import Fault
from epitome.formats.options import ImportOptions
from epitome.formats.reading import input_file
from epitome.formats.records import SourceRecord, Unit
from epitome.formats.sources import read_sources


def write(folder: Path, content: bytes | str, name: str = "in.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def read(folder: Path, content: bytes | str, name: str = "in.jsonl", **options: Any) -> list[Unit]:
    return list(read_sources(input_file(write(folder, content, name)), ImportOptions(**options)))


def only_fault(items: list[Unit]) -> Fault:
    """The one fault among the items; its line is fit to print."""
    results = [item for item in items if isinstance(item, Fault)]
    assert len(results) == 1, items
    line = str(results[0])
    assert len(line) <= 500
    assert line.isprintable()
    assert results[0].file in line
    return results[0]


def records(items: list[Unit]) -> list[SourceRecord]:
    results = [item for item in items if isinstance(item, SourceRecord)]
    assert len(results) == len(items), [str(item) for item in items if not isinstance(item, SourceRecord)]
    return [record.cut() for record in results]


def text_of(record: SourceRecord) -> str:
    from epitome.text.sentences import join_segments

    return join_segments(record.cut().segments)  # type: ignore[arg-type]

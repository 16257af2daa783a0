"""Small files and what readers make of them."""

import json
from pathlib import Path
from typing import Any

from annotation.formats.detect import Item, ReadOptions, read_sources
from annotation.formats.faults import Fault
from annotation.formats.records import SourceRecord


def write(folder: Path, content: bytes | str, name: str = "in.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(*values: Any) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def read(folder: Path, content: bytes | str, name: str = "in.jsonl", **options: Any) -> list[Item]:
    return list(read_sources(write(folder, content, name), ReadOptions(**options)))


def only_fault(items: list[Item]) -> Fault:
    """The one fault among the items; its line is fit to print."""
    found = [item for item in items if isinstance(item, Fault)]
    assert len(found) == 1, items
    line = str(found[0])
    assert len(line) <= 500
    assert line.isprintable()
    assert found[0].file in line
    return found[0]


def records(items: list[Item]) -> list[SourceRecord]:
    found = [item for item in items if isinstance(item, SourceRecord)]
    assert len(found) == len(items), [str(item) for item in items if not isinstance(item, SourceRecord)]
    return found


def text_of(record: SourceRecord) -> str:
    from annotation.text.sentences import join_segments

    return join_segments(record.segments)  # type: ignore[arg-type]

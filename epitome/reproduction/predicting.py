"""The outputs of a system for one split, in a file that grows: a killed run resumes after its last whole part."""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from epitome.systems.batching import Batcher, Failure, SampleFault, places_by_length
from epitome.systems.config import parse_config
from epitome.systems.protocol import Output, Request
from epitome.systems.registry import make_system
from epitome.training.folders import read_json, write_json

PART = 64
"""Requests that are asked together and written at once, so that a resumed run asks in the same batches."""
Rows = list[dict[str, Any]]


def predict_split(
    system_text: str, requests: Sequence[Request], path: Path, advance: Callable[[int], None] = lambda n: None
) -> Rows:
    """One row per request, in their order: {"sample_id", "prediction"}, of a ranker also "candidates".

    Rows of the same system and requests that the file has are kept. Raises SystemFault (SampleFault names the sample).
    """
    order = places_by_length(requests)
    rows = _kept_rows(path, _identity(system_text, requests), [requests[index].id for index in order])
    advance(len(rows))
    if len(rows) < len(order):
        batcher = Batcher(make_system(parse_config(system_text, "system.toml")))
        with path.open("a", encoding="utf-8") as stream:
            while len(rows) < len(order):
                requests_part = [requests[index] for index in order[len(rows) : len(rows) + PART]]
                written = [_row_of(*pair) for pair in zip(requests_part, batcher.run(requests_part), strict=True)]
                stream.write("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in written))
                stream.flush()
                os.fsync(stream.fileno())
                rows += written
                advance(len(written))
    by_place = dict(zip(order, rows, strict=True))
    return [by_place[index] for index in range(len(requests))]


def _row_of(request: Request, result: Output | Failure) -> dict[str, Any]:
    if isinstance(result, Failure):
        raise SampleFault(f"{request.id}: {result.reason}")
    row: dict[str, Any] = {"sample_id": request.id, "prediction": result.text}
    if result.candidates:
        row["candidates"] = [[text, score] for text, score in result.candidates]
    return row


def _identity(system_text: str, requests: Sequence[Request]) -> str:
    digest = hashlib.sha256(system_text.encode())
    for request in requests:
        digest.update(repr((request.id, request.segments, sorted(request.values.items()), request.candidates)).encode())
    return digest.hexdigest()


def _kept_rows(path: Path, identity: str, names: Sequence[str]) -> Rows:
    """The rows of whole parts that are already there; the file holds nothing else afterwards."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = path.with_suffix(".about.json")
    rows = _read_rows(path) if read_json(about).get("of") == identity else []
    count = 0
    while count < len(rows) and rows[count]["sample_id"] == names[count]:
        count += 1
    rows = rows[: count if count == len(names) else count - count % PART]
    temporary = path.with_name(f"{path.name}.part")
    temporary.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    temporary.replace(path)
    write_json(about, {"of": identity})
    return rows


def _read_rows(path: Path) -> Rows:
    """The rows up to the first line that was cut short."""
    rows: Rows = []
    if path.is_file():
        for line in path.read_text(encoding="utf-8").split("\n"):
            try:
                rows.append(json.loads(line))
            except ValueError:
                break
    return rows

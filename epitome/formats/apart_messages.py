"""What a process that reads files apart is asked and answers, as JSON: a file that takes it over can say something
wrong, but run nothing where the answer is read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from epitome.formats.answers import Answer as PersonsAnswer
from epitome.formats.columns import TableHead
from epitome.formats.encodings import TextEncoding
from epitome.formats.faults import Fault, LeftOut
from epitome.formats.notes import Note
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import Outlook
from epitome.formats.reading import InputFile
from epitome.formats.records import ReferenceRecord, SourceRecord, Unit
from epitome.schema import parse_schema

HEAD, OUTLOOK, UNITS, JOINED_UNITS = "head", "outlook", "units", "joined units"
"""What is read: format, columns and first rows; what the first rows would become; all units, as they are or joined."""


class FileHead(NamedTuple):
    """kind: the name of the format. table: columns and first rows, of a format with columns."""

    kind: str
    table: TableHead | None


@dataclass(frozen=True, slots=True)
class Request:
    """What is read of a file, and within which limits. asks: HEAD, OUTLOOK, UNITS or JOINED_UNITS. kind: the format, or
    `auto`. schema: that of the options, as TOML; "" for none. memory: bytes of address space. seconds: of processor
    time. mark: what no file can foresee."""

    asks: str
    file: InputFile
    kind: str
    options: ImportOptions
    schema: str
    memory: int
    seconds: int
    mark: str = field(default_factory=lambda: token_hex(16))

    def as_json(self) -> bytes:
        """For another process, in whatever folder that runs."""
        return _dump(replace(self, file=_shareable(self.file), options=replace(self.options, schema=None)))

    @classmethod
    def of_json(cls, text: bytes) -> Request:
        values = json.loads(text)
        schema = parse_schema(values["schema"], needs_attributes=False) if values["schema"] else None
        options = ImportOptions(**values.pop("options") | {"schema": schema})
        return cls(file=_build_file(values.pop("file")), options=options, **values)


@dataclass(frozen=True, slots=True)
class Answer:
    """fault: why the file cannot be read. refusal: why the options cannot be used. encoding: of the file, as found.
    units: the next ones, of which more answers follow unless is_last. repeats: where a row is about the source of an
    earlier one. progress: bytes read, and of how many. notes: of the reader, in the last answer."""

    encoding: TextEncoding = field(default_factory=TextEncoding)
    head: FileHead | None = None
    outlook: Outlook | None = None
    fault: Fault | None = None
    refusal: str = ""
    units: list[Unit] = field(default_factory=list)
    is_last: bool = True
    repeats: str = ""
    progress: tuple[int, int] = (0, 0)
    notes: list[Note] = field(default_factory=list)

    def as_json(self, mark: str) -> bytes:
        """Answers of people in cells stand under `mark`, so that they are told from objects of the file."""
        units = [(type(unit).__name__, unit) for unit in self.units]
        return _dump({**_by_name(self), "units": units}, mark)

    @classmethod
    def of_json(cls, text: bytes, mark: str) -> Answer:
        values = json.loads(text, object_hook=lambda found: _build_answer(found[mark]) if mark in found else found)
        n_read, total = values["progress"]
        return cls(
            encoding=TextEncoding(**values["encoding"]),
            head=_build_head(*values["head"]) if values["head"] else None,
            outlook=_build_outlook(values["outlook"]) if values["outlook"] else None,
            fault=Fault(**values["fault"]) if values["fault"] else None,
            refusal=values["refusal"],
            units=[_build_unit(name, unit) for name, unit in values["units"]],
            is_last=values["is_last"],
            repeats=values["repeats"],
            progress=(n_read, total),
            notes=[Note(**note) for note in values["notes"]],
        )


def _dump(message: object, mark: str = "") -> bytes:
    return json.dumps(message, default=partial(_as_json, mark)).encode()


@cache
def _names_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _by_name(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in _names_of(value.__class__)}


def _as_json(mark: str, value: object) -> object:
    if is_dataclass(value):
        return {mark: _by_name(value)} if isinstance(value, PersonsAnswer) else _by_name(value)
    return dict(value) if isinstance(value, Mapping) else str(value)  # a path


def _shareable(file: InputFile) -> InputFile:
    texts = _shareable(file.texts) if file.texts is not None else None
    return InputFile(file.path.absolute(), file.name, None, texts, file.true_name, encoding=file.encoding)


def _build_answer(values: dict[str, Any]) -> PersonsAnswer:
    return PersonsAnswer(**values | {"relevant_segments": tuple(values["relevant_segments"])})


def _build_file(values: dict[str, Any]) -> InputFile:
    texts = _build_file(values["texts"]) if values["texts"] else None
    encoding = TextEncoding(**values["encoding"])
    return InputFile(Path(values["path"]), values["name"], None, texts, values["true_name"], encoding=encoding)


def _build_head(kind: str, table: dict[str, Any] | None) -> FileHead:
    if table is None:
        return FileHead(kind, None)
    return FileHead(kind, TableHead(**table | {"faults": [Fault(**fault) for fault in table["faults"]]}))


def _build_outlook(values: dict[str, Any]) -> Outlook:
    return Outlook(
        **values
        | {
            "sources": [_build_source(source) for source in values["sources"]],
            "faults": [Fault(**fault) for fault in values["faults"]],
            "left_out": Counter(values["left_out"]),
        }
    )


def _build_source(values: dict[str, Any]) -> SourceRecord:
    references = [ReferenceRecord(**reference) for reference in values["references"]]
    return SourceRecord(**values | {"references": references})


def _build_unit(name: str, values: dict[str, Any]) -> Unit:
    if name == "SourceRecord":
        return _build_source(values)
    return Fault(**values) if name == "Fault" else LeftOut(**values)

"""Reads the beginning of a file in a process of its own: `python -m epitome.formats.apart`, with a Request as JSON on
standard input and an Answer as JSON on standard output. A file that ends, fills or halts its reader harms nobody else.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple

from epitome.formats.answers import Answer as PersonsAnswer
from epitome.formats.columns import TableHead, read_table_head
from epitome.formats.encodings import TextEncoding
from epitome.formats.faults import Fault
from epitome.formats.options import ImportOptions
from epitome.formats.outlook import Outlook, look_ahead
from epitome.formats.reading import GZIP, FilePart, InputFile, UnreadableFile
from epitome.formats.records import ReferenceRecord, SourceRecord
from epitome.formats.registry import FORMATS, detect_format, has_columns
from epitome.formats.sources import with_texts
from epitome.schema import parse_schema


class FileHead(NamedTuple):
    """kind: the name of the format. table: columns and first rows, of a format with columns."""

    kind: str
    table: TableHead | None


@dataclass(frozen=True, slots=True)
class Request:
    """What is read of a file, and within which limits. kind: the format, or `auto`. schema: that of the options, as
    TOML; "" for none. memory: bytes of address space. seconds: of processor time. mark: what no file can foresee."""

    reads_head: bool
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
    """fault: why the file cannot be read. refusal: why the options cannot be used. encoding: of the file, as found."""

    encoding: TextEncoding = field(default_factory=TextEncoding)
    head: FileHead | None = None
    outlook: Outlook | None = None
    fault: Fault | None = None
    refusal: str = ""

    def as_json(self, mark: str) -> bytes:
        """Answers of people in cells stand under `mark`, so that they are told from objects of the file."""
        return _dump(self, mark)

    @classmethod
    def of_json(cls, text: bytes, mark: str) -> Answer:
        values = json.loads(text, object_hook=lambda found: _build_answer(found[mark]) if mark in found else found)
        return cls(
            encoding=TextEncoding(**values["encoding"]),
            head=_build_head(*values["head"]) if values["head"] else None,
            outlook=_build_outlook(values["outlook"]) if values["outlook"] else None,
            fault=Fault(**values["fault"]) if values["fault"] else None,
            refusal=values["refusal"],
        )


def _dump(message: object, mark: str = "") -> bytes:
    return json.dumps(message, default=partial(_as_json, mark)).encode()


def _as_json(mark: str, value: object) -> object:
    if is_dataclass(value):
        by_name = {each.name: getattr(value, each.name) for each in fields(value)}
        return {mark: by_name} if isinstance(value, PersonsAnswer) else by_name
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


def read_head(file: InputFile, kind: str) -> FileHead:
    """Format, columns and first rows. kind: the format, or `auto`. Raises UnreadableFile."""
    name = detect_format(file) if kind == "auto" else kind
    return FileHead(name, read_table_head(file, name) if has_columns(name) else None)


def read_outlook(file: InputFile, kind: str, options: ImportOptions) -> Outlook:
    """What the first rows would become. Raises UnreadableFile, and ValueError for an unusable mapping."""
    return look_ahead(file, kind, with_texts(file, options))


def needs_process(file: InputFile, kind: str) -> bool:
    """Whether a file is opened by code that is not ours: archives, office files, binary tables. Texts of all kinds are
    read line by line, within bounds, where no second process is worth its start. Raises UnreadableFile."""
    packed = (b"PK", GZIP, *(begin for known in FORMATS.values() for begin in known.first_bytes))
    if kind in FORMATS and (FORMATS[kind].first_bytes or FORMATS[kind].member):
        return True
    return any(each.magic().startswith(packed) for each in (file, file.texts) if each is not None)


def answer(request: Request) -> Answer:
    """Read the beginning of the file."""
    file = replace(request.file, part=FilePart())
    try:
        if request.reads_head:
            return Answer(file.encoding, head=read_head(file, request.kind))
        return Answer(file.encoding, outlook=read_outlook(file, request.kind, request.options))
    except UnreadableFile as error:
        return Answer(file.encoding, fault=error.fault)
    except (MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        message = "needs too much memory to be read; split it into smaller files"
        return Answer(file.encoding, fault=file.fault(message, code="too_large", fatal=True))
    except ValueError as error:
        return Answer(file.encoding, refusal=str(error))


def _limit(request: Request) -> None:
    limits = ((resource.RLIMIT_AS, request.memory), (resource.RLIMIT_CPU, request.seconds), (resource.RLIMIT_CORE, 0))
    for kind, limit in limits:
        with contextlib.suppress(ValueError, OSError):  # the machine's own limit is lower, or it has none of this kind
            resource.setrlimit(kind, (limit, limit + 1))  # at the second one the end would be by SIGKILL, as any other


def main() -> None:
    """Answer one request. What a library prints goes to standard error, so that it does not damage the answer."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request = Request.of_json(sys.stdin.buffer.read())
    _limit(request)
    with answers:
        answers.write(answer(request).as_json(request.mark))


if __name__ == "__main__":
    main()

"""Plain JSON lines: {"id": "...", "text": "..."} each, or `segments` instead of `text`; other keys are metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation.formats.elements import not_object_fault
from annotation.formats.faults import Fault, FieldFault, LeftOut
from annotation.formats.fields import RowReader
from annotation.formats.reading import LINE_LIMIT, InputFile, Spot, read_lines
from annotation.formats.records import SourceRecord, split_of_name
from annotation.formats.strictjson import BadJson, parse_strict_json


def read_jsonl(
    file: InputFile,
    split: str | None = None,
    mapping: Mapping[str, str] | None = None,
    line_limit: int = LINE_LIMIT,
    cut: bool = True,
    row_reader: RowReader | None = None,
) -> Iterator[SourceRecord | Fault | LeftOut]:
    """Sources of a JSON lines file; exactly one item per line that is not blank.

    cut: False does not split texts into sentences. Raises UnreadableFile, and ValueError for an unusable mapping.
    """
    row_reader = row_reader or RowReader(mapping, split, split_of_name(file.name), cut)
    for item in read_lines(file, line_limit):
        if isinstance(item, Fault):
            yield item
            continue
        number, raw = item
        try:
            row = parse_strict_json(raw)
            if type(row) is dict:
                yield row_reader.record(row, f"line {number}")
            else:
                yield not_object_fault(Spot(file, number, 1, raw), row)
        except (BadJson, FieldFault) as error:
            yield Spot(file, number, 1, raw).fault(error)

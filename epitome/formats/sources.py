"""Reads the sources of a file of any format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from epitome.formats.faults import Fault, LeftOut
from epitome.formats.options import ImportOptions
from epitome.formats.reading import InputFile, UnreadableFile, empty_file_fault
from epitome.formats.records import SourceRecord, Unit
from epitome.formats.registry import FORMATS, detect_format
from epitome.formats.row_table import RowsRepeat, is_rounded, line_of
from epitome.formats.text_lookup import TextLookup

_MARKUP = re.compile(r"<(?:[?!]|[A-Za-z][\w:-]*(?:\s[^<>]*)?/?>)")


def with_texts(file: InputFile, options: ImportOptions) -> ImportOptions:
    """The options with the texts of the file's rows, where another file has them. Raises UnreadableFile of that."""
    return options if file.texts is None else replace(options, texts=TextLookup(file.texts))


def read_sources(file: InputFile, options: ImportOptions | None = None, *, joins: bool = True) -> Iterator[Unit]:
    """Yields every unit of a file in order: exactly one record, fault or left-out unit for each unit read, so that
    `read` is the number of items.

    An id met twice is a Fault, but rows of one id and text are one source; so is a file that cannot be read. joins:
    whether to join such rows, which reads the file twice; without it the first such row raises RowsRepeat. Raises
    ValueError for an unknown format or an unusable mapping, UnreadableFile for the file with the texts of its rows.
    """
    options = with_texts(file, options or ImportOptions())
    if options.format != "auto" and options.format not in FORMATS:
        raise ValueError(f"format {options.format!r} is not known; use auto or one of {', '.join(FORMATS)}")
    try:
        yield from _read_once(file, options, joins)
    except UnreadableFile as error:
        yield error.fault


def _read_once(file: InputFile, options: ImportOptions, joins: bool) -> Iterator[Unit]:
    """The units of a file, with faults for repeated ids, and without what is too long."""
    name = detect_format(file, options.mapping) if options.format == "auto" else options.format
    known = FORMATS[name]
    has_rows = known.rows is not None and not known.is_single_text
    places: dict[str, str] = {}
    any_read = False
    for unit in known.read_sources(file, options) if joins else known.read_units(file, options):
        any_read = True
        if not isinstance(unit, SourceRecord):
            yield unit
            continue
        key = unit.content_hash if has_rows and options.row_ids else unit.external_id
        if key not in places:
            places[key] = unit.place
            remark_source(file, unit)
            yield _left_out(file, unit, options.max_words or 0) or unit
        elif has_rows and not joins:
            raise RowsRepeat(unit.place)
        else:
            yield _doubled_id_fault(file, unit, places[key])
    if not any_read:
        yield empty_file_fault(file)


def remark_source(file: InputFile, unit: SourceRecord) -> None:
    """Note a source that most likely is no text, and an id that most likely is none."""
    if is_rounded(unit.external_id):
        file.notes.add("the id looks like a number that Excel rounded; format its column as text", unit.place)
    if unit.n_words == 1:
        file.notes.add("the text is one word; is this the column of the texts?", unit.place)
    elif unit.text is not None and unit.text[:1] == "<" and _MARKUP.match(unit.text):
        file.notes.add("the text looks like markup; the tags are stored as words", unit.place)


def _left_out(file: InputFile, unit: SourceRecord, max_words: int) -> LeftOut | None:
    if not 0 < max_words < unit.n_words:
        return None
    reason = f"{unit.n_words:,} words, more than {max_words:,}"
    return LeftOut(f"{file.name}, {unit.place}", reason, unit.external_id, unit.n_words)


def _doubled_id_fault(file: InputFile, unit: SourceRecord, first: str) -> Fault:
    message = f"the id stands twice in the file, first at {first}"
    return file.fault(message, line=line_of(unit.place), field="id", value=unit.external_id, code="doubled_id")

"""The rows of the tables and texts in a zip file. Nothing is unpacked, no member's name is ever opened."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from epitome.formats.archives import ArchiveFault, copy_zip_members
from epitome.formats.faults import Fault, to_printable
from epitome.formats.plain_texts import read_text_row, read_word_row
from epitome.formats.reading import InputFile, LineSpot, UnreadableFile, input_file
from epitome.formats.records import split_of_name
from epitome.formats.rows import Row, Rows, name_texts, stem_of
from epitome.formats.sniff import list_members
from epitome.formats.zip_columns import name_columns, read_columns

ZIP_ENDINGS = (
    ".txt", ".md", ".docx", ".parquet", ".arrow", ".csv", ".tsv", ".jsonl", ".json", ".xlsx",
    ".html", ".htm", ".xhtml", ".vtt", ".srt", ".xmi",
)  # fmt: skip
MAX_ZIP_MEMBER = 500_000_000
MOST_MIXED, LARGEST_MIXED = 50, 20_000_000
"""Tables, and bytes of an archive, up to which their columns are compared."""
TEXT_ENDINGS = (".txt", ".md", ".story")
TABLE_ENDINGS = tuple(ending for ending in ZIP_ENDINGS if ending not in TEXT_ENDINGS)
"""A zip file with one of these is no archive of stories."""
_EMPTY = "the file is empty and passed over"
_IGNORED = ("dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
ReadTable = Callable[[InputFile, str], Rows]
"""Reads the rows of a member, given its file and its name in the archive. Raises UnreadableFile."""


def read_zip_rows(file: InputFile, read_table: ReadTable) -> Rows:
    """The rows of all members; places and faults name the member. A member without a record is passed over."""
    members = list_members(file)
    splits, ids = _find_splits(members), name_texts(filter(_is_text, members))
    try:
        is_mixed = _is_mixed(file, members, read_table)
        for member, path in copy_zip_members(file, ZIP_ENDINGS, MAX_ZIP_MEMBER):
            if member.rsplit("/", 1)[-1] not in _IGNORED:
                inner = replace(_open_member(file, member, path), notes=file.notes)
                if _is_text(member):
                    yield from _read_text(file, inner, ids.get(member, stem_of(member)))
                else:
                    rows = _read_table(file, inner, splits.get(member, ""), read_table)
                    yield from name_columns(rows, stem_of(member)) if is_mixed else rows
                file.encoding.join(inner.encoding)
    except ArchiveFault as error:
        yield file.fault(error.message, field=to_printable(error.member, 100), code="archive", fatal=True)


def _open_member(file: InputFile, member: str, path: Path) -> InputFile:
    name = f"{file.name}: {to_printable(member, 100)}"
    return replace(input_file(path, name, encoding=file.encoding.chosen), true_name=member, part=file.part)


def _is_mixed(file: InputFile, members: list[str], read_table: ReadTable) -> bool:
    """Whether tables stand beside texts or have different columns, so that each needs a mapping of its own. In an
    archive of many or large tables they are those of one data set."""
    tables = [name for name in members if _is_table(name)]
    if file.texts is not None:
        return False  # the longest texts of such tables are summaries
    if any(map(_is_text, members)):
        return bool(tables)
    if not 1 < len(tables) <= MOST_MIXED or file.path.stat().st_size > LARGEST_MIXED:
        return False
    all_columns = set()
    for member, path in copy_zip_members(file, TABLE_ENDINGS, MAX_ZIP_MEMBER):
        if _is_table(member):
            with contextlib.suppress(UnreadableFile):  # it is raised when the rows are read
                all_columns.add(read_columns(read_table(_open_member(file, member, path), member)))
    return len(all_columns) > 1


def _find_splits(members: list[str]) -> dict[str, str]:
    """The split of each table; none unless every table, or the folder of every table, is called after a split: among
    files named after their writers, one called test is no split."""
    tables = [name for name in members if _is_table(name)]
    by_name = {name: split_of_name(name) for name in tables}
    by_folder = {name: split_of_name(name.rpartition("/")[0]) for name in tables}
    return next((splits for splits in (by_name, by_folder) if all(splits.values())), {})


def _is_table(name: str) -> bool:
    folders = name.split("/")
    is_hidden = folders[-1].startswith(".") or "__MACOSX" in folders or folders[-1] in _IGNORED
    return name.lower().endswith(TABLE_ENDINGS) and not name.lower().endswith(".docx") and not is_hidden


def _is_text(name: str) -> bool:
    return name.lower().endswith((*TEXT_ENDINGS, ".docx"))


def _read_text(file: InputFile, inner: InputFile, text_id: str) -> Rows:
    member = inner.data_name
    read_row = read_word_row if member.lower().endswith(".docx") else read_text_row
    for row in _with_spots(file, read_row(inner, member)):
        if isinstance(row, Fault):
            yield row
        elif str(row.values.get("text", "")).strip():
            yield replace(row, values={**row.values, "id": text_id})
        else:
            file.notes.add(_EMPTY, to_printable(member, 100))


def _read_table(file: InputFile, inner: InputFile, split: str, read_table: ReadTable) -> Rows:
    member = inner.data_name
    try:
        for row in _with_spots(file, read_table(inner, member)):
            yield row if isinstance(row, Fault) else _name_member(row, member, split)
    except UnreadableFile as error:
        if error.fault.code != "empty":  # doccano writes an empty file for each person who confirmed nothing
            raise
        file.notes.add(_EMPTY, to_printable(member, 100))


def _with_spots(file: InputFile, rows: Rows) -> Rows:
    """The rows with places in the archive, since what is refused later is a fault of the whole file."""
    for row in rows:
        yield row if isinstance(row, Fault) else replace(row, spot=LineSpot(file, row.spot.line))


def _name_member(row: Row, member: str, split: str) -> Row:
    """The row with the member in its place, and with the split of the member."""
    values = {**row.values, "split": split} if split and "split" not in row.values else row.values
    return replace(row, values=values, place=f"{to_printable(member, 100)}, {row.place}")

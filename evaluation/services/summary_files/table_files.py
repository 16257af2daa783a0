"""Uploaded tables of summaries to evaluate: which columns they have, and what is read from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.services.sources.import_uploads import PendingUpload
from annotation.services.sources.importing import local_copy
from epitome.formats.columns import read_table_head
from epitome.formats.reading import InputFile, UnreadableFile, input_file
from epitome.formats.registry import FORMATS, detect_format, has_columns
from epitome.formats.summary_tables import SummaryTable, guess_roles, read_summary_table


@dataclass(slots=True)
class TableFile:
    """kind: the format. columns, rows: the first rows. roles: column -> role, as guessed. fault: why it is no table."""

    kind: str = ""
    columns: list[str] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    fault: str = ""


def look_at_table(upload: PendingUpload) -> TableFile:
    """The columns and first rows of an uploaded file. Raises NotFound where it is gone."""
    with local_copy(upload.name) as path:
        file = input_file(path, upload.file_name)
        try:
            return _read_head(file)
        except UnreadableFile as error:
            return TableFile(fault=str(error.fault))


def _read_head(file: InputFile) -> TableFile:
    kind = detect_format(file)
    if not has_columns(kind) or FORMATS[kind].is_single_text:
        raise file.unreadable("is no table with a row for each text or summary", code="format")
    head = read_table_head(file, kind)
    if not head.rows:
        raise UnreadableFile(head.faults[0]) if head.faults else file.unreadable("has no rows", code="empty")
    columns = [name for name in head.columns if name]
    return TableFile(kind, columns, head.rows, guess_roles(columns, head.rows))


def read_table(upload: PendingUpload, kind: str, roles: Mapping[str, str]) -> SummaryTable:
    """The whole table. A file that cannot be read has that as its fault. Raises NotFound where it is gone."""
    with local_copy(upload.name) as path:
        try:
            return read_summary_table(input_file(path, upload.file_name), kind, roles)
        except UnreadableFile as error:
            return SummaryTable(faults=[str(error.fault)])

"""Every format of import files: its name, how it is read and how it is recognized. A new format is one entry here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from epitome.formats.binary_tables import read_arrow_rows, read_parquet_rows
from epitome.formats.cas import is_cas_json, read_cas_row
from epitome.formats.column_names import is_called_summary
from epitome.formats.csvfile import read_csv, read_header, read_table_rows
from epitome.formats.detect import MAX_EXAMINED, recognize_format
from epitome.formats.elements import read_entries
from epitome.formats.epitome1 import is_export_line, read_epitome1_sources
from epitome.formats.excel import read_excel_rows
from epitome.formats.faults import Fault
from epitome.formats.file_format import Format
from epitome.formats.html_pages import read_html_row
from epitome.formats.macsum import read_macsum
from epitome.formats.plain_texts import read_text_row, read_word_row
from epitome.formats.qmsum import is_meeting, read_qmsum
from epitome.formats.reading import InputFile, UnreadableFile
from epitome.formats.rows import Rows
from epitome.formats.stories import read_stories
from epitome.formats.subtitles import read_subtitle_row
from epitome.formats.tool_exports import MIN_SUMMARY_WORDS, TOOLS
from epitome.formats.tools.doccano import DOCCANO, name_writer
from epitome.formats.tools.doubts import remark_columns
from epitome.formats.tools.tool import Tool
from epitome.formats.zip_tables import read_zip_rows


def _read_zip(file: InputFile) -> Rows:
    def read_member(member: InputFile, name: str) -> Rows:
        return _read_member(replace(member, texts=file.texts), name)

    return read_zip_rows(file, read_member)


def _read_member(member: InputFile, name: str) -> Rows:
    """The rows of a table in a zip file. A binary one is known by its name, so that its reader says what is wrong."""
    kind = {".parquet": "parquet", ".arrow": "arrow", ".xlsx": "excel"}.get("." + name.lower().rsplit(".", 1)[-1])
    kind = kind or detect_format(member)
    if kind == "zip" or not has_columns(kind):
        message = f"{kind} files are not read inside an archive; import it by itself"
        return iter([member.fault(message, code="archive")])
    rows = FORMATS[kind].read_rows(member)
    return name_writer(rows, name) if kind == DOCCANO.name else rows


def _read_tool(tool: Tool) -> Format:
    """The format of a tool, whose exports are JSON or tables."""

    def read_rows(file: InputFile) -> Rows:
        rows = tool.read(file, read_table(file))
        return remark_columns(file, rows, MIN_SUMMARY_WORDS, is_called_summary)

    def read_table(file: InputFile) -> Rows:
        if file.head(1) in (b"{", b"["):
            return read_entries(file)
        kind = recognize_format(file, [FORMATS[name] for name in _TABLES], None)
        if kind not in _TABLES:
            raise file.unreadable(f"is {kind}, not an export of {tool.label}", code="format")
        return FORMATS[kind].read_rows(file)

    return Format(tool.name, tool.label, rows=read_rows, has_entry=tool.has_entry, has_header=tool.has_header)


_TABLES = ("csv", "jsonl", "json", "parquet", "arrow", "excel")
"""Formats in which tools export."""
_LIST = (
    Format("macsum", "MACSum", units=read_macsum, has_summaries=True, is_plain=False),
    Format("qmsum", "QMSum", units=read_qmsum, has_entry=is_meeting, has_word_limit=True, is_plain=False),
    Format(
        "epitome-1",
        "Epitome export",
        units=read_epitome1_sources,
        has_entry=is_export_line,
        has_summaries=True,
        is_plain=False,
    ),
    Format("story", "Plain texts or CNN/DailyMail stories", units=read_stories, has_summaries=True),
    Format("csv", "CSV or TSV table", rows=read_table_rows, units=read_csv, header=read_header, has_own_columns=True),
    Format("jsonl", "JSON lines", rows=read_entries, has_own_columns=True),
    Format("json", "JSON list", rows=read_entries),
    Format("parquet", "Parquet", rows=read_parquet_rows, first_bytes=(b"PAR1",)),
    Format("arrow", "Arrow", rows=read_arrow_rows, first_bytes=(b"ARROW1", b"\xff\xff\xff\xff")),
    Format("excel", "Excel sheet", rows=read_excel_rows, member="xl/workbook.xml"),
    Format("word", "Word document", rows=read_word_row, member="word/document.xml", is_single_text=True),
    Format("text", "Plain text", rows=read_text_row, is_single_text=True),
    Format("html", "Web page", rows=read_html_row, is_single_text=True),
    Format("subtitles", "Subtitles", rows=read_subtitle_row, is_single_text=True, is_plain=False),
    Format("cas", "UIMA CAS", rows=read_cas_row, has_entry=is_cas_json, is_single_text=True),
    Format("zip", "Zip of files", rows=_read_zip),
    *map(_read_tool, TOOLS),
)
FORMATS: Mapping[str, Format] = {known.name: known for known in _LIST}
"""In the order in which lists show them."""


def has_columns(name: str) -> bool:
    """Whether a mapping may name the columns of files of a format."""
    return name in FORMATS and FORMATS[name].rows is not None


def detect_format(file: InputFile, mapping: Mapping[str, str] | None = None) -> str:
    """The name of a file's format, by content. mapping: of its columns, if known. Raises UnreadableFile with a fault
    that quotes what was found instead."""
    kind = recognize_format(file, FORMATS.values(), mapping)
    return _recognize_tool(file, kind) or kind


def _recognize_tool(file: InputFile, kind: str) -> str | None:
    """The tool whose export a table or list is, by its columns."""
    if kind not in _TABLES:
        return None
    known = FORMATS[kind]
    try:
        row = next((row for row in islice(known.read_rows(file), MAX_EXAMINED) if not isinstance(row, Fault)), None)
        names = known.header(file) if known.header is not None else row.values if row is not None else ()
    except UnreadableFile:
        return None  # its reader says what is wrong
    return next(
        (tool.name for tool in FORMATS.values() if tool.has_header is not None and tool.has_header(names)), None
    )

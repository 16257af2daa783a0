"""CNN/DailyMail stories: an article, then `@highlight` lines; one file, or a zip or tar archive of them.

Archives are read in place, member by member: nothing is unpacked, no member's name is ever opened.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import replace

from epitome.formats.archives import ENDINGS, ArchiveFault, is_archive, read_members
from epitome.formats.faults import Fault, TextFault, decode_utf8, to_printable
from epitome.formats.fields import RowReader
from epitome.formats.notes import LEFT_NOTE
from epitome.formats.options import ImportOptions
from epitome.formats.reading import LINE_LIMIT, InputFile, LineSpot, Spot, empty_file_fault
from epitome.formats.records import SourceRecord, Unit
from epitome.formats.rows import Row, Rows, build_units, name_texts, stem_of
from epitome.formats.sniff import list_members

HIGHLIGHT_MARK = "@highlight"


def read_stories(file: InputFile, options: ImportOptions) -> Iterator[Unit]:
    """Sources of a story file or an archive; exactly one item per `.story` or `.txt` member, others are skipped.

    The id is the file name without folders and extension. The highlights are kept with the text, and a line each are
    its summary where summaries are asked for. Raises UnreadableFile.
    """
    mapping = {"summary": "summary"} if options.takes_references else None
    reader = RowReader(file.data_name, ImportOptions(split=options.split, mapping=mapping))

    def build_source(row: Row) -> SourceRecord:
        if mapping is None and row.values.pop("summary", ""):
            file.notes.add(LEFT_NOTE, row.place)
        return reader.build_record(row)

    rows = _read_archive(file) if is_archive(file.magic()) else _read_single(file)
    return build_units(rows, build_source)


def _read_archive(file: InputFile) -> Rows:
    ids = name_texts(name for name in list_members(file) if name.lower().endswith(ENDINGS))
    try:
        for member, raw in read_members(file):
            place = to_printable(member, 100)
            inner = replace(file, name=f"{file.name}: {place}", true_name=member)
            text = inner.decode_member(place, raw)
            yield (
                text if isinstance(text, Fault) else _parse_story(inner, ids.get(member, stem_of(member)), text, place)
            )
    except ArchiveFault as error:
        yield file.fault(error.message, field=to_printable(error.member, 100), code="archive", fatal=True)


def _read_single(file: InputFile) -> Rows:
    raw = file.head(LINE_LIMIT + 1)
    file.remark_encoding()
    if not raw.strip():
        yield empty_file_fault(file)
    elif len(raw) > LINE_LIMIT:
        message = f"the story is longer than {LINE_LIMIT:,} bytes"
        yield file.fault(message, line=1, code="entry_too_long", fatal=True)
    else:
        yield _parse_story(file, stem_of(file.data_name), raw, "line 1")


def _parse_story(file: InputFile, text_id: str, raw: bytes, place: str) -> Row | Fault:
    raw = raw.removeprefix(BOM_UTF8)
    try:
        text = decode_utf8(raw)
        if (offset := text.find("\0")) >= 0:
            raise TextFault("holds a NUL character, which cannot be stored", offset, "character", "\0")
    except TextFault as error:
        return Spot(file, 1, 1, raw).fault(error)
    article, highlights = split_story(text)
    values = {"id": text_id, "text": article, "metadata": {"highlights": highlights}}
    if highlights:
        values["summary"] = "\n".join(highlights)
    return Row(values, place, LineSpot(file, 1, 1))


def split_story(text: str) -> tuple[str, list[str]]:
    """(article, highlights): the article is the text before the first `@highlight` line, without trailing line
    breaks; a highlight is the lines up to the next mark, without blank ones."""
    article: list[str] = []
    highlights: list[list[str]] = []
    for line in text.split("\n"):
        if line.strip() == HIGHLIGHT_MARK:
            highlights.append([])
        elif highlights:
            highlights[-1].append(line.strip())
        else:
            article.append(line)
    joined = [" ".join(piece for piece in lines if piece) for lines in highlights]
    return "\n".join(article).rstrip("\r\n"), [highlight for highlight in joined if highlight]

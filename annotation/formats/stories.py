"""CNN/DailyMail stories: an article, then `@highlight` lines; one file, or a zip or tar archive of them.

Archives are read in place, member by member: nothing is unpacked, no member's name is ever opened.
"""

from __future__ import annotations

from collections.abc import Iterator

from annotation.formats.archives import ArchiveFault, read_members
from annotation.formats.faults import Fault, FieldFault, LeftOut, to_printable
from annotation.formats.fields import RowReader
from annotation.formats.reading import LINE_LIMIT, InputFile, empty_file_fault
from annotation.formats.records import SourceRecord, split_of_name

HIGHLIGHT_MARK = "@highlight"


def read_stories(
    file: InputFile, split: str | None = None, line_limit: int = LINE_LIMIT
) -> Iterator[SourceRecord | Fault | LeftOut]:
    """Sources of a story file or an archive; exactly one item per `.story` or `.txt` member, others are skipped.

    The id is the file name without folders and extension. Raises UnreadableFile.
    """
    row_reader = RowReader(None, split, split_of_name(file.name))
    if not is_archive(file.magic()):
        yield _read_single(file, row_reader, line_limit)
        return
    try:
        for member, raw in read_members(file):
            inner = InputFile(file.path, f"{file.name}: {member}")
            yield _parse_story(inner, member, raw, row_reader, to_printable(member, 100))
    except ArchiveFault as error:
        yield file.fault(error.message, field=to_printable(error.member, 100), code="archive", fatal=True)


def is_archive(magic: bytes) -> bool:
    """Whether a file's first 512 bytes are those of a zip, gzip or tar file."""
    return magic.startswith((b"PK\3\4", b"PK\5\6", b"\x1f\x8b")) or magic[257:262] == b"ustar"


def _read_single(file: InputFile, row_reader: RowReader, limit: int) -> SourceRecord | Fault:
    raw = file.head(limit + 1)
    if not raw.strip():
        return empty_file_fault(file)
    if len(raw) > limit:
        message = f"the story is longer than {limit:,} bytes"
        return file.fault(message, line=1, code="entry_too_long", fatal=True)
    return _parse_story(file, file.name, raw, row_reader, "line 1")


def _parse_story(file: InputFile, name: str, raw: bytes, row_reader: RowReader, place: str) -> SourceRecord | Fault:
    try:
        text = raw.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - raw.rfind(b"\n", 0, error.start)
        hex_bytes = "bytes " + raw[error.start : error.start + 4].hex(" ")
        message = "is not UTF-8; save the file as UTF-8"
        return file.fault(message, line=line, column=column, value=hex_bytes, code="encoding")
    if (at := text.find("\0")) >= 0:
        line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        message = "holds a NUL character, which cannot be stored"
        return file.fault(message, line=line, column=column, value="\0", code="character")
    article, highlights = split_story(text)
    stem = name.replace("\\", "/").rsplit("/", 1)[-1]
    stem = stem.rsplit(".", 1)[0] if "." in stem.lstrip(".") else stem
    try:
        return row_reader.record({"id": stem, "text": article, "metadata": {"highlights": highlights}}, place)
    except FieldFault as error:
        return file.fault(error.message, line=1, column=1, field=str(error.path[0]), value=error.value, code=error.code)


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

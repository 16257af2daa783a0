"""Plain texts and Word documents: one row per file, its id the name of the file."""

from __future__ import annotations

from epitome.formats.faults import TextFault, decode_utf8, to_printable
from epitome.formats.markup import recognize_markup
from epitome.formats.reading import LINE_LIMIT, InputFile, LineSpot, Spot
from epitome.formats.rows import Rows, clean_row, stem_of
from epitome.formats.word import read_word_text


def read_text_row(file: InputFile, name: str = "") -> Rows:
    """The one row of a plain text. name: of the file, where it is a member of an archive. Raises UnreadableFile."""
    is_member, name = bool(name), name or file.data_name
    raw = file.head(LINE_LIMIT + 1)
    file.remark_encoding(to_printable(name, 100) if is_member else "")
    if len(raw) > LINE_LIMIT:
        message = f"the text is longer than {LINE_LIMIT:,} bytes; split it into several files"
        raise file.unreadable(message, line=1, code="entry_too_long")
    try:
        text = decode_utf8(raw).replace("\r\n", "\n").strip("\n")
        if is_member and (kind := recognize_markup(file, raw)):
            raise file.unreadable(
                f"is no plain text but {kind}; give the file the ending of its kind", code="wrong_kind"
            )
    except TextFault as error:
        yield Spot(file, 1, 1, raw).fault(error)
        return
    yield clean_row({"id": stem_of(name), "text": text}, to_printable(name, 100), LineSpot(file, None))


def read_word_row(file: InputFile, name: str = "") -> Rows:
    """The one row of a Word document. name: see read_text_row. Raises UnreadableFile."""
    name = name or file.data_name
    document = read_word_text(file)
    for what in document.left_out:
        file.notes.add(f"{what} of Word documents are left out", to_printable(name, 100))
    values = {"id": stem_of(name), "title": document.title, "text": document.text}
    yield clean_row(values, to_printable(name, 100), LineSpot(file, None))

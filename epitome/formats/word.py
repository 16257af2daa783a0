"""The text of Word documents as Word shows it with all changes accepted: what was inserted and moved is in, what was
deleted is out. No field is run, no link followed, no entity expanded.

Source: ECMA-376, part 1, 17.3 (paragraphs), 17.4 (tables), 17.5 (content controls), 17.13 (changes), 17.16 (fields).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple

from epitome.formats.office import check_container, damaged, missing_package
from epitome.formats.office_beginnings import begin_document
from epitome.formats.reading import InputFile

MAX_WORD_PART = 30_000_000
"""Bytes of one part of a file, unpacked: a document's text is held in memory."""
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_GONE = frozenset(
    [
        f"{_W}{name}"
        for name in ("del", "moveFrom", "pPr", "rPr", "tblPr", "trPr", "tcPr", "sdtPr", "instrText", "delText")
    ]
    + [f"{_W}{name}" for name in ("rt", "rubyPr", "sectPr")]
    + [f"{_ALTERNATIVES}Fallback"]
)
_CHARACTERS = {f"{_W}tab": "\t", f"{_W}ptab": "\t", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_LEFT_OUT = {
    f"{_W}footnoteReference": "footnotes",
    f"{_W}endnoteReference": "endnotes",
    f"{_W}drawing": "pictures and drawings",
    f"{_W}pict": "pictures and drawings",
    f"{_W}object": "embedded objects",
    f"{_W}sym": "symbols of a font",
}


class WordText(NamedTuple):
    """left_out: what is not text -> how often."""

    title: str
    text: str
    left_out: dict[str, int]


def read_word_text(file: InputFile) -> WordText:
    """Paragraphs, and table rows with cells separated by tabs. The title is that of a paragraph of the style Title or,
    in front of all text, of a heading. Raises UnreadableFile."""
    check_container(file, MAX_WORD_PART)
    try:
        import docx
    except ImportError:
        raise missing_package(file, "python-docx", "office", "save it as .txt") from None
    try:
        with _open(file) as stream:
            document = docx.Document(stream)
        reader = _Reader()
        title, lines = "", list[str]()
        for line, paragraph in file.take_part(reader.read_blocks(document.element.body)):
            if not title and not any(lines) and line.strip() and _is_title(paragraph, document):
                title, lines = " ".join(line.split()), []
            else:
                lines.append(line)
    except Exception as error:  # a damaged document raises errors of many kinds
        raise damaged(file, error) from error
    return WordText(title, "\n".join(lines).strip("\n"), dict(reader.left_out))


def _open(file: InputFile) -> IO[bytes]:
    """The document, or its beginning where that is read."""
    if file.part is None:
        return file.path.open("rb")
    beginning = begin_document(file.path, file.part.n_items)
    file.part.is_cut = file.part.is_cut or beginning.is_cut
    return beginning.stream


def _is_title(paragraph: Any, document: Any) -> bool:
    from docx.text.paragraph import Paragraph

    style = Paragraph(paragraph, document).style if paragraph is not None else None
    return ((style.name if style is not None else "") or "").startswith(("Title", "Heading"))


@dataclass
class _Reader:
    """fields: of the fields that are open, whether their result has begun; one may go over several paragraphs."""

    fields: list[bool] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    def read_blocks(self, parent: Any) -> Iterator[tuple[str, Any]]:
        """(line, its paragraph or None) of each paragraph and table row; text boxes follow their paragraph."""
        begun = ""
        for block in _list_blocks(parent):
            if block.tag == f"{_W}tbl":
                yield from ((line, None) for line in self._read_table(block))
                continue
            begun += "".join(self._read_inline(block))
            if _has(block, "pPr", "rPr", "del") or _has(block, "pPr", "rPr", "moveFrom"):
                continue  # its end is deleted, so that the next paragraph goes on in its line
            yield begun, block
            begun = ""
            boxes, self.boxes = self.boxes, []
            for box in boxes:
                yield from ((line, None) for line, _paragraph in self.read_blocks(box))
        if begun:
            yield begun, None

    def _read_table(self, table: Any) -> Iterator[str]:
        for row in _list_parts(table, "tr"):
            if not _has(row, "trPr", "del"):
                yield "\t".join(
                    self._read_cell(cell) for cell in _list_parts(row, "tc") if not _has(cell, "tcPr", "cellDel")
                )

    def _read_cell(self, cell: Any) -> str:
        """The lines of a cell; one that goes on with the cell above is empty."""
        merge = cell.find(f"{_W}tcPr/{_W}vMerge")
        if merge is not None and merge.get(f"{_W}val", "continue") == "continue":
            return ""
        return "\n".join(line for line, _paragraph in self.read_blocks(cell)).strip("\n")

    def _read_inline(self, parent: Any) -> Iterator[str]:
        for child in parent:
            tag = child.tag
            if tag in _GONE or not isinstance(tag, str):
                continue
            if tag == f"{_W}fldChar":
                self._follow_field(child.get(f"{_W}fldCharType"))
            elif tag == f"{_W}txbxContent":
                self.boxes.append(child)
            elif not all(self.fields):
                yield from self._read_inline(child)  # the instruction of a field: only inner marks of fields count
            elif tag in (f"{_W}t", f"{_MATH}t"):
                yield child.text or ""
            elif tag in _CHARACTERS:
                yield _CHARACTERS[tag]
            elif tag == f"{_W}br":
                yield "\n" if child.get(f"{_W}type", "textWrapping") == "textWrapping" else ""
            elif not (tag == f"{_W}r" and _is_on(child, "vanish")) and not _is_placeholder(child):
                yield from self._read_inline_part(child)

    def _read_inline_part(self, child: Any) -> Iterator[str]:
        n_boxes = len(self.boxes)
        yield from self._read_inline(child)
        if (what := _LEFT_OUT.get(child.tag)) and len(self.boxes) == n_boxes:
            self.left_out[what] += 1

    def _follow_field(self, kind: str | None) -> None:
        if kind == "begin":
            self.fields.append(False)
        elif self.fields and kind == "separate":
            self.fields[-1] = True
        elif self.fields and kind == "end":
            self.fields.pop()


def _list_blocks(parent: Any) -> Iterator[Any]:
    """The paragraphs and tables of a body, cell or box, those in content controls and inserted parts too."""
    for child in parent:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag not in _GONE and isinstance(child.tag, str) and not _is_placeholder(child):
            yield from _list_blocks(child)


def _list_parts(parent: Any, name: str) -> Iterator[Any]:
    """The rows of a table or cells of a row, those in content controls too."""
    for child in parent:
        if child.tag == f"{_W}{name}":
            yield child
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml", f"{_W}ins", f"{_W}moveTo"):
            yield from _list_parts(child, name)


def _has(element: Any, *path: str) -> bool:
    return element.find("/".join(f"{_W}{name}" for name in path)) is not None


def _is_on(run: Any, name: str) -> bool:
    """Whether a property of a run is there and not switched off."""
    switch = run.find(f"{_W}rPr/{_W}{name}")
    return switch is not None and switch.get(f"{_W}val", "true") not in ("0", "false", "off")


def _is_placeholder(element: Any) -> bool:
    """Whether an element is a content control that nobody has filled: it shows what to do."""
    return element.tag == f"{_W}sdt" and _has(element, "sdtPr", "showingPlcHdr")

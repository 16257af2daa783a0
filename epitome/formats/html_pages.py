"""The text of a web page: its blocks as lines, without tags, scripts, styles and menus. Nothing is fetched or run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from typing import NamedTuple

from epitome.formats.declared_encoding import UnknownEncoding, decode_declared
from epitome.formats.faults import to_printable
from epitome.formats.reading import InputFile, LineSpot
from epitome.formats.rows import Rows, clean_row, stem_of

MAX_PAGE = 5_000_000
_BLOCK_NAMES = (
    "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol option p pre section summary "
    "table tbody tfoot thead tr ul"
)
_SKIPPED_NAMES = (
    "script style noscript template svg math iframe object embed canvas audio video select textarea button nav"
)
_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
_CLOSED_NAMES = "article aside div figure footer header main section span table ul ol dialog form"
_BLOCKS, _SKIPPED = frozenset(_BLOCK_NAMES.split()), frozenset(_SKIPPED_NAMES.split())
_VOID, _MUST_CLOSE = frozenset(_VOID_NAMES.split()), frozenset(_CLOSED_NAMES.split())
_CELLS = frozenset(("td", "th"))
_TOLD = {"nav": "menus", "math": "formulas", "svg": "pictures", "iframe": "embedded pages", "img": "pictures"}
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,80}encoding=["']([\w.:-]{2,40})""", re.I
)
MAX_ATTRIBUTES = 2_000
MAX_OPEN = 50
_TAG_NAME = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,60})")
_ATTRIBUTES = re.compile(r"""(?:[^"'>]++|"[^"]*"|'[^']*')*+>""")
_HIDDEN = re.compile(r"""(?:^|\s)hidden(?=[\s=/>])""", re.I)
_RAW = frozenset(("script", "style", "textarea"))
_LATIN = frozenset(("latin-1", "latin1", "iso-8859-1", "iso8859-1", "us-ascii", "ascii"))
"""Names by which pages mean Windows-1252: https://encoding.spec.whatwg.org/#names-and-labels."""


def read_html_row(file: InputFile) -> Rows:
    """The one row of a web page; its title is that of the head, else of the first heading. Raises UnreadableFile."""
    raw = file.raw_head(MAX_PAGE + 1)
    if len(raw) > MAX_PAGE:
        raise file.unreadable(
            f"the page is longer than {MAX_PAGE:,} bytes; save its text as .txt", code="entry_too_long"
        )
    try:
        page = read_page(decode_declared(raw, _find_charset(raw[:4096])))
    except UnknownEncoding as error:
        raise file.unreadable(str(error), code="encoding") from error
    if not page.text:
        raise file.unreadable("is a web page without text; save its text as .txt and import that", code="empty")
    place = to_printable(file.data_name, 100)
    for what in page.left_out:
        file.notes.add(f"{what} of web pages are left out", place)
    values = {"id": stem_of(file.data_name), "title": page.title, "text": page.text}
    yield clean_row(values, place, LineSpot(file, None))


def _find_charset(head: bytes) -> str:
    charset = _CHARSET.search(head)
    name = (charset[1] or charset[2]).decode("ascii", "replace") if charset else ""
    return "cp1252" if name.lower() in _LATIN else name


@dataclass(slots=True)
class Page:
    """left_out: what is not text -> how often."""

    title: str
    text: str
    left_out: dict[str, int]


def read_page(source: str) -> Page:
    """The text of HTML: a line per block, cells separated by tabs, white space made even but in <pre>."""
    state = _State()
    for piece in _split_tags(source):
        if isinstance(piece, str):
            state.add_text(unescape(piece))
        elif piece.is_end:
            state.end_tag(piece.name)
        else:
            state.begin_tag(piece)
    lines = [line for line in map(_even, state.end_lines()) if line.strip()]
    title = _even("".join(state.titles)) or _even(state.heading)
    return Page(title, "\n".join(lines), dict(state.left_out))


def _split_tags(source: str) -> Iterator[str | _Tag]:
    """Texts and tags in their order, without comments, declarations, scripts and styles. Takes time in proportion to
    the length whatever is damaged, which html.parser does not."""
    position = 0
    while (begin := source.find("<", position)) >= 0:
        yield source[position:begin]
        if source.startswith("<!--", begin):
            position = _after(source.find("-->", begin), 3, source)
        elif (name := _TAG_NAME.match(source, begin)) is not None:
            quoted = _ATTRIBUTES.match(source, name.end(), name.end() + MAX_ATTRIBUTES)
            end = quoted.end() if quoted else _after(source.find(">", name.end()), 1, source)
            tag = _Tag(name[2].lower(), bool(name[1]), source[name.end() : min(end, name.end() + MAX_ATTRIBUTES)])
            yield tag
            position = end
            if tag.name in _RAW and not tag.is_end:
                closing = re.compile(rf"</{tag.name}\s*>", re.I).search(source, end)
                position = closing.start() if closing else len(source)
        elif source[begin + 1 : begin + 2] in ("!", "?", "/"):
            position = _after(source.find(">", begin), 1, source)
        else:
            yield "<"
            position = begin + 1
    yield source[position:]


def _after(found: int, length: int, source: str) -> int:
    return found + length if found >= 0 else len(source)


def _even(text: str) -> str:
    """White space made even; a line of preformatted text, marked by a NUL, keeps its own."""
    if text.startswith("\0"):
        return text[1:].rstrip()
    return "\t".join(" ".join(cell.split()) for cell in text.split("\t")).strip(" ")


class _Tag(NamedTuple):
    name: str
    is_end: bool
    attributes: str


@dataclass
class _State:
    """skipped: tags that are open and hold no text. pre: depth of preformatted tags."""

    lines: list[str] = field(default_factory=list)
    begun: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    heading: str = ""
    skipped: list[str] = field(default_factory=list)
    pre: int = 0
    in_title: bool = False
    left_out: Counter[str] = field(default_factory=Counter)

    def end_line(self) -> None:
        line = "".join(self.begun).rstrip("\t")
        if line.strip("\0 \n\t"):
            self.lines.append(line)
        self.begun = []

    def end_lines(self) -> list[str]:
        self.end_line()
        return self.lines

    def begin_tag(self, tag: _Tag) -> None:
        name = tag.name
        if name in _TOLD and not self.skipped:
            self.left_out[_TOLD[name]] += 1
        is_hidden = name in _MUST_CLOSE and _HIDDEN.search(tag.attributes) is not None
        if self.skipped or name in _SKIPPED or is_hidden:
            if name not in _VOID and not tag.attributes.endswith("/>"):
                self.skipped.append(name)
        elif name == "title":
            self.in_title = True
        elif name in _BLOCKS:
            self.end_line()
            self.pre += name == "pre"
        elif name in _CELLS and self.begun:
            self.begun.append("\t")

    def end_tag(self, name: str) -> None:
        if self.skipped:
            if name in self.skipped[-MAX_OPEN:]:  # a tag that was left open inside ends with it
                while self.skipped.pop() != name:
                    pass
        elif name == "title":
            self.in_title = False
        elif name in _BLOCKS:
            if name == "h1" and not self.heading:
                self.heading = "".join(self.begun)
            self.end_line()
            self.pre = max(0, self.pre - (name == "pre"))

    def add_text(self, text: str) -> None:
        if self.skipped or not text:
            return
        if self.in_title:
            self.titles.append(text)
        elif self.pre:
            first, *others = text.split("\n")
            self.begun.append(first if self.begun else f"\0{first}")
            for line in others:
                self.end_line()
                self.begun.append(f"\0{line}")
        else:
            self.begun.append(text.replace("\t", " "))

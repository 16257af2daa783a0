"""A paper as TEI XML, as GROBID writes it: https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from epitome.formats.declared_encoding import UnknownEncoding, decode_declared
from epitome.formats.papers.paper import Paper, PaperFault, Section

TEI = {"t": "http://www.tei-c.org/ns/1.0"}
_NO_TEXT = frozenset(("figure", "figDesc", "formula", "table", "note", "head", "listBibl", "fw"))
_LINES = frozenset(("p", "ab", "list", "l", "s"))
"""Elements of a division that hold its text; what is in them is read with them."""
_BREAKS = frozenset(("p", "ab", "list", "item", "label", "l", "lb", "quote"))
_DECLARED = re.compile(rb"^\s*<\?xml[^>]*?\bencoding\s*=")


def read_tei(path: Path, name: str) -> Iterator[Paper]:
    """The one paper of a file; its key is the file's name. Nothing outside the file is read, no entity expanded."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, parse

    try:
        root = parse(str(path)).getroot()
    except (ParseError, DefusedXmlException, LookupError, ValueError) as error:
        raise PaperFault(f"{name}: {_describe_damage(path)}: {error}") from error
    if root is None or root.tag != f"{{{TEI['t']}}}TEI":
        raise PaperFault(f"{name}: is no TEI document; process the PDF with GROBID (processFulltextDocument)")
    body = root.find(".//t:text/t:body", TEI)
    yield Paper(
        key=Path(name).name.removesuffix(".xml").removesuffix(".tei"),
        title=_plain(root.find(".//t:titleStmt/t:title", TEI)),
        abstract="\n".join(_lines_of(root.find(".//t:profileDesc/t:abstract", TEI))),
        sections=tuple(_sections(body)) if body is not None else (),
        keywords=tuple(filter(None, (_plain(term) for term in root.findall(".//t:keywords//t:term", TEI)))),
        categories=tuple(filter(None, (_plain(code) for code in root.findall(".//t:classCode", TEI)))),
        place=name,
    )


def _describe_damage(path: Path) -> str:
    raw = path.read_bytes()
    try:
        decode_declared(raw, "utf-8" if _DECLARED.match(raw) else "")
    except UnknownEncoding as error:
        return "is not sound XML" if _DECLARED.match(raw) else str(error)
    return "is not sound XML"


def _sections(body: Any) -> Iterator[Section]:
    """Top-level divisions, and text beside them. Those without a head go on with the section before; nested ones belong
    to theirs."""
    title, texts = "", list[str]()
    for child in body:
        head = child if _name(child) == "head" else child.find("t:head", TEI) if _name(child) == "div" else None
        if head is not None and (number := head.get("n", "")).rstrip(".").count(".") == 0:
            if texts:
                yield Section(title, "\n".join(texts))
            title, texts = f"{number} {_plain(head)}".strip(), []
        texts += _lines_of([child])
    if texts:
        yield Section(title, "\n".join(texts))


def _name(element: Any) -> str:
    return str(element.tag).rsplit("}", 1)[-1]


def _lines_of(parent: Any) -> Iterator[str]:
    """The text in the children of an element, a line per paragraph and item of a list, without heads and notes."""
    for child in parent if parent is not None else ():
        if _name(child) in _LINES or (len(child) == 0 and _name(child) not in _NO_TEXT):
            text = "".join(_pieces(child))
            yield from filter(None, (" ".join(line.split()) for line in text.split("\v")))
        elif _name(child) not in _NO_TEXT:
            yield from _lines_of(child)


def _plain(element: Any) -> str:
    """The text in an element, white space made even; figures, formulas and notes left out."""
    return " ".join("".join(_pieces(element)).split()) if element is not None else ""


def _pieces(element: Any) -> Iterator[str]:
    """Text; a vertical tab, which is white space and not in XML, where a line ends, and a blank between sentences."""
    yield element.text or ""
    for child in element:
        name = _name(child)
        if name not in _NO_TEXT:
            separator = "\v" if name in _BREAKS else " " if name == "s" else ""
            yield separator
            yield from _pieces(child)
            yield separator
        yield child.tail or ""

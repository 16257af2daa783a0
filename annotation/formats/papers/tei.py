"""A paper as TEI XML, as GROBID writes it: https://grobid.readthedocs.io/en/latest/TEI-encoding-of-results/."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotation.formats.papers.paper import Paper, PaperFault, Section

TEI = {"t": "http://www.tei-c.org/ns/1.0"}
_NO_TEXT = ("figure", "formula", "table", "note")


def read_tei(path: Path, name: str) -> Iterator[Paper]:
    """The one paper of a file; its key is the file's name. Nothing outside the file is read, no entity expanded."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, parse

    try:
        root = parse(str(path)).getroot()
    except (ParseError, DefusedXmlException, LookupError, ValueError) as error:
        raise PaperFault(f"{name}: is not sound XML: {error}") from error
    if root is None or root.tag != f"{{{TEI['t']}}}TEI":
        raise PaperFault(f"{name}: is no TEI document; process the PDF with GROBID (processFulltextDocument)")
    body = root.find(".//t:text/t:body", TEI)
    yield Paper(
        key=Path(name).name.removesuffix(".xml").removesuffix(".tei"),
        title=_plain(root.find(".//t:titleStmt/t:title", TEI)),
        abstract=_plain(root.find(".//t:profileDesc/t:abstract", TEI)),
        sections=tuple(_sections(body)) if body is not None else (),
        keywords=tuple(filter(None, (_plain(term) for term in root.findall(".//t:keywords//t:term", TEI)))),
        categories=tuple(filter(None, (_plain(code) for code in root.findall(".//t:classCode", TEI)))),
        place=name,
    )


def _sections(body: Any) -> Iterator[Section]:
    """Top-level divisions. Those without a head go on with the section before; nested ones belong to theirs."""
    title, texts = "", list[str]()
    for division in body.findall("t:div", TEI):
        head = division.find("t:head", TEI)
        if head is not None and (number := head.get("n", "")).rstrip(".").count(".") == 0:
            if texts:
                yield Section(title, "\n".join(texts))
            title, texts = f"{number} {_plain(head)}".strip(), []
        texts += filter(None, (_plain(paragraph) for paragraph in division.findall(".//t:p", TEI)))
    if texts:
        yield Section(title, "\n".join(texts))


def _plain(element: Any) -> str:
    """The text in an element, white space made even; figures, formulas and notes left out."""
    return " ".join("".join(_pieces(element)).split()) if element is not None else ""


def _pieces(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if str(child.tag).rsplit("}", 1)[-1] not in _NO_TEXT:
            yield from _pieces(child)
        yield child.tail or ""

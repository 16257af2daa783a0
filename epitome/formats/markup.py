"""Recognizes texts with marks: web pages, subtitles and CAS are read, other kinds are refused with what to import
instead. What begins like one of them is never stored as a plain text."""

from __future__ import annotations

import re

from epitome.formats.reading import InputFile, without_packing
from epitome.formats.subtitles import looks_like_subtitles

_DECLARATION = re.compile(r"(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\])?[^>]*>|\s)+", re.S | re.I)
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(?=[\s/>])")
_TAGS = (
    "html head body title meta link style script p div span h1 h2 h3 h4 h5 h6 ul ol li table tr td th br hr a b i em "
    "strong article section header footer main nav aside img blockquote pre code form center font dl dt dd figure small"
)
_HTML = frozenset(_TAGS.split())
_ENDINGS = (".html", ".htm", ".xhtml")
_SAVE = "export the text as .txt or CSV and import that"
_ROOTS = {
    "TEI": "is a paper or text in TEI; papers are imported with `manage.py import_papers`, else " + _SAVE,
    "teiCorpus": "is a corpus in TEI; " + _SAVE,
    "article": "is an article in JATS (XML); convert it (`pandoc -f jats -t plain`) and import the text",
    "pmc-articleset": "is a set of JATS articles (XML); convert each (`pandoc -f jats -t plain`) and import the texts",
    "tt": "is a subtitle file in TTML; save it as .vtt or .srt and import that",
    "rss": "is a news feed, not a text; save the pages that it names as .html or .txt",
    "feed": "is a news feed, not a text; save the pages that it names as .html or .txt",
    "mediawiki": "is an export of a wiki; extract its texts as JSON lines and import those",
    "typeSystemDescription": "is the type system of UIMA files and holds no text; import the .xmi or .json files",
    "workbook": "is a spreadsheet in XML; save it as .xlsx or CSV and import that",
    "wordDocument": "is a Word document in XML; save it as .docx and import that",
    "package": "is an office document in XML; save it as .docx or .txt and import that",
}
_CONLL = f"is in the layout of CoNLL, one word per line with tags; {_SAVE}"
_FASTTEXT = "is in the layout of fastText, labels before texts; export the texts with their ids as CSV"
_LATEX = f"is a LaTeX document; papers are imported with `manage.py import_papers`, else {_SAVE}"
_LINES = tuple(
    (re.compile(pattern, re.I), message)
    for pattern, message in (
        (r"#FORMAT=WebAnno TSV", "is a WebAnno TSV, one word per line; export UIMA CAS (XMI or JSON) and import that"),
        (r"-DOCSTART-", _CONLL),
        (r'(?:.*\n){0,20}"?__label__\S', _FASTTEXT),
        (r"\[Script Info\]", "is a subtitle file of the kind ASS; save it as .vtt or .srt and import that"),
        (r"(?:%[^\n]*\n\s*)*\\(?:documentclass|documentstyle)\b", _LATEX),
        (
            r"(?:From: <?Saved by|MIME-Version:)[^\0]{0,2000}?multipart/related",
            "is a web archive (MHTML); save the page as HTML or its text as .txt, and import that",
        ),
        (
            r"T\d+\t\S+ \d+ \d+(?:;\d+ \d+)*\t",
            "holds annotations of brat without their text; import the .txt file beside it",
        ),
    )
)
_CONLL_TAG = re.compile(r"O|[BIELSU]-\S+|_")
MAX_DECLARATION = 10_000
MIN_TOKEN_LINES = 5
N_UNIVERSAL = 10
"""Columns of CoNLL-U: https://universaldependencies.org/format.html."""


def recognize_markup(file: InputFile, head: bytes) -> str | None:
    """The format of a text with marks, html, subtitles or cas; None for another file. Raises UnreadableFile for a kind
    that is not read, with what to import instead."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    for pattern, message in _LINES:
        if pattern.match(text):
            raise file.unreadable(message, line=1, code="wrong_kind")
    if looks_like_subtitles(text):
        return "subtitles"
    if text.startswith("<"):
        return _recognize_xml(file, text)
    if _is_named_page(file):
        return "html"
    if _has_word_per_line(text[: 1 << 14]):
        raise file.unreadable(
            f"is in the layout of CoNLL, one word per line with tags; {_SAVE}", line=1, code="wrong_kind"
        )
    return None


def _is_named_page(file: InputFile) -> bool:
    return without_packing(file.data_name).lower().endswith(_ENDINGS)


def _recognize_xml(file: InputFile, text: str) -> str | None:
    declared = _DECLARATION.match(text, 0, MAX_DECLARATION)
    body = text[declared.end() :] if declared else text
    root = _ROOT.match(body)
    if root is None:
        is_page = text[:9].lower() == "<!doctype" and "html" in text[:100].lower()
        return "html" if is_page or _is_named_page(file) else None
    name = root[2]
    if name == "XMI" or "http:///uima/cas.ecore" in body[:5000]:
        return "cas"
    is_closed = f"</{name.lower()}" in body.lower() or name.lower() in ("br", "hr", "img", "meta", "link", "p", "li")
    if name.lower() in _HTML and name not in _ROOTS and is_closed:
        return "html"
    if name == "article" and not re.search(r"<front[\s>]|<article-meta[\s>]|jats|nlm", body[:20_000], re.I):
        return "html"
    if name in _ROOTS:
        raise file.unreadable(_ROOTS[name], line=1, code="wrong_kind")
    if text.startswith("<?xml") or "xmlns" in body[:2000] or is_closed:
        message = f"is markup (its first tag is <{name[:40]}>), not a text; {_SAVE}"
        raise file.unreadable(message, line=1, code="wrong_kind")
    return "html" if _is_named_page(file) else None


def _has_word_per_line(text: str) -> bool:
    """Whether lines hold a word and its tags, as CoNLL files do: the same number of columns, the last one a tag."""
    lines = [line for line in text.split("\n")[:-1][:400] if line.strip() and not line.startswith("#")]
    rows = [line.split() for line in lines]
    if len(rows) < MIN_TOKEN_LINES or len(rows[0]) < 2:
        return False
    is_universal = len(rows[0]) == N_UNIVERSAL and all(row[0][0].isdecimal() for row in rows)
    is_tagged = is_universal or all(_CONLL_TAG.fullmatch(row[-1]) for row in rows)
    return is_tagged and all(len(row) == len(rows[0]) for row in rows)

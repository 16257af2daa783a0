"""Papers as JSON lines: plain ones, and those of S2ORC.

Plain: `id`, `title`, `abstract`, `sections: [{title, text}]`, perhaps `keywords`, `categories` (lists, or a text cut at
blanks). S2ORC: `paper_id` or `corpusid`, `title`, `abstract` (a text, or paragraphs), `body_text: [{section, text}]`,
both perhaps inside `pdf_parse`; neighbouring paragraphs of the same section are one section.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from epitome.formats.papers.paper import Paper, PaperFault, Section
from epitome.formats.strictjson import BadJson, parse_strict_json

MAX_LINE = 50_000_000


def read_json_papers(path: Path, name: str) -> Iterator[Paper | PaperFault]:
    """A paper per line that is not blank, or the fault of a line. Raises PaperFault at a line without end."""
    with path.open("rb") as stream:
        for number, raw in enumerate(iter(lambda: stream.readline(MAX_LINE + 1), b""), 1):
            place = f"{name}, line {number}"
            if len(raw) > MAX_LINE:
                raise PaperFault(f"{place}: is longer than {MAX_LINE:,} bytes")
            if raw.strip():
                try:
                    yield _parse_line(raw, place)
                except PaperFault as error:
                    yield error


def _parse_line(raw: bytes, place: str) -> Paper:
    try:
        entry = parse_strict_json(raw)
    except BadJson as error:
        raise PaperFault(f"{place}: is not sound JSON: {error}") from error
    if not isinstance(entry, dict):
        raise PaperFault(f"{place}: must be an object with id, abstract and sections")
    parsed = entry.get("pdf_parse")
    body: Mapping[str, Any] = {**entry, **parsed} if isinstance(parsed, dict) else entry
    key = next((entry[field] for field in ("id", "paper_id", "corpusid") if entry.get(field) not in (None, "")), None)
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise PaperFault(f"{place}: has no id (or paper_id)")
    abstract = entry.get("abstract") or body.get("abstract") or ""
    return Paper(
        key=str(key),
        title=_text(entry.get("title"), f"{place}, title"),
        abstract=_join(abstract, f"{place}, abstract"),
        sections=tuple(_sections(body, place)),
        keywords=_words(entry.get("keywords"), ";", f"{place}, keywords"),
        categories=_words(entry.get("categories"), None, f"{place}, categories"),
        place=place,
    )


def _sections(body: Mapping[str, Any], place: str) -> Iterator[Section]:
    if isinstance(body.get("sections"), list):
        for index, section in enumerate(body["sections"]):
            fields = _object(section, f"{place}, sections[{index}]")
            yield Section(
                _text(fields.get("title"), f"{place}, sections[{index}].title"),
                _join(fields.get("text") or "", f"{place}, sections[{index}].text"),
            )
    elif isinstance(body.get("body_text"), list):
        rows = [_object(row, f"{place}, body_text[{position}]") for position, row in enumerate(body["body_text"])]
        for title, paragraphs in groupby(rows, key=lambda row: str(row.get("section") or "")):
            yield Section(title, "\n".join(_text(row.get("text"), f"{place}, body_text") for row in paragraphs))
    else:
        raise PaperFault(f"{place}: has no list of sections (or body_text)")


def _object(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PaperFault(f"{place}: must be an object with title and text")
    return value


def _text(value: object, place: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise PaperFault(f"{place}: must be text")
    return value


def _join(value: object, place: str) -> str:
    """A text, or paragraphs: texts, or objects with a text."""
    if isinstance(value, list):
        rows: Iterable[object] = (row.get("text") if isinstance(row, dict) else row for row in value)
        return "\n".join(_text(row, place) for row in rows)
    return _text(value, place)


def _words(value: object, cut: str | None, place: str) -> tuple[str, ...]:
    entries = value.split(cut) if isinstance(value, str) else value
    if entries is None:
        return ()
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise PaperFault(f"{place}: must be a list of texts")
    return tuple(entry.strip() for entry in entries if entry.strip())

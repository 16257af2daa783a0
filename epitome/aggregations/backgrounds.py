"""Backgrounds of entities: the lines of a file of them, cut to 600 tokens."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from epitome.aggregations.articles import MAX_NAME
from epitome.formats.faults import FieldFault, path_text
from epitome.formats.line_fields import require_field
from epitome.formats.strictjson import BadJson, parse_strict_json

MOST_TOKENS = 600
MAX_TITLE = 300
MAX_URL = 1000
MAX_EXTRACT = 100_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True)
class Background:
    """What is known of a name. title, url: of the article that the text comes from."""

    name: str
    title: str
    url: str
    text: str
    tokens: int


class BadBackgrounds(ValueError):
    """A file of backgrounds that cannot be used; the message names line and field."""


def cut_background(text: str, most: int = MOST_TOKENS) -> tuple[str, int]:
    """The first paragraph of a text and its number of tokens (words and marks); at most `most` of them are kept."""
    paragraph = next((block.strip() for block in re.split(r"\n\s*\n|\n", text.strip()) if block.strip()), "")
    n_tokens = 0
    for match in _TOKEN.finditer(paragraph):
        if n_tokens == most:
            return paragraph[: match.start()].rstrip() + " …", most
        n_tokens += 1
    return paragraph, n_tokens


def read_backgrounds(lines: Iterable[bytes]) -> dict[str, Background]:
    """Name -> background, from JSON lines with name, title, url and extract. Raises BadBackgrounds."""
    backgrounds: dict[str, Background] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = parse_strict_json(line)
            background = parse_background(row)
        except BadJson as error:
            raise BadBackgrounds(f"line {number}: is not JSON: {error}") from error
        except FieldFault as fault:
            raise BadBackgrounds(f"line {number}: {describe_field_fault(fault)}") from fault
        if background.name in backgrounds:
            raise BadBackgrounds(f"line {number}: name: {background.name[:60]!r} stands twice")
        backgrounds[background.name] = background
    return backgrounds


def parse_background(row: Any) -> Background:
    """A row of the file. Raises FieldFault."""
    if not isinstance(row, Mapping):
        raise FieldFault((), "must be an object with name, title, url and extract", row, "type")
    texts = {"title": "", "url": ""}
    for key, longest in (("name", MAX_NAME), ("title", MAX_TITLE), ("url", MAX_URL), ("extract", MAX_EXTRACT)):
        if key in texts and row.get(key) is None:
            continue
        texts[key] = require_field(row, key, str)
        if len(texts[key]) > longest:
            raise FieldFault((key,), f"is longer than {longest} characters", texts[key], "length")
    name = " ".join(texts["name"].split())
    if not name:
        raise FieldFault(("name",), "is empty", texts["name"], "empty")
    if texts["url"] and not is_web_address(texts["url"]):
        raise FieldFault(("url",), "must begin with https:// or http://", texts["url"], "value")
    text, tokens = cut_background(texts["extract"])
    return Background(name, " ".join(texts["title"].split()), texts["url"], text, tokens)


def is_web_address(url: str) -> bool:
    """Whether a link may be shown to people: of the web, printable, without blanks."""
    return re.fullmatch(r"https?://[^\s<>\"'\x00-\x1f]+", url) is not None


def describe_field_fault(fault: FieldFault) -> str:
    place = path_text(fault.path)
    return f"{place}: {fault.message}" if place else fault.message

"""Entities and tags in columns of texts (`&amp;`, `<p>`), as exports of web sites have them: decoded and stripped where
nearly all of the first rows of a column look like it. A column in which one text speaks of a tag stays as it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from html import unescape
from itertools import chain, islice
from typing import Any

from epitome.formats.faults import Fault
from epitome.formats.html_pages import read_page
from epitome.formats.notes import Notes
from epitome.formats.rows import Row, Rows

MAX_EXAMINED = 50
LEAST_TAGGED = 0.9
"""The share of texts with tags from which on those of a column are stripped."""
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,30}|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_NAMES = r"(?:p|div|span|br|h[1-6]|[uo]l|li|table|tr|t[dh]|b|i|em|strong|a|blockquote|pre|font|section|article)"
_TAG = re.compile(rf"</?{_NAMES}(?:\s[^<>]*)?/?>", re.IGNORECASE)
_SURE_TAG = re.compile(rf"</{_NAMES}\s*>|<br\s*/?>", re.IGNORECASE)
Convert = Callable[[str], str]
TAGS_NOTE = "tags such as <p> in the column {column} are stripped"
NO_TAGS_NOTE = "the column {column} has no tags here, so that the text stays as it is"
ENTITIES_NOTE = "entities such as &amp; in the column {column} are decoded"


def decode_cells(rows: Rows, columns: Collection[str], notes: Notes) -> Rows:
    """The rows, with markup out of those of the columns that look like it, which are remarked."""
    head = list(islice(rows, MAX_EXAMINED))
    conversions: dict[str, Convert] = {}
    for column in columns:
        texts = [text for row in head if isinstance(row, Row) for text in _list_texts(row.values.get(column))]
        if convert := _choose(texts):
            conversions[column] = convert
            message = TAGS_NOTE if convert is strip_tags else ENTITIES_NOTE
            notes.add(message.format(column=column))
    everything = chain(head, rows)
    yield from everything if not conversions else (_convert_row(row, conversions, notes) for row in everything)


def _choose(texts: Iterable[str]) -> Convert | None:
    """What the texts of a column need: nearly all have a tag that closes, or every ampersand begins an entity."""
    sample = [text for text in texts if text.strip()]
    n_tagged = sum(_SURE_TAG.search(text) is not None for text in sample)
    if n_tagged and n_tagged >= LEAST_TAGGED * len(sample):
        return strip_tags
    n_entities = sum(len(_ENTITY.findall(text)) for text in sample)
    return decode_entities if 0 < n_entities == sum(text.count("&") for text in sample) else None


def strip_tags(text: str) -> str:
    """The text that a page would show; one without a tag stays as it is."""
    return read_page(text).text if _TAG.search(text) else text


def decode_entities(text: str) -> str:
    return _ENTITY.sub(lambda match: unescape(match[0]), text)


def _list_texts(value: Any) -> list[str]:
    return [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]


def _convert_row(row: Row | Fault, conversions: dict[str, Convert], notes: Notes) -> Row | Fault:
    if isinstance(row, Fault):
        return row
    values = dict(row.values)
    for column, convert in conversions.items():
        value = values.get(column)
        if convert is strip_tags and any(text.strip() and not _TAG.search(text) for text in _list_texts(value)):
            notes.add(NO_TAGS_NOTE.format(column=column), row.place)
        if isinstance(value, str):
            values[column] = convert(value)
        elif isinstance(value, list):
            values[column] = [convert(text) if isinstance(text, str) else text for text in value]
    return replace(row, values=values)

"""The values of a page that machines read: attributes, form values, JSON blocks. Texts for people are left out."""

import json
import re
from html.parser import HTMLParser
from itertools import groupby
from typing import Any

from tests.languages.pseudo import OPEN

HUMAN = {
    *("title", "alt", "placeholder", "label", "content", "lang", "dir"),
    *("aria-label", "aria-valuetext", "aria-description", "aria-current", "aria-roledescription"),
}
GEOMETRY = {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "d", "points", "width", "height", "viewbox", "transform"}
"""Labels of a figure are as long as their words, so places in it may differ; they are numbers in every language."""
NUMBERS = re.compile(r"[-\d.,\sA-Za-z()]*")
SECRET = {"nonce", "csrfmiddlewaretoken"}


class Values(HTMLParser):
    """Every start tag with its attributes, and every JSON block, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[str, dict[str, str]]] = []
        self.blocks: list[tuple[str, str]] = []
        self.block = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.block = values.get("id", "?") if tag == "script" and "json" in values.get("type", "") else ""
        if self.block:
            self.blocks.append((self.block, ""))
        if values.get("name") in SECRET:
            values.pop("value", None)
        self.rows.append((tag, {k: v for k, v in values.items() if k not in HUMAN and k not in SECRET}))

    def handle_data(self, data: str) -> None:
        if self.block:
            name, text = self.blocks[-1]
            self.blocks[-1] = (name, text + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self.block = ""


def read_values(html: str) -> Values:
    values = Values()
    values.feed(html)
    values.rows = _sort_options(values.rows)
    return values


def _sort_options(rows: list[tuple[str, dict[str, str]]]) -> list[tuple[str, dict[str, str]]]:
    """Choices may stand in the order of their words, such as names of languages: neighbours are sorted by value."""
    groups = groupby(rows, key=lambda row: row[0] == "option")
    return [
        row
        for are_options, group in groups
        for row in (sorted(group, key=lambda row: row[1].get("value", "")) if are_options else group)
    ]


def list_differences(english: str, other: str) -> list[str]:
    """What differs between two languages of a page and is no translated text."""
    values, right = read_values(english), read_values(other)
    values.rows, right.rows = _sort_options(values.rows), _sort_options(right.rows)
    for n, ((tag, mine), (other_tag, theirs)) in enumerate(zip(values.rows, right.rows, strict=False)):
        if tag != other_tag:
            return [f"element {n} is <{tag} {mine}> and <{other_tag} {theirs}>"]
    if len(values.rows) != len(right.rows):
        return [f"{len(values.rows)} elements and {len(right.rows)}"]
    items = []
    for (tag, mine), (_tag, theirs) in zip(values.rows, right.rows, strict=True):
        for name in mine.keys() | theirs.keys():
            value_before, value_after = mine.get(name), theirs.get(name)
            if name in GEOMETRY and NUMBERS.fullmatch(value_after or "-") and "," not in (value_after or ""):
                continue
            if (
                value_before != value_after
                and OPEN not in (value_after or "")
                and "%E2%9F%A6" not in (value_after or "")
            ):
                items.append(f"<{tag} {name}>: {value_before!r} became {value_after!r}")
    for (name, value_before), (_name, value_after) in zip(values.blocks, right.blocks, strict=True):
        items += [f"JSON {name}{where}" for where in _differ(json.loads(value_before), json.loads(value_after), "")]
    return items


def _sort_options(rows: list[tuple[str, dict[str, str]]]) -> list[tuple[str, dict[str, str]]]:
    """The elements with neighbouring options by their values: a page may sort them by their translated names."""
    ordered = []
    for tag, group in groupby(rows, key=lambda row: row[0]):
        elements = list(group)
        ordered += sorted(elements, key=lambda row: row[1].get("value", "")) if tag == "option" else elements
    return ordered


def _differ(before: Any, after: Any, where: str) -> list[str]:
    if isinstance(after, str) and OPEN in after and isinstance(before, str):
        return []
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return [line for key in before for line in _differ(before[key], after[key], f"{where}.{key}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [line for n in range(len(before)) for line in _differ(before[n], after[n], f"{where}[{n}]")]
    return [] if before == after else [f"{where}: {before!r} became {after!r}"]

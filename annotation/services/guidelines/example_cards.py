"""Worked examples as blocks of a guideline's Markdown: read, shown as cards, and written by a form.

    ```example
    request: Length short
    source: The council met on Monday.
    summary: The council met.
    why: One fact, no detail.
    ```

Further lines of a value are indented by two spaces. What is around the blocks is never touched.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

FIELDS = ("request", "source", "summary", "why")
INFO = "example"
MOST_CARDS = 50
_BLOCK = re.compile(r"^(`{3,})example[ \t]*\n(.*?)^\1[ \t]*(?:\n|\Z)", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(rf"({'|'.join(FIELDS)}):[ ]?(.*)")


@dataclass(frozen=True)
class ExampleCard:
    """source: the excerpt; request: what was asked; summary: a good answer; why: what makes it good."""

    request: str = ""
    source: str = ""
    summary: str = ""
    why: str = ""

    @property
    def is_empty(self) -> bool:
        return not any(getattr(self, name).strip() for name in FIELDS)


def parse_card(content: str) -> ExampleCard:
    """The card of a block's lines; lines before the first field belong to the source."""
    values: dict[str, list[str]] = {}
    name = "source"
    for line in content.rstrip("\n").split("\n"):
        match = _FIELD.fullmatch(line)
        if match:
            name = match[1]
            values[name] = [match[2]]
        else:
            values.setdefault(name, []).append(line.removeprefix("  "))
    return ExampleCard(**{key: "\n".join(lines).strip("\n") for key, lines in values.items()})


def write_card(card: ExampleCard) -> str:
    """The block of a card; its fence is longer than any in the values."""
    rows = [f"{name}: " + getattr(card, name).strip("\n").replace("\n", "\n  ") for name in FIELDS]
    content = "\n".join(row.rstrip() for row in rows)
    longest = max((len(run) for run in re.findall(r"`{3,}", content)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{INFO}\n{content}\n{fence}\n"


def read_cards(text: str) -> list[ExampleCard]:
    """The cards of a guideline, in order."""
    return [parse_card(match[2]) for match in _BLOCK.finditer(text)]


def write_cards(text: str, cards: Sequence[ExampleCard]) -> str:
    """The text with these cards in place of its own, in order: a block that did not change stays as it is, one without
    a card or with an empty one goes, and further cards are put behind the last."""
    left = list(cards)

    def replace(match: re.Match[str]) -> str:
        card = left.pop(0) if left else ExampleCard()
        if card == parse_card(match[2]):
            return match[0]
        return "" if card.is_empty else write_card(card)

    text = _BLOCK.sub(replace, text)
    for card in left:
        if not card.is_empty:
            text = f"{text.rstrip()}\n\n{write_card(card)}" if text.strip() else write_card(card)
    return text


def read_card_fields(data: Mapping[str, str]) -> list[ExampleCard]:
    """The cards of a sent form: card0-request and so on, as many as `cards` says."""
    number = data.get("cards", "")
    count = min(int(number), MOST_CARDS) if number.isdecimal() and len(number) < 4 else 0
    return [
        ExampleCard(**{name: data.get(f"card{index}-{name}", "").replace("\r\n", "\n").strip("\n") for name in FIELDS})
        for index in range(count)
    ]

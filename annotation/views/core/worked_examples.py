"""Worked examples of a guideline as cards: the request as chips, the text quoted, the verdict green or red.

Two notations become the same card: the block of `example_cards.py`, and a paragraph "**Example 9, not good.** request"
whose further lines are the summary in italics and what is to be said of it. A remark behind the comma marks what is
not to be imitated.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from markdown_it.tree import SyntaxTreeNode

from annotation.services.guidelines.example_cards import ExampleCard

_BREAKS = ("softbreak", "hardbreak")
_BETWEEN_WISHES = re.compile(r"[;,]\s+")


@dataclass(frozen=True)
class WorkedExample:
    """remark: why it is not to be imitated, "" for a good one. source: an excerpt of its own. notes: HTML."""

    name: str
    request: Sequence[str]
    quote: str
    notes: Sequence[SafeString | str]
    remark: str = ""
    source: str = ""


def plain_text(node: SyntaxTreeNode) -> str:
    if node.type in ("text", "code_inline"):
        return node.content
    return "".join(plain_text(child) for child in node.children)


def read_block(card: ExampleCard, name: str) -> WorkedExample:
    return WorkedExample(name, _split_request([card.request]), card.summary, [card.why], source=card.source)


def read_paragraph(nodes: Sequence[SyntaxTreeNode], notes: Sequence[SafeString]) -> WorkedExample | None:
    """The card of a paragraph that begins with the bold name of an example. nodes: its inline nodes; notes: its lines
    as HTML. None where it is a single line, which is no card."""
    lines = split_lines(nodes)
    if len(lines) < 2:
        return None
    (opening, *request), *others = lines
    name, _comma, remark = plain_text(opening).rstrip(".: ").partition(",")
    quotes = [_read_quote(line) for line in others]
    return WorkedExample(
        name=name,
        request=_split_request([node.content if node.type == "text" else node for node in request]),
        quote="\n".join(filter(None, quotes)),
        notes=[note for note, quote in zip(notes[1:], quotes, strict=True) if not quote],
        remark=remark.strip(),
    )


def split_lines(nodes: Iterable[SyntaxTreeNode]) -> list[list[SyntaxTreeNode]]:
    """Inline nodes by the lines that they were written on; without empty text at the start of a line."""
    lines: list[list[SyntaxTreeNode]] = [[]]
    for node in nodes:
        if node.type in _BREAKS:
            lines.append([])
        elif lines[-1] or node.type != "text" or node.content:
            lines[-1].append(node)
    return [line for line in lines if line]


def _read_quote(line: Sequence[SyntaxTreeNode]) -> str:
    """The text of a line that is in italics as a whole, else ""."""
    with_text = [node for node in line if plain_text(node).strip()]
    return plain_text(with_text[0]) if len(with_text) == 1 and with_text[0].type == "em" else ""


def _split_request(parts: Iterable[str | SyntaxTreeNode]) -> list[str]:
    """The wishes of a request, one chip each; commas inside of italics divide nothing."""
    wishes = [""]
    for part in parts:
        if isinstance(part, SyntaxTreeNode):
            wishes[-1] += plain_text(part)
            continue
        first, *more = _BETWEEN_WISHES.split(part)
        wishes[-1] += first
        wishes += more
    return [wish.strip().rstrip(".") for wish in wishes if wish.strip(" .")]


def render_example(example: WorkedExample, anchor: str) -> SafeString:
    verdict = ("danger", example.remark) if example.remark else ("ok", _("good"))
    quote = format_html('<blockquote dir="auto">{}</blockquote>', example.quote) if example.quote.strip() else ""
    source = format_html('<p class="excerpt" dir="auto">{}</p>', example.source) if example.source.strip() else ""
    return format_html(
        '<figure class="example-card{}" id="{}"><figcaption>{} <span class="status {}">{}</span></figcaption>'
        "{}{}{}{}</figure>",
        " not-good" if example.remark else "",
        anchor,
        example.name,
        *verdict,
        _render_request(example.request),
        source,
        quote,
        format_html_join("", '<p dir="auto">{}</p>', ((note,) for note in example.notes if note.strip())),
    )


def _render_request(wishes: Sequence[str]) -> SafeString | str:
    if not wishes:
        return ""
    return format_html('<p class="request">{}</p>', format_html_join(" ", "{}", ((_render_chip(w),) for w in wishes)))


def _render_chip(wish: str) -> SafeString:
    """A chip as on the bench: the attribute in grey, what is asked of it in bold."""
    name, _space, value = wish.partition(" ")
    if not value or not name[:1].isupper():
        return format_html('<span class="chip" dir="auto">{}</span>', wish)
    chip = '<span class="chip" dir="auto"><span class="name">{}</span> <span class="value">{}</span></span>'
    return format_html(chip, name, value)

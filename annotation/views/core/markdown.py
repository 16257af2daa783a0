"""Renders guideline Markdown as safe HTML: a fixed list of elements, everything else as text.

The text is parsed by markdown-it-py with raw HTML switched off, and the tree is written element by element with
Django's escaping. A first heading at the very beginning becomes the title of the page.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from unicodedata import bidirectional

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from annotation.services.guidelines.example_cards import INFO, ExampleCard, parse_card
from annotation.services.guidelines.versions import is_example
from annotation.views.core.worked_examples import (
    plain_text,
    read_block,
    read_paragraph,
    render_example,
    split_lines,
)

PLAIN = {
    "paragraph": "p",
    "strong": "strong",
    "em": "em",
    "s": "s",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "thead": "thead",
    "tbody": "tbody",
    "tr": "tr",
    "th": "th",
    "td": "td",
}
LINKS = ("https://", "http://", "mailto:", "/", "#")


@dataclass(frozen=True, slots=True)
class Heading:
    """One entry of the table of contents: id and text of a second-level heading."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """contents: the second-level headings. examples: the worked examples, at any level."""

    title: str
    html: SafeString
    contents: tuple[Heading, ...]
    examples: tuple[Heading, ...] = ()


@dataclass(slots=True)
class _Outline:
    contents: list[Heading] = field(default_factory=list)
    examples: list[Heading] = field(default_factory=list)

    def example(self, words: str) -> str:
        """Add a worked example and return its id."""
        self.examples.append(Heading(f"example-{len(self.examples) + 1}", words))
        return self.examples[-1].id


def render_markdown(text: str) -> Rendered:
    """HTML and table of contents of a Markdown text, cached per process and language."""
    return _render_text(text, get_language())


@lru_cache(maxsize=64)
def _render_text(text: str, _language: str | None) -> Rendered:
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    root = SyntaxTreeNode(parser.parse(text))
    nodes = list(root.children)
    title = ""
    if nodes and nodes[0].type == "heading" and nodes[0].tag == "h1":
        title = plain_text(nodes.pop(0))
    outline = _Outline()
    return Rendered(title, _render_blocks(nodes, outline), tuple(outline.contents), tuple(outline.examples))


def _render_blocks(nodes: list[SyntaxTreeNode], outline: _Outline) -> SafeString:
    """The blocks of a page; the text that examples are about stands beside them."""
    parts: list[SafeString] = []
    while nodes:
        n_quoted = _count_quoted(nodes)
        n_examples = sum(1 for _node in takewhile(_is_card, nodes[n_quoted:])) if n_quoted else 0
        if not n_examples:
            parts.append(_render_node(nodes[0], outline))
            nodes = nodes[1:]
            continue
        quoted, examples = nodes[:n_quoted], nodes[n_quoted : n_quoted + n_examples]
        parts.append(
            format_html(
                '<div class="examples-beside"><div class="examples-text">{}</div>'
                '<div tabindex="0" role="group" aria-label="{}">{}</div></div>',
                _render_nodes(quoted, outline),
                _("Worked examples"),
                _render_nodes(examples, outline),
            )
        )
        nodes = nodes[n_quoted + n_examples :]
    return format_html_join("", "{}", ((part,) for part in parts))


def _count_quoted(nodes: list[SyntaxTreeNode]) -> int:
    """How many nodes at the start are a quoted text, with the paragraph that announces it."""
    kinds = [node.type for node in nodes[:2]]
    return 1 if kinds[:1] == ["blockquote"] else 2 if kinds == ["paragraph", "blockquote"] else 0


def _is_card(node: SyntaxTreeNode) -> bool:
    is_block = node.type == "fence" and node.info.strip() == INFO
    return is_block or (node.type == "paragraph" and _opens_example(node))


def _render_nodes(nodes: list[SyntaxTreeNode], outline: _Outline) -> SafeString:
    return format_html_join("", "{}", ((_render_node(node, outline),) for node in nodes))


def _render_node(node: SyntaxTreeNode, outline: _Outline) -> SafeString:
    kind = node.type
    if kind in ("text", "html_inline", "html_block"):
        return format_html("{}", node.content)
    if kind == "softbreak":
        return format_html("{}", "\n")
    if kind in ("hardbreak", "hr"):
        return format_html("<br>" if kind == "hardbreak" else "<hr>")
    if kind == "code_inline":
        return format_html("<code>{}</code>", node.content)
    if kind == "fence" and node.info.strip() == INFO:
        return _render_card(parse_card(node.content), outline)
    if kind in ("fence", "code_block"):
        return format_html("<pre><code>{}</code></pre>", node.content)
    if kind == "image":
        return format_html("{}", node.content)
    if kind == "heading":
        return _render_heading(node, outline)
    inside = _render_nodes(node.children, outline)
    if kind == "link":
        return _render_link(str(node.attrs.get("href", "")), inside)
    if kind == "table":
        direction = _find_direction(plain_text(node))
        return format_html('<div class="table-scroll"><table dir="{}">{}</table></div>', direction, inside)
    if kind == "paragraph" and node.hidden:
        return inside
    if kind == "paragraph" and _opens_example(node):
        return _render_example(node, inside, outline)
    if kind in ("paragraph", "list_item", "blockquote", "th", "td"):
        return format_html('<{0} dir="auto">{1}</{0}>', PLAIN[kind], inside)
    if kind in PLAIN:
        return format_html("<{0}>{1}</{0}>", PLAIN[kind], inside)
    return inside


def _render_card(card: ExampleCard, outline: _Outline) -> SafeString:
    title = _("Example %(n)d") % {"n": len(outline.examples) + 1}
    return render_example(read_block(card, title), outline.example(title))


def _render_example(node: SyntaxTreeNode, inside: SafeString, outline: _Outline) -> SafeString:
    """A paragraph that begins with the name of an example: a card where it has lines for its parts."""
    anchor = outline.example(plain_text(_first_inline(node)))
    nodes = node.children[0].children
    example = read_paragraph(nodes, [_render_nodes(line, outline) for line in split_lines(nodes)])
    if example is None:
        return format_html('<p id="{}" dir="auto">{}</p>', anchor, inside)
    return render_example(example, anchor)


def _render_heading(node: SyntaxTreeNode, outline: _Outline) -> SafeString:
    level = max(2, int(node.tag[1:]))
    inside = _render_nodes(node.children, outline)
    if level > 2 and is_example(plain_text(node)):
        return format_html('<h{0} id="{1}" dir="auto">{2}</h{0}>', level, outline.example(plain_text(node)), inside)
    if level > 2:
        return format_html('<h{0} dir="auto">{1}</h{0}>', level, inside)
    heading = Heading(f"section-{len(outline.contents) + 1}", plain_text(node))
    outline.contents.append(heading)
    if is_example(heading.text):
        outline.examples.append(heading)
    return format_html('<h2 id="{}" dir="auto">{}</h2>', heading.id, inside)


def _opens_example(node: SyntaxTreeNode) -> bool:
    """Whether a paragraph begins with the bold name of a worked example, as in "**Example 3.** ..."."""
    opening = _first_inline(node)
    return opening.type == "strong" and is_example(plain_text(opening))


def _first_inline(paragraph: SyntaxTreeNode) -> SyntaxTreeNode:
    """The first inline node that is not empty text; the paragraph itself if there is none."""
    inline = paragraph.children[0].children if paragraph.children else []
    return next((child for child in inline if child.type != "text" or child.content), paragraph)


def _find_direction(text: str) -> str:
    """ "rtl" where the first letter is of a script that runs to the left, else "ltr": for an element whose parts are
    dir="auto", which the browser therefore does not ask."""
    kinds = (bidirectional(letter) for letter in text)
    return "rtl" if next((kind for kind in kinds if kind in ("L", "R", "AL")), "L") != "L" else "ltr"


def _render_link(href: str, inside: SafeString) -> SafeString:
    if not href.startswith(LINKS) or href.startswith("//"):
        return inside
    return format_html('<a href="{}" rel="noopener">{}</a>', href, inside)

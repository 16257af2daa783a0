"""Markdown of guidelines as HTML that cannot carry a script: a fixed list of elements, everything else as text.

The text is parsed by markdown-it-py with raw HTML switched off, and the tree is written element by element with
Django's escaping. A first heading at the very beginning becomes the title of the page.
"""

from dataclasses import dataclass, field
from functools import lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from annotation.services.guidelines import is_example

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
    """One entry of the contents: the id of a second-level heading and its words."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    """contents: the second-level headings. examples: the worked examples, wherever they stand."""

    title: str
    html: SafeString
    contents: tuple[Heading, ...]
    examples: tuple[Heading, ...] = ()


@dataclass(slots=True)
class _Found:
    contents: list[Heading] = field(default_factory=list)
    examples: list[Heading] = field(default_factory=list)

    def example(self, words: str) -> str:
        """The id of one more worked example."""
        self.examples.append(Heading(f"example-{len(self.examples) + 1}", words))
        return self.examples[-1].id


@lru_cache(maxsize=64)
def render(text: str) -> Rendered:
    """HTML and contents of a Markdown text. The same text is rendered once per process."""
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    root = SyntaxTreeNode(parser.parse(text))
    nodes = list(root.children)
    title = ""
    if nodes and nodes[0].type == "heading" and nodes[0].tag == "h1":
        title = _words(nodes.pop(0))
    found = _Found()
    return Rendered(title, _all(nodes, found), tuple(found.contents), tuple(found.examples))


def _all(nodes: list[SyntaxTreeNode], found: _Found) -> SafeString:
    return format_html_join("", "{}", ((_one(node, found),) for node in nodes))


def _one(node: SyntaxTreeNode, found: _Found) -> SafeString:
    kind = node.type
    if kind in ("text", "html_inline", "html_block"):
        return format_html("{}", node.content)
    if kind == "softbreak":
        return format_html("{}", "\n")
    if kind in ("hardbreak", "hr"):
        return format_html("<br>" if kind == "hardbreak" else "<hr>")
    if kind == "code_inline":
        return format_html("<code>{}</code>", node.content)
    if kind in ("fence", "code_block"):
        return format_html("<pre><code>{}</code></pre>", node.content)
    if kind == "image":
        return format_html("{}", node.content)
    if kind == "heading":
        return _heading(node, found)
    inside = _all(node.children, found)
    if kind == "link":
        return _link(str(node.attrs.get("href", "")), inside)
    if kind == "table":
        return format_html('<div class="table-scroll"><table>{}</table></div>', inside)
    if kind == "paragraph" and node.hidden:
        return inside
    if kind == "paragraph" and _opens_example(node):
        name = found.example(_words(_opening(node)))
        return format_html('<p id="{}" dir="auto">{}</p>', name, inside)
    if kind in ("paragraph", "list_item", "blockquote", "th", "td"):
        return format_html('<{0} dir="auto">{1}</{0}>', PLAIN[kind], inside)
    if kind in PLAIN:
        return format_html("<{0}>{1}</{0}>", PLAIN[kind], inside)
    return inside


def _heading(node: SyntaxTreeNode, found: _Found) -> SafeString:
    level = max(2, int(node.tag[1:]))
    inside = _all(node.children, found)
    if level > 2 and is_example(_words(node)):
        return format_html('<h{0} id="{1}" dir="auto">{2}</h{0}>', level, found.example(_words(node)), inside)
    if level > 2:
        return format_html('<h{0} dir="auto">{1}</h{0}>', level, inside)
    heading = Heading(f"section-{len(found.contents) + 1}", _words(node))
    found.contents.append(heading)
    if is_example(heading.text):
        found.examples.append(heading)
    return format_html('<h2 id="{}" dir="auto">{}</h2>', heading.id, inside)


def _opens_example(node: SyntaxTreeNode) -> bool:
    """Whether a paragraph begins with the bold name of a worked example, as in "**Example 3.** ..."."""
    opening = _opening(node)
    return opening.type == "strong" and is_example(_words(opening))


def _opening(paragraph: SyntaxTreeNode) -> SyntaxTreeNode:
    """The first thing in a paragraph that is not an empty text; the paragraph itself where there is none."""
    inline = paragraph.children[0].children if paragraph.children else []
    return next((one for one in inline if one.type != "text" or one.content), paragraph)


def _words(node: SyntaxTreeNode) -> str:
    if node.type in ("text", "code_inline"):
        return node.content
    return "".join(_words(child) for child in node.children)


def _link(href: str, inside: SafeString) -> SafeString:
    if not href.startswith(LINKS) or href.startswith("//"):
        return inside
    return format_html('<a href="{}" rel="noopener">{}</a>', href, inside)

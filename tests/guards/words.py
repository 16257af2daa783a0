"""Words and numbers on the screen: plural forms, "1 are", keys of the database, numbers past the one formatter."""

import ast
import re
from collections.abc import Iterator

from tests.guards.checkout import Checkout

BLOCK = re.compile(r"\{%\s*blocktrans(?:late)?\b([^%]*)%\}(.*?)\{%\s*endblocktrans(?:late)?\s*%\}", re.DOTALL)
LIMIT = (
    r"(?<!at most )(?<!up to )(?<![01] to )(?<!\}\} to )(?<!\)[sd] to )"
    r"(?<!more than )(?<!longer than )(?<!deeper than )"
)
"""What follows these is a limit or the end of a range: the plural is right for every number."""
NOUN = r"\s+(?:[a-z]+\s+)?([a-z]{2,}s)\b(?!/)"
VERB = r"\s+(?:are|were|have|wait|need)\b"
IN_TEMPLATE = re.compile(rf"{LIMIT}\{{\{{\s*[\w.]+(?:\|[^}}]*)?\s*\}}\}}(?:{NOUN}|{VERB})")
IN_PYTHON = re.compile(rf"{LIMIT}%\(\w+\)[sd](?:{NOUN}|{VERB})")
NOT_PLURAL = {
    "has",
    "was",
    "this",
    "does",
    "progress",
    "takes",
    "works",
    "means",
    "says",
    "stands",
    "skips",
    "is",
    "as",
}
ONE_ARE = re.compile(r"(?<![\w.,/-])(?:1|one) (?:are|were|have)\b", re.IGNORECASE)
NUMBER_FILTER = re.compile(r"\|(?:floatformat|stringformat|intcomma|localize|unlocalize)\b")
NUMBERS_SHOWN = re.compile(r"/(?:views|templatetags|services/(?:statistics|staff|inspection|overlap))/")
NUMBER_SPEC = re.compile(r"[,_+]|[fgeE%]$")
NUMBER_IN_MESSAGE = re.compile(r"%\(\w+\)[+,]?\.?\d*[fgeE]\b")
NUMBER_IN_SCRIPT = re.compile(r"\.toFixed\(|\.toLocaleString\(|\bNumberFormat\b|\.toPrecision\(")
SINGULAR_ONLY = {"_", "gettext", "gettext_lazy", "pgettext", "pgettext_lazy"}
TAG = re.compile(r"<(?:\{[{%#].*?[%}#]\}|[^<>])*>", re.DOTALL)
KEY = re.compile(r"\{\{\s*[\w.]+\.(?:kind|state|status|verb|role|verdict)\s*\}\}")


def find_missing_plurals(checkout: Checkout) -> Iterator[str]:
    """A number and its noun or verb in a text without plural forms."""
    yield from _counted_in_templates(checkout)
    yield from _counted_in_python(checkout)


def _counted_in_templates(checkout: Checkout) -> Iterator[str]:
    for name in checkout.templates:
        text = checkout.read(name)
        for block in BLOCK.finditer(text):
            if "count" not in block[1].split() and (counted := _find_counted(IN_TEMPLATE, block[2])):
                yield f"{name}:{_line_of(text, block)}: {counted!r} has no plural: use blocktranslate count"


def _counted_in_python(checkout: Checkout) -> Iterator[str]:
    for name, line, text in _list_messages(checkout):
        if counted := _find_counted(IN_PYTHON, text):
            yield f"{name}:{line}: {counted!r} has no plural: use ngettext"


def _find_counted(pattern: re.Pattern[str], text: str) -> str:
    texts = (match[0] for match in pattern.finditer(" ".join(text.split())) if match[1] not in NOT_PLURAL)
    return next(texts, "")


def _list_messages(checkout: Checkout) -> Iterator[tuple[str, int, str]]:
    """(file, line, text) of every text that is marked for translation and has one form only."""
    for name, tree in checkout.trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SINGULAR_ONLY:
                text = node.args[-1] if node.args else None
                if isinstance(text, ast.Constant) and isinstance(text.value, str):
                    yield name, node.lineno, text.value


def find_one_are(checkout: Checkout) -> Iterator[str]:
    for name in checkout.templates:
        text = checkout.read(name)
        for match in ONE_ARE.finditer(text):
            yield f"{name}:{_line_of(text, match)}: {match[0]!r}"
    for name, line, text in _list_messages(checkout):
        if match := ONE_ARE.search(text):
            yield f"{name}:{line}: {match[0]!r}"


def find_shown_keys(checkout: Checkout) -> Iterator[str]:
    """A key of the database as text of a page (attributes may hold keys)."""
    for name in checkout.templates:
        text = TAG.sub(lambda tag: re.sub(r"[^\n]", " ", tag[0]), checkout.read(name))
        for match in KEY.finditer(text):
            yield f"{name}:{_line_of(text, match)}: {match[0]} shows a key"


def find_unformatted_numbers(checkout: Checkout) -> Iterator[str]:
    """Numbers that a page, message or script writes past epitome/figures/numbers.py and static/js/numbers.js."""
    for name in checkout.templates:
        text = checkout.read(name)
        for match in NUMBER_FILTER.finditer(text):
            yield f"{name}:{_line_of(text, match)}: {match[0]} instead of spaced, decimal, share or percent"
    for name, tree in checkout.trees.items():
        if NUMBERS_SHOWN.search(name):
            yield from _formatted_in_code(name, tree)
    for name, line, text in _list_messages(checkout):
        if match := NUMBER_IN_MESSAGE.search(text):
            yield f"{name}:{line}: {match[0]} instead of a number of epitome/figures/numbers.py"
    for name in checkout.names:
        if re.match(r"static/js/(?!numbers\.js)[\w-]+\.js$", name):
            text = checkout.read(name)
            for match in NUMBER_IN_SCRIPT.finditer(text):
                yield f"{name}:{_line_of(text, match)}: {match[0]} instead of a function of numbers.js"


def _formatted_in_code(name: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            spec = "".join(str(part.value) for part in node.format_spec.values if isinstance(part, ast.Constant))
            if NUMBER_SPEC.search(spec):
                yield f"{name}:{node.lineno}: :{spec} instead of a function of epitome/figures/numbers.py"


def _line_of(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1

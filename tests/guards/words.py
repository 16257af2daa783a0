"""Words on the screen: counted things without plural forms, "1 are", and keys of the database shown to people."""

import ast
import re
from collections.abc import Iterator

from tests.guards.checkout import Checkout

PLURALS_MISSING = 55
KEYS_SHOWN = 15
"""At most so many places. Mend some and lower the number; nobody raises it."""
BLOCK = re.compile(r"\{%\s*blocktrans(?:late)?\b([^%]*)%\}(.*?)\{%\s*endblocktrans(?:late)?\s*%\}", re.DOTALL)
LIMIT = r"(?<!at most )(?<!up to )(?<![01] to )(?<!more than )(?<!longer than )(?<!deeper than )"
"""What follows these is a limit, always more than one."""
NOUN = r"\s+(?:[a-z]+\s+)?([a-z]{2,}s)\b"
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
SINGULAR_ONLY = {"_", "gettext", "gettext_lazy", "pgettext", "pgettext_lazy"}
TAG = re.compile(r"<(?:\{[{%#].*?[%}#]\}|[^<>])*>", re.DOTALL)
KEY = re.compile(r"\{\{\s*[\w.]+\.(?:kind|state|status|verb|role|verdict)\s*\}\}")


def find_missing_plurals(checkout: Checkout) -> Iterator[str]:
    """Every place, once they are too many: a number and its noun or verb in a text without plural forms."""
    places = [*_counted_in_templates(checkout), *_counted_in_python(checkout)]
    if len(places) > PLURALS_MISSING:
        yield from places


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
    """Every place, once they are too many: a key of the database as text of a page (attributes may hold keys)."""
    places = []
    for name in checkout.templates:
        text = TAG.sub(lambda tag: re.sub(r"[^\n]", " ", tag[0]), checkout.read(name))
        places += [f"{name}:{_line_of(text, match)}: {match[0]} shows a key" for match in KEY.finditer(text)]
    if len(places) > KEYS_SHOWN:
        yield from places


def _line_of(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1

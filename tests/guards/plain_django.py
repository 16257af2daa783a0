"""Pages in plain Django: rows with names in templates, and prepared queries only where every request needs them."""

import ast
import re
from collections.abc import Iterator

from tests.guards.checkout import Checkout

MOST_NAMES = 3
"""A loop of a template may unpack so many; of a longer row it names the fields."""
MOST_PREPARED = 30
PREPARED = {"Prepared", "PreparedUpdate", "PreparedInsert"}
LOOP = re.compile(r"\{%-?\s*for\s+(?P<names>[^%]+?)\s+in\s")


def find_positional_rows(checkout: Checkout) -> Iterator[str]:
    for name in checkout.templates:
        text = checkout.read(name)
        for loop in LOOP.finditer(text):
            n_names = loop["names"].count(",") + 1
            if n_names > MOST_NAMES:
                line = text.count("\n", 0, loop.start()) + 1
                yield f"{name}:{line}: a loop unpacks {n_names} names; name the fields of the row"


def find_prepared_definitions(checkout: Checkout) -> Iterator[str]:
    """Every place, once they are too many: what a page needs is a plain queryset."""
    places = [
        f"{name}:{node.lineno}: {node.func.id}(...), one of more than {MOST_PREPARED} prepared queries"
        for name, tree in checkout.trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PREPARED
    ]
    if len(places) > MOST_PREPARED:
        yield from places

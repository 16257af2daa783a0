"""Switches by kind: what depends on a kind is a trait of it, declared once and asked everywhere."""

import ast
from collections.abc import Iterator

from tests.guards.checkout import Checkout

KIND_ATTRIBUTES = {"kind", "type"}
SWITCHES = {
    "annotation/services/staff/bulk_actions.py": "calls the service of each action that it lists",
    "annotation/views/core/markdown.py": "nodes of markdown-it",
    "annotation/views/core/worked_examples.py": "nodes of markdown-it",
    "epitome/systems/controlled_extract/gate.py": "edits of one sentence",
}
"""Modules that may compare kinds, with what of."""
LIBRARY_OBJECTS = {"device", "dtype"}
"""Objects of torch and numpy whose type has no traits of ours."""


def find_kind_switches(checkout: Checkout) -> Iterator[str]:
    """Comparisons of `.kind` or `.type` with a text or an enum's member, but for a class's own (`self.kind`)."""
    for name, tree in checkout.trees.items():
        if name in SWITCHES:
            continue
        for node in ast.walk(tree):
            for kind in _list_compared_kinds(node):
                yield f"{name}:{kind.lineno}: {ast.unparse(kind)} compared with a name: ask the kind for a trait"


def _list_compared_kinds(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Match):
        return [node.subject] if _is_kind(node.subject) else []
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return [side for side in sides if _is_kind(side)] if any(map(_is_name_of_kind, sides)) else []
    return []


def _is_kind(node: ast.expr) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr not in KIND_ATTRIBUTES:
        return False
    owner = node.value
    owner_name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
    return owner_name not in {"self", *LIBRARY_OBJECTS}


def _is_name_of_kind(node: ast.expr) -> bool:
    """A text, an enum's member, or a collection that is written with one."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(map(_is_name_of_kind, node.elts))
    if isinstance(node, ast.Attribute):
        return node.attr.isupper()
    return isinstance(node, ast.Constant) and isinstance(node.value, str)

"""Private parts of libraries and of other modules are used only where docs/architecture.md lists them."""

import ast
import re
from collections.abc import Iterator

from tests.guards.checkout import Checkout

TABLE = "docs/architecture.md"
ROW = re.compile(r"^\| `([\w/]+\.py)` \| (.*?) \|")
PRIVATE = re.compile(r"^_[^_]")
DOCUMENTED = {
    *("_meta", "_base_manager", "_default_manager"),  # of Django's models
    *("_asdict", "_fields", "_make", "_replace"),  # of named tuples
}


def find_private_parts(checkout: Checkout) -> Iterator[str]:
    """`x._name`, where neither x is `self` nor the module defines the name; `super()._name`; imports of `_name`."""
    rows = _read_table(checkout)
    for name, tree in checkout.trees.items():
        for line, part in _list_private_parts(tree):
            if part not in rows.get(name, ""):
                yield f"{name}:{line}: {part} is private and not in the table of {TABLE}"
    for name, cell in rows.items():
        text = checkout.read(name) if name in checkout.names else ""
        for part in re.findall(r"\b_\w+", cell):
            if part not in text:
                yield f"{TABLE}: {name} does not use {part} any more"


def _read_table(checkout: Checkout) -> dict[str, str]:
    """Module -> what of which library it uses, as the table says."""
    if TABLE not in checkout.names:
        return {}
    section = checkout.read(TABLE).partition("\n## Private parts")[2].partition("\n## ")[0]
    return {row[1]: row[2] for row in map(ROW.match, section.splitlines()) if row}


def _list_private_parts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    own_names = {name for node in ast.walk(tree) for name in _defined_names(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, alias.name) for alias in node.names if PRIVATE.match(alias.name))
        elif isinstance(node, ast.Attribute) and PRIVATE.match(node.attr) and node.attr not in DOCUMENTED:
            base = node.value
            is_super = isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super"
            is_own = node.attr in own_names or (isinstance(base, ast.Name) and base.id in ("self", "cls"))
            if is_super or not is_own:
                yield node.lineno, node.attr


def _defined_names(node: ast.AST) -> Iterator[str]:
    """Functions, classes, variables and fields that a node defines, and attributes that it sets on `self`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
        yield node.attr

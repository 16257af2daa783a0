"""The names that pages read from forms and addresses, found in the code of the views."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("annotation", "evaluation", "modelbridge")
SENT = ("POST", "GET")


def list_names() -> set[str]:
    """Read by a view, or a field of a form."""
    files = [path for app in APPS for path in (ROOT / app / "views").rglob("*.py")]
    trees = [ast.parse(path.read_text()) for path in files]
    return {name for tree in trees for node in ast.walk(tree) for name in read_names(node)}


def read_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and is_sent(node.func.value):
        yield from text_of(node.args[:1])
    elif isinstance(node, ast.Subscript) and is_sent(node.value):
        yield from text_of([node.slice])
    elif isinstance(node, ast.ClassDef):
        for line in node.body:
            if is_field(line):
                yield line.targets[0].id  # type: ignore[attr-defined]


def is_sent(node: ast.AST) -> bool:
    """Whether this is request.POST or request.GET."""
    return isinstance(node, ast.Attribute) and node.attr in SENT


def is_field(line: ast.stmt) -> bool:
    """Whether a line of a class is `name = forms.SomethingField(...)`."""
    if not (
        isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name) and isinstance(line.value, ast.Call)
    ):
        return False
    called = line.value.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name.endswith("Field") and name not in ("BooleanField", "IntegerField", "FloatField", "DecimalField")


def text_of(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value

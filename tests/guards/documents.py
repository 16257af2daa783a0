"""What documents name must be there: links, paths of the checkout, modules to run, and the constants of a file."""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath

from tests.guards.checkout import Checkout

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
QUOTED = re.compile(r"`([^`\s]+)")
MODULE = re.compile(r"\bpython3? -m ((?:benchmarks|tests|tools)(?:\.\w+)*)")
FOLDERS = re.compile(
    r"(?:annotation|benchmarks|docs|epitome|evaluation|modelbridge|static|templates|tests|tools)/[\w./-]*$"
)
"""Paths that are checked; one with a placeholder (`views/FEATURE/`, `*`) is not."""
CONSTANTS = re.compile(r"((?:`[A-Z]\w+`, )*`[A-Z]\w+`) (?:in |\()`([\w./-]+\.py)`")
"""One or several names and their file, as in: `LAUNCHED` in `launch.py`."""
PLACEHOLDER = re.compile(r"/[A-Z]{2,}(?:/|$)")


def find_missing_paths(checkout: Checkout) -> Iterator[str]:
    """Links, quoted paths and modules that a document names and that nothing in the checkout has."""
    present = set(checkout.names)
    present |= {str(folder) for name in checkout.names for folder in PurePosixPath(name).parents}
    for name, number, line in _list_lines(checkout):
        for path in _list_paths(line, str(PurePosixPath(name).parent)):
            if path not in present:
                yield f"{name}:{number}: there is no {path}"


def find_missing_constants(checkout: Checkout) -> Iterator[str]:
    """Constants and classes that a document names with a file which does not define them."""
    for name, number, line in _list_lines(checkout):
        for constants, path in CONSTANTS.findall(line):
            files = [file for file in checkout.names if f"/{file}".endswith(f"/{path}")]
            defined = {constant for file in files for constant in _list_defined(ast.parse(checkout.read(file)))}
            for constant in constants.replace("`", "").split(", "):
                if constant not in defined:
                    yield f"{name}:{number}: {path} does not define {constant}"


def find_unnamed_pages(checkout: Checkout) -> Iterator[str]:
    """Pages of documentation that README.md does not name."""
    readme = checkout.read("README.md") if "README.md" in checkout.names else ""
    for name in checkout.names if readme else ():
        if name.startswith("docs/") and name.endswith(".md") and f"({name}" not in readme:
            yield f"README.md: does not name {name}"


def _list_lines(checkout: Checkout) -> Iterator[tuple[str, int, str]]:
    """(document, number, text) of the lines of all documents."""
    for name in checkout.names:
        if name.endswith(".md") and (name.startswith("docs/") or "/" not in name):
            for number, line in enumerate(checkout.read(name).splitlines(), 1):
                yield name, number, line


def _list_defined(tree: ast.Module) -> Iterator[str]:
    """Names that a module assigns or declares at its top level; what it imports is defined elsewhere."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        yield from (target.id for target in targets if isinstance(target, ast.Name))


def _list_paths(line: str, folder: str) -> Iterator[str]:
    for link in LINK.findall(line):
        yield normpath(f"{folder}/{link}")
    for quoted in QUOTED.findall(line):
        if FOLDERS.match(quoted) and not PLACEHOLDER.search(quoted):
            yield normpath(quoted.rstrip("."))
    for module in MODULE.findall(line):
        path = module.replace(".", "/")
        yield path if path in ("benchmarks", "tests", "tests/guards") else f"{path}.py"

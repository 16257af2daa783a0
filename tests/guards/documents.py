"""What documents name must be there: links, paths of the checkout and modules to run."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath

from tests.guards.checkout import Checkout

LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
QUOTED = re.compile(r"`([^`\s]+)")
MODULE = re.compile(r"\bpython3? -m ((?:benchmarks|tests)(?:\.\w+)*)")
FOLDERS = re.compile(r"(?:annotation|benchmarks|docs|epitome|evaluation|modelbridge|static|templates|tests)/[\w./-]*$")
"""Paths that are checked; one with a placeholder (`views/FEATURE/`, `*`) is not."""
PLACEHOLDER = re.compile(r"/[A-Z]{2,}(?:/|$)")


def find_missing_paths(checkout: Checkout) -> Iterator[str]:
    """Links, quoted paths and modules that a document names and that nothing in the checkout has."""
    present = set(checkout.names)
    present |= {str(folder) for name in checkout.names for folder in PurePosixPath(name).parents}
    for name in checkout.names:
        if not name.endswith(".md") or (name.count("/") and not name.startswith("docs/")):
            continue
        for number, line in enumerate(checkout.read(name).splitlines(), 1):
            for path in _list_paths(line, str(PurePosixPath(name).parent)):
                if path not in present:
                    yield f"{name}:{number}: there is no {path}"


def _list_paths(line: str, folder: str) -> Iterator[str]:
    for link in LINK.findall(line):
        yield normpath(f"{folder}/{link}")
    for quoted in QUOTED.findall(line):
        if FOLDERS.match(quoted) and not PLACEHOLDER.search(quoted):
            yield normpath(quoted.rstrip("."))
    for module in MODULE.findall(line):
        path = module.replace(".", "/")
        yield path if path in ("benchmarks", "tests", "tests/guards") else f"{path}.py"

"""The files that guards read: what git tracks, and new files that it does not ignore."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("annotation", "evaluation", "modelbridge", "epitome")
SUPPORT = ("tests", "benchmarks", "tools")
NOT_CODE = re.compile(r"(^|/)(tests|migrations|vendor|vendored|pipelines|generated)/")
NOT_OURS = re.compile(r"(^|/)(tests|vendor|node_modules|docs)/|\.min\.css$")


class Checkout:
    """The files of one checkout; names are relative to its root. Each Python file is parsed once."""

    def __init__(self, root: Path = ROOT, names: list[str] | None = None) -> None:
        self.root = root
        self.names = names if names is not None else self._list_files()

    def _list_files(self) -> list[str]:
        command = ["git", "ls-files", "-co", "--exclude-standard"]
        out = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout
        return sorted({name for name in out.splitlines() if (self.root / name).is_file()})

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """Code of the apps, without tests, migrations and what was trained, generated or copied from elsewhere."""
        return {
            name: ast.parse(self.read(name), name)
            for name in self.names
            if name.endswith(".py") and name.split("/")[0] in APPS and not NOT_CODE.search(name)
        }

    @cached_property
    def support_trees(self) -> dict[str, ast.Module]:
        """Tests, benchmarks and tools."""
        names = [name for name in self.names if name.endswith(".py") and name.split("/")[0] in SUPPORT]
        return {name: ast.parse(self.read(name), name) for name in names}

    @cached_property
    def templates(self) -> list[str]:
        """Pages and mails."""
        return [
            name
            for name in self.names
            if "templates/" in name and name.endswith((".html", ".txt")) and not NOT_OURS.search(name)
        ]

    @cached_property
    def stylesheets(self) -> list[str]:
        return [name for name in self.names if name.endswith(".css") and not NOT_OURS.search(name)]

    def functions(self) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """(file, function) of every function at module level."""
        for name, tree in self.trees.items():
            for node in tree.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield name, node

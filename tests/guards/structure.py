"""Where files stand, how long they are, and who imports whom."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.guards.checkout import APPS, Checkout

LINE, FUNCTION, FILE = 120, 60, 400
"""The greatest length: of a template's or stylesheet's line in characters, of a function and of a module in lines."""
ATTRIBUTE_IGNORES = 5
IGNORE = re.compile(r"#\s*type:\s*ignore\[[^\]]*attr-defined")
LAYERS = ("services", "views", "api")
BESIDE_FEATURES = {"services/example.py", "api/urls.py", "views/urls.py"}
EDGE_FEATURES = {
    "annotation": {"jobs", "help", "search"},  # jobs: a layer below the services; help, search: no service of their own
    "evaluation": {"core", "questions"},  # questions: a template per type of question, named by it
    "modelbridge": {"core"},
}
"""Folders of views, API and templates that no service has."""
CONTRACTS = {
    "apps one way",
    "annotation: models, services, edges",
    "modelbridge: models, services, edges",
    "evaluation: models, services, edges",
    "features of annotation's services",
    "features of modelbridge's services",
    "features of evaluation's services",
    "services know neither views nor API",
    "the library imports no Django, no app and nothing of the site",
    "the site knows no app but in its URLs",
    "rooms of the library",
}


def find_long_lines(checkout: Checkout) -> Iterator[str]:
    for name in (*checkout.templates, *checkout.stylesheets):
        for number, line in enumerate(checkout.read(name).splitlines(), 1):
            if len(line) > LINE:
                yield f"{name}:{number}: {len(line)} characters in a line"


def find_long_functions(checkout: Checkout) -> Iterator[str]:
    for name, tree in checkout.trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > FUNCTION:
                    yield f"{name}:{node.lineno}: {node.name}() has {length} lines"


def find_long_files(checkout: Checkout) -> Iterator[str]:
    for name in checkout.trees:
        length = len(checkout.read(name).splitlines())
        if length > FILE:
            yield f"{name}: {length} lines"


def find_ignored_attributes(checkout: Checkout) -> Iterator[str]:
    """Every place, once they are too many: values hung on objects whose class does not know them."""
    places = [
        f"{name}:{number}: type: ignore[attr-defined]"
        for name in checkout.trees
        for number, line in enumerate(checkout.read(name).splitlines(), 1)
        if IGNORE.search(line)
    ]
    if len(places) > ATTRIBUTE_IGNORES:
        yield from places


def find_upward_imports(checkout: Checkout) -> Iterator[str]:
    """Imports of views or API by a service of any app, also inside functions."""
    for name, tree in checkout.trees.items():
        folders = name.split("/")[:-1]
        if "services" not in folders:
            continue
        for node in ast.walk(tree):
            for module in _imported_modules(node, folders):
                app, *rest = module.split(".")
                if app in APPS and rest and rest[0] in ("views", "api"):
                    yield f"{name}:{getattr(node, 'lineno', 0)}: a service imports {module}"


def _imported_modules(node: ast.AST, folders: list[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        package = folders[: len(folders) - node.level + 1] if node.level else []
        base = ".".join([*package, *([node.module] if node.module else [])])
        return [f"{base}.{alias.name}" for alias in node.names]
    return []


def find_files_outside_features(checkout: Checkout) -> Iterator[str]:
    """Modules directly in services, views or api; and folders and templates that belong to no feature."""
    features = {app: _list_features(checkout, app) for app in APPS}
    for name in (*checkout.trees, *checkout.templates):
        path = PurePosixPath(name)
        if path.name == "__init__.py" or len(path.parts) < 3:
            continue
        app, layer = (path.parts[1], "templates") if path.parts[0] == "templates" else path.parts[:2]
        if app not in features or layer not in (*LAYERS, "templates"):
            continue
        if len(path.parts) == 3 and f"{layer}/{path.name}" not in BESIDE_FEATURES:
            yield f"{name}: directly in {path.parent}, in no folder of a feature"
        elif len(path.parts) > 3 and path.parts[2] not in features[app]:
            yield f"{name}: {path.parts[2]} is no feature of {app}; its features are the folders of {app}/services"


def _list_features(checkout: Checkout, app: str) -> set[str]:
    services = {name.split("/")[2] for name in checkout.trees if re.match(rf"{app}/services/\w+/", name)}
    return services | EDGE_FEATURES.get(app, set())


def find_missing_contracts(checkout: Checkout) -> Iterator[str]:
    """Contracts of import-linter that were renamed or dropped, and layers that do not cover all of their package."""
    linter = tomllib.loads(checkout.read("pyproject.toml")).get("tool", {}).get("importlinter", {})
    contracts = {contract["name"]: contract for contract in linter.get("contracts", [])}
    for name in sorted(CONTRACTS - set(contracts)):
        yield f"pyproject.toml: the contract {name!r} is missing"
    for name, contract in contracts.items():
        if contract["type"] == "layers" and "containers" in contract and not contract.get("exhaustive"):
            yield f"pyproject.toml: the contract {name!r} is not exhaustive"

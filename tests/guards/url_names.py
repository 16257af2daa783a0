"""URL names that an app may not know: those of the apps above it."""

import ast
import re
from collections.abc import Iterator

from tests.guards.checkout import Checkout

ABOVE = {"annotation": ("evaluation", "modelbridge"), "modelbridge": ("evaluation",)}
"""App -> the apps whose pages it does not name; they register what leads to them."""
NAMING = {"reverse", "reverse_lazy", "redirect", "resolve_url", "page_url", "Tab", "PageBelow", "OwnPage"}
NAMING |= {"register_pages", "SamplePage"}
"""Functions whose strings are URL names. Elsewhere a word such as `run` may mean something else, unless hyphenated."""
URL_TAG = re.compile(r"{%\s*url\s+[\"']([\w-]+)[\"']")


def find_upper_url_names(checkout: Checkout) -> Iterator[str]:
    """Pages and calls of a higher app that code or templates of a lower one name."""
    names = {app: _list_url_names(checkout, app) for app in ("evaluation", "modelbridge")}
    for app, apps_above in ABOVE.items():
        foreign = {name: above for above in apps_above for name in names[above]}
        for file, tree in checkout.trees.items():
            if file.startswith(f"{app}/"):
                for line, name in _list_named(tree, foreign):
                    yield f"{file}:{line}: {app} names {name}, a page of {foreign[name]}"
        for file in checkout.templates:
            if file.startswith(f"templates/{app}/"):
                for number, text in enumerate(checkout.read(file).splitlines(), 1):
                    for name in URL_TAG.findall(text):
                        if name in foreign:
                            yield f"{file}:{number}: {app} names {name}, a page of {foreign[name]}"


def _list_url_names(checkout: Checkout, app: str) -> set[str]:
    """The names of an app's routes, from its files urls.py."""
    return {
        keyword.value.value
        for file, tree in checkout.trees.items()
        if file.startswith(f"{app}/") and file.endswith("/urls.py")
        for keyword in ast.walk(tree)
        if isinstance(keyword, ast.keyword) and keyword.arg == "name" and isinstance(keyword.value, ast.Constant)
    }


def _list_named(tree: ast.Module, foreign: dict[str, str]) -> Iterator[tuple[int, str]]:
    """(line, name) of every foreign name with a hyphen, and of every other that is given to a function of `NAMING`."""
    in_calls: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name_function(node.func) in NAMING:
            in_calls |= {id(part) for part in ast.walk(node)}
    for node in ast.walk(tree):
        name = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if name in foreign and ("-" in name or id(node) in in_calls):
            yield node.lineno, name


def _name_function(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")

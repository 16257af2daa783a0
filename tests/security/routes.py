"""Every route of the URLconf, found by walking it."""

from collections.abc import Iterator
from typing import Any

from django.urls import URLPattern, get_resolver

HANDLED = ("GET", "POST", "PUT", "PATCH", "DELETE")


def routes(patterns: Any = None, before: str = "") -> Iterator[tuple[str, str, Any]]:
    """(name, route, view) of everything that can be asked for."""
    for row in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(row.pattern)
        if isinstance(row, URLPattern):
            yield row.name or "", route, row.callback
        else:
            yield from routes(row.url_patterns, route)


def names_an_object(name: str) -> bool:
    """Whether the path of a route names more than a project."""
    route = next(route for result, route, _view in routes() if result == name)
    return "<uuid:" in route or "<int:" in route

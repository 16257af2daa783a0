"""The site with a planted leak, for benchmarks/soak.py alone: every answer keeps a few kilobytes for good."""

from collections.abc import Callable, Iterable
from typing import Any

from epitome.site.wsgi import application as site

KEPT_BYTES = 2_000
kept: list[bytes] = []


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    kept.append(bytes(KEPT_BYTES))
    return site(environ, start_response)

"""Epitome: make controllable-summarization datasets and measure systems on them.

As a library: `epitome.metrics`, `epitome.agreement`, `epitome.combined`, `epitome.measures` and `epitome.sampling`,
each imported on first use, and `epitome.client`, a client for the API of a site. The settings, URLs and server of the
web application are in `epitome.site` and need the extra `web`.
"""

from importlib import import_module
from typing import Any

__all__ = ["__version__", "agreement", "client", "combined", "measures", "metrics", "sampling"]
_LIBRARY = ("agreement", "client", "combined", "measures", "metrics", "sampling")


def __getattr__(name: str) -> Any:
    if name in _LIBRARY:
        return import_module(f"epitome.{name}")
    if name == "__version__":
        from importlib.metadata import version

        return version("epitome")
    raise AttributeError(f"module 'epitome' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

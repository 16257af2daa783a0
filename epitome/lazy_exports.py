"""Public functions of a package that are imported on first use, so that importing the package stays cheap."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def export_lazily(package: str, modules: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package (PEP 562). modules: each name beside the module that defines it.

    A name must not be that of a module of the package: once imported, the module would be found instead.
    """

    def get_attribute(name: str) -> Any:
        if name in modules:
            return getattr(import_module(modules[name]), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def list_names() -> list[str]:
        return sorted({*vars(import_module(package)), *modules})

    return get_attribute, list_names

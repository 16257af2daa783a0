"""Extension points: what a higher room adds to a lower one that must not import it.

A room declares a point, others register with it when they are imported:

    HANDLERS = ExtensionPoint[Handler]("job handlers", key=lambda handler: handler.kind)
    HANDLERS.register(Handler("export", ...))

Each app imports its registering modules in its `extensions.py`, which its AppConfig imports at
start. A module that was renamed fails there with an ImportError, so that nothing is lost silently.
"""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class ExtensionPoint(Generic[T]):
    """Registered extensions in the order of their registration, one per key; the same key again replaces it."""

    def __init__(self, name: str, *, key: Callable[[T], str]) -> None:
        self.name = name
        self._key = key
        self._extensions: dict[str, T] = {}

    def register(self, extension: T) -> T:
        """Add an extension; usable as a decorator of functions."""
        self._extensions[self._key(extension)] = extension
        return extension

    def __getitem__(self, key: str) -> T:
        """The extension of a key. Raises KeyError that names the point and the registered keys."""
        if key not in self._extensions:
            raise KeyError(f"no {key!r} among the {self.name}; registered: {', '.join(self._extensions) or 'none'}")
        return self._extensions[key]

    def __contains__(self, key: object) -> bool:
        return key in self._extensions

    def __iter__(self) -> Iterator[T]:
        return iter(self._extensions.values())


def qualified_name(function: Callable[..., object]) -> str:
    """Key of a function: its module and name."""
    return f"{function.__module__}.{function.__qualname__}"

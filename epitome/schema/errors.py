"""Errors in the text of a schema, and in values that are checked against a schema."""

from collections.abc import Collection, Sequence


class SchemaError(ValueError):
    """A schema (or weights) file that cannot be used. Names the file, the line, the key and the fault.

    path: the names and places that lead to the key; () where the text is not sound TOML."""

    def __init__(self, message: str, *, name: str, key: str, line: int, path: tuple[str | int, ...] = ()) -> None:
        self.message = message
        self.name = name
        self.key = key
        self.line = line
        self.path = path
        where = f"{name}, line {line}: "
        super().__init__(f"{where}{key}: {message}" if key else f"{where}{message}")


def list_options(options: Collection[str], limit: int = 12) -> str:
    """The options listed in an error message, only the first `limit` of them when there are many."""
    more = f", … ({len(options)} in all)" if len(options) > limit else ""
    return ", ".join(describe_value(option, 20)[1:-1] for option in list(options)[:limit]) + more


class InvalidValue(ValueError):
    """A value, or the key of an attribute, that a schema does not have. `allowed` lists what it has."""

    def __init__(self, message: str, *, key: str, value: object, allowed: Sequence[str] = ()) -> None:
        self.key = key
        self.value = value
        self.allowed = tuple(allowed)
        super().__init__(f"{key}: {message}")


def describe_value(value: object, limit: int = 60) -> str:
    """A value for an error message: quoted, on one line, truncated."""
    text = value if isinstance(value, str) else repr(value)
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[: limit + 1])
    text = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{text}"' if isinstance(value, str) else text

"""Fields of a line of JSON by name and type; faults name the path to the value."""

from collections.abc import Mapping
from typing import Any

from epitome.formats.faults import FieldFault

NULL_TYPE: Any = type(None)


def require_field(data: Mapping[str, Any], key: str, *kinds: type, path: tuple[str | int, ...] = ()) -> Any:
    """Return the value of a key if it has one of the types (a bool is not an int). Raises FieldFault."""
    if key not in data:
        raise FieldFault((*path, key), "is missing", "", "missing")
    value = data[key]
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        type_names = {str: "text", int: "a whole number", dict: "an object", list: "a list", bool: "true or false"}
        expected = " or ".join(type_names.get(kind, "null") for kind in kinds)
        raise FieldFault((*path, key), f"must be {expected}", value, "type")
    return value


def require_int(data: Mapping[str, Any], key: str, *, path: tuple[str | int, ...] = (), high: int = 2**31 - 1) -> int:
    value: int = require_field(data, key, int, path=path)
    if not 0 <= value <= high:
        raise FieldFault((*path, key), f"must be 0 to {high}", value, "range")
    return value

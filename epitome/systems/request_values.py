"""Requested values as JSON holds them, as a request has them."""

from collections.abc import Mapping
from typing import Any

from epitome.systems.protocol import RequestValue


def read_request_values(values: Mapping[str, Any]) -> dict[str, RequestValue]:
    """Lists as tuples of texts, everything else as text."""
    return {key: tuple(map(str, value)) if isinstance(value, list) else str(value) for key, value in values.items()}

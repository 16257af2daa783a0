"""The interface of a kind of task. A new kind is one file here and one page; services and tables do not change.

Kinds are pure: they check a payload and return what to store. They do not use requests or database rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation.schema import Schema


class PayloadRefused(ValueError):
    """A payload is refused; `field` names the location, as in `spans[3].end`."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class TaskContext:
    """The task a payload is for."""

    segments: list[dict[str, str]]
    schema: Schema
    values: Mapping[str, Any]
    asks: tuple[str, ...]
    frozen: bool
    candidates: Callable[[], Mapping[str, list[str]]] = field(default=dict)


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """The values a person chose for a group, per attribute, and the decision on every candidate."""

    values: dict[str, list[str]]
    decisions: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CompletedPayload:
    """A complete payload as stored, the target bands its writer saw, and the choice it makes for its group."""

    payload: dict[str, Any]
    band_shown: dict[str, Any] = field(default_factory=dict)
    chosen: GroupChoice | None = None


class Kind(Protocol):
    """`key` is stored with the project; `template` is the task page; `fields` describes the payload (OpenAPI)."""

    key: str
    template: str
    fields: Mapping[str, Any]

    def draft(self, payload: Any) -> dict[str, Any]:
        """The payload in progress, cleaned: any field may be missing. Raises PayloadRefused for the wrong shape."""
        ...

    def complete(self, payload: Any, about: TaskContext) -> CompletedPayload:
        """The payload to submit. Raises PayloadRefused for missing, premature or wrong values."""
        ...

    def from_choice(self, chosen: Any) -> dict[str, Any] | None:
        """The complete payload, where the task is only to choose for the group; None where more is required."""
        ...

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of an exported line, by their names there."""
        ...

"""What a kind of task asks and returns. A new kind is one file here and one page; no service and no table changes.

Kinds are pure: they check what came and say what to store. They know nothing of requests or rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from annotation.schema import Schema


class PayloadRefused(ValueError):
    """A payload cannot be taken; `field` names the place, as in `spans[3].end`."""

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
    """What a person chose for a group: values per attribute, and what became of every candidate."""

    values: dict[str, list[str]]
    decisions: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class CompletedPayload:
    """A complete payload, as it is stored; the band its writer saw; and the choice it makes for its group."""

    payload: dict[str, Any]
    band_shown: dict[str, Any] = field(default_factory=dict)
    chosen: GroupChoice | None = None


class Kind(Protocol):
    """`key` is stored with the project; `template` is the task page; `fields` describes the payload (OpenAPI)."""

    key: str
    template: str
    fields: Mapping[str, Any]

    def draft(self, payload: Any) -> dict[str, Any]:
        """The payload in progress, cleaned: any part may be missing. Raises Refused for the wrong shape."""
        ...

    def complete(self, payload: Any, about: TaskContext) -> CompletedPayload:
        """The payload to submit. Raises Refused for what is missing, out of order or wrong."""
        ...

    def from_choice(self, chosen: Any) -> dict[str, Any] | None:
        """The whole payload, where choosing for the group is all that is asked; None where more follows."""
        ...

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of an exported line, by their names there."""
        ...

"""The interface of a kind of task. A new kind is one file here and one page (`views/tasks/kind_pages.py`);
services and tables do not change.

Kinds are pure: they check a payload and return what to store. They do not use requests or database rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from epitome.schema import Schema


def gettext_noop(text: str) -> str:
    """Marks a text for translation; Django's own is not available in a room without Django."""
    return text


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
    """One kind of task. Payloads are stored as `complete` returns them; services know no field of them by name."""

    key: str
    """Stored with the project."""
    title: str
    """A few words for people, in English; the page translates them. "": no project can be of this kind."""
    purpose: str
    """What a task asks, in one sentence; see `title`."""
    presets: tuple[str, ...]
    """Keys of the schema presets that fit; the first one is proposed."""
    needs_attributes: bool
    """Whether a schema must declare at least one attribute."""
    draws_samples: bool
    """Whether samples are drawn from the values that the schema declares; if not, a job of its own makes them."""
    noun: tuple[str, str]
    """What pages call one finished task and several, in English; see `heading`."""
    summarizes: bool
    """Whether what is written is a summary of the source: gold of contrastive examples, member of CCSBench's sets."""
    has_instances: bool
    """Whether a sample is an instance of entities in a context, and what is written names them together."""
    export_task: str
    """`task` of an exported line."""
    text_field: str
    """Field of the payload that holds the text written by the annotator; "": the payload is no text."""
    title_field: str
    """Field of the payload that holds a title; "": there is none."""
    metered: bool
    """Whether the page measures the text while it is written."""
    takes_suggestion: bool
    """Whether the page can start from a suggested text, in `text_field`."""
    heading: str
    """The heading of the task page, in English; the page translates it."""
    panel_title: str
    """The heading of the place where the work is done; see `heading`."""
    inspected_key: str
    """Key of the part that a reviewer judges beside the requested attributes."""
    inspected_label: str
    """Its name for people, in English; see `heading`."""
    fields: Mapping[str, Any]
    """The payload's shape (OpenAPI)."""

    def draft(self, payload: Any) -> dict[str, Any]:
        """The payload in progress, cleaned: any field may be missing. Raises PayloadRefused for the wrong shape."""
        ...

    def complete(self, payload: Any, about: TaskContext) -> CompletedPayload:
        """The payload to submit. Raises PayloadRefused for missing, premature or wrong values."""
        ...

    def from_choice(self, chosen: Any) -> dict[str, Any] | None:
        """The complete payload, where the task is only to choose for the group; None where more is required."""
        ...

    def text_of(self, payload: Mapping[str, Any]) -> str:
        """What was written, as one text, for measures, systems and rounds; "" if the payload is no text."""
        ...

    def parts_of(self, payload: Mapping[str, Any]) -> list[tuple[str, str]]:
        """(field, text) of everything that people read and compare between revisions, in the order of the page."""
        ...

    def segments_of(self, payload: Mapping[str, Any]) -> set[int]:
        """Numbers of the segments that were marked, from 0; without those of spans."""
        ...

    def spans_of(self, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The marked spans: {segment, start, end, quote}."""
        ...

    def is_empty(self, payload: Mapping[str, Any]) -> bool:
        """Whether nothing is left in it that a person wrote or marked."""
        ...

    def blank(self) -> dict[str, Any]:
        """The payload that stays after a withdrawal."""
        ...

    def export(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of an exported line, by their names there."""
        ...

    def check_line(self, line: Mapping[str, Any], segments: Sequence[Mapping[str, Any]] | None) -> None:
        """Check those fields of an exported line that `export` names. segments: of the source; None where they are not
        known: then quotes are not compared. Raises FieldFault."""
        ...

    def restore(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """The payload of a checked line; the opposite of `export`."""
        ...


class KindDefaults:
    """What most kinds have in common: a text, perhaps a title, nothing marked."""

    title = ""
    purpose = ""
    presets: tuple[str, ...] = ()
    needs_attributes = True
    draws_samples = True
    noun = (gettext_noop("summary"), gettext_noop("summaries"))
    summarizes = False
    has_instances = False
    heading = gettext_noop("Write a summary")
    panel_title = gettext_noop("Write a summary that is")
    inspected_key = "relevant_segments"
    inspected_label = gettext_noop("Relevant segments")
    text_field = ""
    title_field = ""
    metered = False
    takes_suggestion = False

    def text_of(self, payload: Mapping[str, Any]) -> str:
        return str(payload.get(self.text_field) or "") if self.text_field else ""

    def parts_of(self, payload: Mapping[str, Any]) -> list[tuple[str, str]]:
        names = (self.title_field, self.text_field)
        return [(name, str(payload.get(name) or "")) for name in names if name]

    def segments_of(self, payload: Mapping[str, Any]) -> set[int]:
        return set()

    def spans_of(self, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
        return []

    def is_empty(self, payload: Mapping[str, Any]) -> bool:
        parts_are_empty = not any(text for _name, text in self.parts_of(payload))
        return parts_are_empty and not self.segments_of(payload) and not self.spans_of(payload)

    def from_choice(self, chosen: Any) -> dict[str, Any] | None:
        return None

"""The kinds of tasks, by key. A project names its kind; the place of a group itself is always a choosing task."""

from annotation.kinds.choosing import ChoosingKind
from annotation.kinds.protocol import About, Chosen, Done, Kind, Refused
from annotation.kinds.summary import SummaryKind

__all__ = ["CHOOSING", "KINDS", "About", "Chosen", "Done", "Kind", "Refused", "kind_of", "register"]

KINDS: dict[str, Kind] = {}
CHOOSING = "choosing"


def register(kind: Kind) -> Kind:
    """Make a kind known; its key must be new."""
    if kind.key in KINDS:
        raise ValueError(f"a kind of task named {kind.key!r} is registered already")
    KINDS[kind.key] = kind
    return kind


def kind_of(project_kind: str, *, has_sample: bool) -> Kind:
    """The kind of one task: the project's for a sample, choosing for a place without one."""
    key = project_kind if has_sample else CHOOSING
    if key not in KINDS:
        raise KeyError(f"no kind of task is named {key!r}; known are {', '.join(sorted(KINDS))}")
    return KINDS[key]


register(SummaryKind())
register(ChoosingKind())

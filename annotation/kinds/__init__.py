"""The kinds of tasks, by key. A project names its kind; the slot of a group itself is always a choosing task."""

from annotation.kinds.aggregation import AggregationKind
from annotation.kinds.choosing import ChoosingKind
from annotation.kinds.protocol import CompletedPayload, GroupChoice, Kind, KindDefaults, PayloadRefused, TaskContext
from annotation.kinds.summary import SummaryKind

__all__ = [
    "CHOOSING",
    "KINDS",
    "CompletedPayload",
    "GroupChoice",
    "Kind",
    "KindDefaults",
    "PayloadRefused",
    "TaskContext",
    "get_task_kind",
    "project_kinds",
    "register_kind",
]

KINDS: dict[str, Kind] = {}
CHOOSING = "choosing"


def register_kind(kind: Kind) -> Kind:
    """Register a kind of task; its key must be new."""
    if kind.key in KINDS:
        raise ValueError(f"a kind of task named {kind.key!r} is registered already")
    KINDS[kind.key] = kind
    return kind


def get_task_kind(project_kind: str, *, has_sample: bool) -> Kind:
    """The kind of one task: the project's for a sample, choosing for a slot without sample."""
    key = project_kind if has_sample else CHOOSING
    if key not in KINDS:
        raise KeyError(f"no kind of task is named {key!r}; known are {', '.join(sorted(KINDS))}")
    return KINDS[key]


def project_kinds() -> dict[str, Kind]:
    """The kinds that a project can be of, by key, the usual one first."""
    return {key: kind for key, kind in KINDS.items() if kind.title}


register_kind(SummaryKind())
register_kind(ChoosingKind())
register_kind(AggregationKind())

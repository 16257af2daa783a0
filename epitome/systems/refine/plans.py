"""What to change next: a plan looks at the drafts so far and names the next step, until there is none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from epitome.systems.refine.drafts import Draft


@dataclass(frozen=True)
class NextStep:
    """Which draft to change, and in which attributes."""

    parent: Draft
    asked_keys: tuple[str, ...]


@dataclass
class Search:
    """What a plan knows of one sample. adjustable: the attributes that can be asked for, in the order of the plan."""

    adjustable: Sequence[str]
    drafts: list[Draft] = field(default_factory=list)
    tried: set[tuple[Any, tuple[str, ...]]] = field(default_factory=set)
    """States of drafts and what was asked of them: the same once more would be answered alike."""
    last_asked: str = ""

    @property
    def current(self) -> Draft:
        """The newest draft with a text."""
        return next(draft for draft in reversed(self.drafts) if not draft.is_empty)

    @property
    def best(self) -> Draft:
        """The draft with a text that is closest to what is wanted; of equal ones the earliest."""
        return min((draft for draft in self.drafts if not draft.is_empty), key=lambda draft: draft.distance)

    def missed_of(self, draft: Draft) -> tuple[str, ...]:
        """What a draft misses and can be asked for, in the order of the plan."""
        return tuple(key for key in self.adjustable if key in draft.missed)

    def is_new(self, draft: Draft, asked: tuple[str, ...]) -> bool:
        return bool(asked) and (draft.state, asked) not in self.tried


def plan_all(search: Search) -> NextStep | None:
    """All missed attributes of the newest draft at once."""
    asked_keys = search.missed_of(search.current)
    return NextStep(search.current, asked_keys) if search.is_new(search.current, asked_keys) else None


def plan_by_attribute(search: Search) -> NextStep | None:
    """One missed attribute of the newest draft: the one that follows, in the order, after the one asked last."""
    order = list(search.adjustable)
    begin = order.index(search.last_asked) + 1 if search.last_asked else 0
    missed = search.missed_of(search.current)
    for key in order[begin:] + order[:begin]:
        if key in missed and search.is_new(search.current, (key,)):
            return NextStep(search.current, (key,))
    return None


def plan_search(search: Search) -> NextStep | None:
    """Best first: of all drafts the one that is closest to what is wanted, and one missed attribute of it that it was
    not asked for yet, the farthest from its range first."""
    drafts = (draft for draft in search.drafts if not draft.is_empty)
    for draft in sorted(drafts, key=lambda draft: (draft.distance, draft.number)):
        for key in sorted(search.missed_of(draft), key=lambda key: -draft.distances[key]):
            if search.is_new(draft, (key,)):
                return NextStep(draft, (key,))
    return None


NEXT_STEP: dict[str, Callable[[Search], NextStep | None]] = {
    "all": plan_all,
    "guide": plan_all,
    "by-attribute": plan_by_attribute,
    "search": plan_search,
}

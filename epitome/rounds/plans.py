"""The plan of a round: its items, and the order in which each rater sees them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol

from epitome.rounds.config import RoundConfig
from epitome.rounds.selecting import Candidate, is_empty

ItemKind = Literal["real", "other-source", "paraphrase", "absent", "repeat"]


class Facts(Protocol):
    """Facts about texts. target: a target's key, sample: a candidate's key."""

    def copied(self, target: str, sample: str) -> float:
        """The share of the summary's n-grams that occur in the source, 0 to 1."""
        ...

    def mentions(self, target: str, sample: str, words: Sequence[str], *, source: str | None = None) -> bool:
        """Whether one of the words occurs in a target's summary of a sample, or in the source of sample `source`."""
        ...


@dataclass(frozen=True)
class ShownText:
    """A text to show: what a target wrote for a sample."""

    target: str
    sample: str


@dataclass(frozen=True)
class PlannedItem:
    """One item to be shown. sample: whose source is shown. request: as displayed on the page. texts: one, two or a
    list, numbered from 1 in whichever order they are shown. expected: of foils, question -> the right answer.
    repeats: the number of the item that this one repeats. labelled: of pairs by value, which text was asked for more.
    """

    kind: ItemKind
    sample: str
    source: str
    domain: str
    request: Mapping[str, object]
    texts: tuple[ShownText, ...]
    questions: tuple[str, ...]
    expected: Mapping[str, str] = field(default_factory=dict)
    repeats: int | None = None
    labelled: int = 0

    @property
    def is_real(self) -> bool:
        """Whether its answers count; foils and repeats are for checks of raters."""
        return self.kind == "real"

    @property
    def is_repeat(self) -> bool:
        return self.kind == "repeat"

    @property
    def cell(self) -> str:
        """What is balanced over positions: the target, or both of a pair."""
        return " / ".join(text.target for text in self.texts)


@dataclass(frozen=True)
class Lane:
    """The sequence of items for one rater. order: numbers of items; left: for each item, which text is on the left,
    or the number of the order in which a list is shown."""

    order: tuple[int, ...]
    left: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """apart: distance between the items of one source in every lane; less than configured in small rounds.

    people: the numbers of the items that people see; None: all, or not chosen yet where there are no lanes. chance:
    with which each real item was drawn for people. sources: the order in which a round that may stop is looked at.
    """

    items: tuple[PlannedItem, ...]
    lanes: tuple[Lane, ...]
    apart: int
    people: tuple[int, ...] | None = None
    chance: float = 1.0
    sources: tuple[str, ...] = ()

    @property
    def people_items(self) -> tuple[PlannedItem, ...]:
        """The items that people see."""
        return self.items if self.people is None else tuple(self.items[number] for number in self.people)

    def as_dict(self) -> dict[str, Any]:
        chosen = {} if self.people is None else {"people": list(self.people), "chance": self.chance}
        return {
            "items": [asdict(item) for item in self.items],
            "lanes": [asdict(lane) for lane in self.lanes],
            "apart": self.apart,
            **chosen,
            **({"sources": list(self.sources)} if self.sources else {}),
        }

    def hash(self, text_hashes: Mapping[tuple[str, str], str] | None = None) -> str:
        """SHA-256 over items, orders and (where given) the hashes of the texts by (target, sample)."""
        content = self.as_dict()
        if text_hashes is not None:
            content["texts"] = [[text_hashes[text.target, text.sample] for text in item.texts] for item in self.items]
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def questions_for(config: RoundConfig, request: Mapping[str, object]) -> tuple[str, ...]:
    """Keys of an item's questions; an attribute whose request is empty gets none."""
    return tuple(
        question.key
        for question in config.questions
        if not question.attribute or not is_empty(request.get(question.attribute))
    )


def build_item(
    config: RoundConfig, candidate: Candidate, request: Mapping[str, object], texts: tuple[ShownText, ...], **more: Any
) -> PlannedItem:
    return PlannedItem(
        kind=more.pop("kind", "real"),
        sample=candidate.key,
        source=candidate.source,
        domain=candidate.domain,
        request=dict(request),
        texts=texts,
        questions=questions_for(config, request),
        **more,
    )

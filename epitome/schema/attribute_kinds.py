"""The kinds of control attributes: a new kind is one declaration here. Other modules ask for the traits of a kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

CandidateKind = Literal["", "topic", "speaker"]


def gettext_noop(text: str) -> str:
    """Marks a text for translation; Django's own is not available in a room without Django."""
    return text


@dataclass(frozen=True, slots=True)
class AttributeKind:
    """One kind of attribute. name: as schemas declare it. title: on pages, choice_title: where a kind is chosen; both
    in English, the page translates them.

    candidate_kind: what people pick, from candidates found in the source; "": the sampler draws one of the values that
    the schema declares. ordered: its values rise, so that two of them have a distance and one is the baseline.
    has_edges: its values are bins of a number. takes_own_text: people may also pick a text that is no candidate.
    needs_dialogue: goes only with the domain dialogue.
    """

    name: str
    title: str
    choice_title: str
    candidate_kind: CandidateKind = ""
    ordered: bool = True
    has_edges: bool = False
    takes_own_text: bool = True
    needs_dialogue: bool = False

    @property
    def has_values(self) -> bool:
        """Whether the schema declares its values, of which the sampler draws one."""
        return not self.candidate_kind

    @property
    def has_order(self) -> bool:
        """Whether it has values in an order."""
        return self.has_values and self.ordered

    @property
    def picks_topics(self) -> bool:
        return self.candidate_kind == "topic"

    @property
    def picks_speakers(self) -> bool:
        return self.candidate_kind == "speaker"


ATTRIBUTE_KINDS: Mapping[str, AttributeKind] = {
    kind.name: kind
    for kind in (
        AttributeKind("ordinal", gettext_noop("ordered values"), gettext_noop("values in an order")),
        AttributeKind("bins", gettext_noop("bins of a measure"), gettext_noop("bins of a number"), has_edges=True),
        AttributeKind(
            "categories",
            gettext_noop("values without an order"),
            gettext_noop("values without an order"),
            ordered=False,
        ),
        AttributeKind(
            "keywords",
            gettext_noop("topics"),
            gettext_noop("texts people pick, such as topics"),
            candidate_kind="topic",
        ),
        AttributeKind(
            "speakers",
            gettext_noop("speakers of the source"),
            gettext_noop("speakers people pick"),
            candidate_kind="speaker",
            takes_own_text=False,
            needs_dialogue=True,
        ),
    )
}

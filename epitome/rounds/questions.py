"""The questions that raters are asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from epitome.rounds.answer_texts import LETTERS
from epitome.rounds.question_traits import QuestionType
from epitome.rounds.question_types import TYPES

About = Literal["summary", "a", "b", "pair", "list"]
ABOUT: tuple[About, ...] = ("summary", "a", "b", "pair", "list")
Why = Literal["", "optional", "required"]


@dataclass(frozen=True)
class Question:
    """One thing a rater is asked about an item.

    key: unique in the round. about: the one summary, the summary shown as A or as B, or both together. attribute: the
    control attribute asked for, "" for none. labels: what the ends and steps of a scale mean, or the wording of values.
    values: the answers to choose from, for types that have no fixed ones; for a list of texts the letters of the texts.
    why: whether a reason is asked for beside the answer. minimum, maximum, step: the ends and the steps of a number.
    severities: of marked errors, each with its weight. omission: whether an error may be something that is missing.
    """

    key: str
    type: str
    text: str
    about: About = "summary"
    attribute: str = ""
    hint: str = ""
    values: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    required: bool = True
    why: Why = ""
    minimum: float = 0.0
    maximum: float = 100.0
    step: float = 1.0
    severities: tuple[tuple[str, float], ...] = ()
    omission: bool = False

    @property
    def asks(self) -> QuestionType:
        return TYPES[self.type]

    @property
    def shared_key(self) -> str:
        """The key under which both sides of a pair are counted together: "fluent" for fluent-a and fluent-b."""
        ends = f"-{self.about}"
        return self.key[: -len(ends)] if self.about in ("a", "b") and self.key.endswith(ends) else self.key

    def for_texts(self, n_texts: int) -> "Question":
        """The question over a list of n texts; unchanged for types that do not arrange texts."""
        return replace(self, values=tuple(LETTERS[:n_texts])) if self.asks.arranges else self

"""Question types: the allowed answers, their keys, and how an answer is made independent of its side on the page.

A new type is one class here, entered in TYPES, and one template of the same name in templates/evaluation/questions/.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from annotation.schema import Attribute

About = Literal["summary", "a", "b", "pair"]
ABOUT: tuple[About, ...] = ("summary", "a", "b", "pair")
NOTE_LENGTH = 4_000
KEYS = "123456789"


class BadAnswer(ValueError):
    """An answer that a question does not have."""


@dataclass(frozen=True)
class Question:
    """One thing a rater is asked about an item.

    key: unique in the round. about: the one summary, the summary shown as A or as B, or both together. attribute: the
    control attribute asked for, "" for none. labels: what the ends and steps of a scale mean, or the wording of values.
    values: the answers to choose from, for types that have no fixed ones.
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

    @property
    def asks(self) -> "QuestionType":
        return TYPES[self.type]

    @property
    def shared_key(self) -> str:
        """The key under which both sides of a pair are counted together: "fluent" for fluent-a and fluent-b."""
        ends = f"-{self.about}"
        return self.key[: -len(ends)] if self.about in ("a", "b") and self.key.endswith(ends) else self.key


@dataclass(frozen=True)
class Option:
    """One answer option: the stored value, its label, and its keyboard key ("" for none)."""

    value: str
    label: str
    key: str = ""


class QuestionType:
    """What all types share. `fixed`: the answers where every question of the type has the same ones."""

    name: ClassVar[str]
    fixed: ClassVar[tuple[tuple[str, str, str], ...]] = ()  # value, words, key
    free: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False

    @property
    def template(self) -> str:
        return f"evaluation/questions/{self.name}.html"

    def options(self, question: Question) -> tuple[Option, ...]:
        return tuple(Option(value, question.labels.get(value, words), key) for value, words, key in self.fixed)

    def read(self, question: Question, answer: object) -> str:
        """The answer as it is stored. Raises BadAnswer."""
        allowed = [option.value for option in self.options(question)]
        if not isinstance(answer, str) or answer not in allowed:
            raise BadAnswer(f"must be one of {', '.join(allowed)}")
        return answer

    def canonical(self, answer: str, left: int) -> str:
        """The answer in terms of targets, not sides. left: which of the item's two targets was on the left, 1 or 2."""
        return answer

    def default_labels(self, attribute: Attribute | None) -> dict[str, str]:
        return {}

    def default_values(self, attribute: Attribute | None) -> tuple[str, ...]:
        return ()


class YesNo(QuestionType):
    name = "yes-no"
    fixed = (("yes", "Yes", "y"), ("no", "No", "n"))


class Likert(QuestionType):
    """A scale of steps, the lowest first; five by default."""

    name = "likert"
    needs_values = True

    def default_values(self, attribute: Attribute | None) -> tuple[str, ...]:
        return ("1", "2", "3", "4", "5")

    def options(self, question: Question) -> tuple[Option, ...]:
        return _numbered_options(question)


class Value(QuestionType):
    """Which value of an attribute was requested; without a favourable answer, there is no bias towards yes."""

    name = "value"
    needs_values = True

    def default_values(self, attribute: Attribute | None) -> tuple[str, ...]:
        return attribute.values if attribute else ()

    def default_labels(self, attribute: Attribute | None) -> dict[str, str]:
        return {value: attribute.value_label(value) for value in attribute.values} if attribute else {}

    def options(self, question: Question) -> tuple[Option, ...]:
        return _numbered_options(question)


class Side(QuestionType):
    """One of the two summaries that are shown."""

    name = "side"
    fixed: ClassVar[tuple[tuple[str, str, str], ...]] = (("a", "A", "a"), ("b", "B", "b"))

    def canonical(self, answer: str, left: int) -> str:
        place = {"a": left, "b": 3 - left}.get(answer)
        return answer if place is None else str(place)


class Preference(Side):
    """One of the two summaries, or neither more than the other."""

    name = "preference"
    fixed = (("a", "A", "a"), ("tie", "No difference", "t"), ("b", "B", "b"))


class Note(QuestionType):
    """Free text."""

    name = "note"
    free = True

    def read(self, question: Question, answer: object) -> str:
        if not isinstance(answer, str) or len(answer) > NOTE_LENGTH:
            raise BadAnswer(f"must be text of at most {NOTE_LENGTH} characters")
        return answer.replace("\r\n", "\n")


TYPES: Mapping[str, QuestionType] = {kind.name: kind() for kind in (YesNo, Likert, Value, Side, Preference, Note)}


def _numbered_options(question: Question) -> tuple[Option, ...]:
    """The question's own values, each with a digit as its key where digits suffice."""
    keys: Sequence[str] = KEYS if len(question.values) <= len(KEYS) else ()
    return tuple(
        Option(value, question.labels.get(value, value), keys[place] if keys else "")
        for place, value in enumerate(question.values)
    )

"""Question types: the allowed answers, their keys, and how an answer is made independent of its side on the page.

A new type is one class here, entered in TYPES, and one template of the same name in templates/evaluation/questions/.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from typing import ClassVar, Literal

from annotation.schema import Attribute
from evaluation.rounds.marks import LEAST_SAME, character_f1, check_marks, load_marks, read_marks, write_marks
from evaluation.rounds.resolutions import find_consensus, find_median

About = Literal["summary", "a", "b", "pair", "list"]
ABOUT: tuple[About, ...] = ("summary", "a", "b", "pair", "list")
NOTE_LENGTH = 4_000
WHY_LENGTH = 1_000
KEYS = "123456789"
LETTERS = "abcdef"
FEWEST_TEXTS, MOST_TEXTS = 3, len(LETTERS)
"""Texts of a list that raters compare all at once."""
NONE = "none"
"""The answer to a question with several answers that none of them applies."""
SEVERAL_JOIN, PLACE_JOIN = "; ", ">"
Why = Literal["", "optional", "required"]
FieldReader = Callable[[str], Sequence[str]]
"""The values of a form's field by name; QueryDict.getlist is one."""


class BadAnswer(ValueError):
    """An answer that a question does not have."""


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
    def asks(self) -> "QuestionType":
        return TYPES[self.type]

    @property
    def shared_key(self) -> str:
        """The key under which both sides of a pair are counted together: "fluent" for fluent-a and fluent-b."""
        ends = f"-{self.about}"
        return self.key[: -len(ends)] if self.about in ("a", "b") and self.key.endswith(ends) else self.key

    def for_texts(self, n_texts: int) -> "Question":
        """The question over a list of n texts; unchanged for types that do not arrange texts."""
        return replace(self, values=tuple(LETTERS[:n_texts])) if self.asks.arranges else self


@dataclass(frozen=True)
class Option:
    """One answer option: the stored value, its label, and its keyboard key ("" for none)."""

    value: str
    label: str
    key: str = ""


class QuestionType:
    """What all types share. `fixed`: the answers where every question of the type has the same ones.

    free: the answer is text. arranges: it puts the texts of a list into places. by_option: an answer is one of the
    options that models know too. decidable: a third person can decide. marks: an answer holds places of the text.
    """

    name: ClassVar[str]
    fixed: ClassVar[tuple[tuple[str, str, str], ...]] = ()  # value, words, key
    free: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    arranges: ClassVar[bool] = False
    by_option: ClassVar[bool] = True
    decidable: ClassVar[bool] = True
    marks: ClassVar[bool] = False

    @property
    def template(self) -> str:
        return f"evaluation/questions/{self.name}.html"

    def options(self, question: Question) -> tuple[Option, ...]:
        return tuple(Option(value, question.labels.get(value, words), key) for value, words, key in self.fixed)

    def places(self, question: Question) -> tuple[Option, ...]:
        """The places into which texts are put; () for types that do not arrange texts."""
        return ()

    def read(self, question: Question, answer: object) -> str:
        """The answer as it is stored. Raises BadAnswer."""
        allowed = [option.value for option in self.options(question)]
        if not isinstance(answer, str) or answer not in allowed:
            raise BadAnswer(f"must be one of {', '.join(allowed)}")
        return answer

    def read_fields(self, question: Question, name: str, values_of: FieldReader) -> str | None:
        """The answer of a submitted form whose fields begin with `name`, not checked; None where there is none."""
        values = values_of(name)
        return values[-1] if values else None

    def canonical(self, answer: str, left: int, n_texts: int = 2) -> str:
        """The answer in terms of targets, not sides. left: how the item's texts were ordered, see `text_order`."""
        return answer

    def matches(self, question: Question, answer: str, other: str) -> bool:
        """Whether two stored answers count as the same."""
        return answer == other

    def disagrees(self, question: Question, answers: Sequence[str]) -> bool:
        """Whether some of the raters' answers do not count as the same."""
        return any(not self.matches(question, *pair) for pair in combinations(sorted(set(answers)), 2))

    def propose(self, question: Question, answers: Sequence[str]) -> str:
        """An answer that stands between those given, for whoever decides; "" where there is none."""
        return ""

    def sort_answers(self, question: Question, answers: Iterable[str]) -> list[str]:
        """Answers in the order in which they are listed."""
        known = [option.value for option in self.options(question)]
        return sorted(answers, key=lambda answer: (known.index(answer) if answer in known else len(known), answer))

    def describe(self, question: Question, answer: str) -> str:
        """A stored answer in words."""
        return next((option.label for option in self.options(question) if option.value == answer), answer)

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

    def canonical(self, answer: str, left: int, n_texts: int = 2) -> str:
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
    by_option = False
    decidable = False

    def read(self, question: Question, answer: object) -> str:
        if not isinstance(answer, str) or len(answer) > NOTE_LENGTH:
            raise BadAnswer(f"must be text of at most {NOTE_LENGTH} characters")
        return answer.replace("\r\n", "\n")


class Several(QuestionType):
    """All of the values that apply, or that none does; stored joined by "; " in the order of the values."""

    name = "several"
    needs_values = True
    by_option = False

    def options(self, question: Question) -> tuple[Option, ...]:
        none = Option(NONE, question.labels.get(NONE, "None of these"), "0")
        return (*_numbered_options(question), none)

    def read(self, question: Question, answer: object) -> str:
        chosen = set(answer.split(SEVERAL_JOIN)) if isinstance(answer, str) else set()
        if chosen == {NONE}:
            return NONE
        if not chosen or not chosen <= set(question.values):
            raise BadAnswer(f"must be {NONE}, or some of {', '.join(question.values)} joined by “;”")
        return SEVERAL_JOIN.join(value for value in question.values if value in chosen)

    def read_fields(self, question: Question, name: str, values_of: FieldReader) -> str | None:
        values = values_of(name)
        return SEVERAL_JOIN.join(values) if values else None

    def describe(self, question: Question, answer: str) -> str:
        labels = {option.value: option.label for option in self.options(question)}
        return SEVERAL_JOIN.join(labels.get(value, value) for value in answer.split(SEVERAL_JOIN))


class Number(QuestionType):
    """A number between two ends, by slider or typed; stored with at most six decimals."""

    name = "number"
    by_option = False
    TOLERANCE: ClassVar[float] = 0.1
    """Share of the scale within which two numbers count as the same."""

    def read(self, question: Question, answer: object) -> str:
        try:
            number = float(answer) if isinstance(answer, str) and len(answer) < 30 else float("nan")
        except ValueError:
            number = float("nan")
        if not question.minimum <= number <= question.maximum:  # nan is in no range
            raise BadAnswer(f"must be a number from {question.minimum:g} to {question.maximum:g}")
        steps = (number - question.minimum) / question.step
        if abs(steps - round(steps)) > 1e-6:
            raise BadAnswer(f"must be {question.minimum:g} or more in steps of {question.step:g}")
        return format_number(number)

    def read_fields(self, question: Question, name: str, values_of: FieldReader) -> str | None:
        return super().read_fields(question, name, values_of) or None

    def matches(self, question: Question, answer: str, other: str) -> bool:
        return abs(float(answer) - float(other)) <= self.TOLERANCE * (question.maximum - question.minimum)

    def propose(self, question: Question, answers: Sequence[str]) -> str:
        """The median."""
        return format_number(find_median([float(answer) for answer in answers], question.minimum, question.step))

    def sort_answers(self, question: Question, answers: Iterable[str]) -> list[str]:
        return sorted(answers, key=float)


class Arrangement(QuestionType):
    """What the types share that put the texts of a list into places: the letters in the order of the places."""

    arranges = True
    by_option = False

    def read(self, question: Question, answer: object) -> str:
        letters = answer.split(PLACE_JOIN) if isinstance(answer, str) else []
        n_places = len(self.places(question))
        if len(letters) != n_places or len(set(letters)) != n_places or not set(letters) <= set(question.values):
            listed = ", ".join(question.values)
            raise BadAnswer(f"must name {n_places} different texts of {listed}, joined by “{PLACE_JOIN}”")
        return PLACE_JOIN.join(letters)

    def read_fields(self, question: Question, name: str, values_of: FieldReader) -> str | None:
        letters = [(values_of(f"{name}-{place.value}") or [""])[-1] for place in self.places(question)]
        return PLACE_JOIN.join(letters) if any(letters) else None

    def canonical(self, answer: str, left: int, n_texts: int = 2) -> str:
        """The numbers of the texts in the order of the places, such as 3>1 for best and worst."""
        order = text_order(left, n_texts)
        return PLACE_JOIN.join(str(order[LETTERS.index(letter)]) for letter in answer.split(PLACE_JOIN))

    def describe(self, question: Question, answer: str) -> str:
        places = self.places(question)
        letters = answer.upper().split(PLACE_JOIN)
        return ", ".join(f"{place.label} {letter}" for place, letter in zip(places, letters, strict=False))


class BestWorst(Arrangement):
    """The best and the worst of three texts or more."""

    name = "best-worst"

    def places(self, question: Question) -> tuple[Option, ...]:
        return tuple(Option(value, question.labels.get(value, value.capitalize())) for value in ("best", "worst"))


class Ranking(Arrangement):
    """All texts in an order, the best first, without ties."""

    name = "ranking"

    def places(self, question: Question) -> tuple[Option, ...]:
        numbers = [str(number) for number in range(1, len(question.values) + 1)]
        return tuple(Option(number, question.labels.get(number, number)) for number in numbers)

    def propose(self, question: Question, answers: Sequence[str]) -> str:
        """The ranking closest to all."""
        return PLACE_JOIN.join(find_consensus([answer.split(PLACE_JOIN) for answer in answers]))

    def describe(self, question: Question, answer: str) -> str:
        return " > ".join(answer.upper().split(PLACE_JOIN))


class SpanErrors(QuestionType):
    """Words of the summary marked as errors, each with a severity and, where the question has values, a category."""

    name = "span-errors"
    by_option = False
    decidable = False
    marks = True

    def options(self, question: Question) -> tuple[Option, ...]:
        return _numbered_options(question)

    def read(self, question: Question, answer: object) -> str:
        try:
            marks = read_marks(answer if isinstance(answer, str) else "")
            check_marks(marks, question.values, dict(question.severities), omission=question.omission)
        except ValueError as error:
            raise BadAnswer(str(error)) from error
        return write_marks(marks)

    def read_fields(self, question: Question, name: str, values_of: FieldReader) -> str | None:
        return super().read_fields(question, name, values_of) or None

    def matches(self, question: Question, answer: str, other: str) -> bool:
        alike = character_f1(load_marks(answer), load_marks(other))
        return answer == other if alike is None else alike >= LEAST_SAME


TYPES: Mapping[str, QuestionType] = {
    kind.name: kind()
    for kind in (YesNo, Likert, Value, Side, Preference, Several, Number, BestWorst, Ranking, SpanErrors, Note)
}
ATTRIBUTE_TYPES = ("yes-no", "likert", "value", "number")
"""Types asked of every attribute."""


def text_order(left: int, n_texts: int) -> tuple[int, ...]:
    """The numbers of an item's texts in the order in which they are shown. left: which of all orders, from 1.

    Of two texts 1 is (1, 2) and 2 is (2, 1), so that it is also the number of the text on the left.
    """
    return list(permutations(range(1, n_texts + 1)))[left - 1]


def order_number(order: Sequence[int]) -> int:
    """The number of an order, from 1: the reverse of `text_order`."""
    return 1 + list(permutations(range(1, len(order) + 1))).index(tuple(order))


def format_number(number: float) -> str:
    """A number as it is stored: at most six decimals, none that are zero."""
    text = f"{number:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _numbered_options(question: Question) -> tuple[Option, ...]:
    """The question's own values, each with a digit as its key where digits suffice."""
    keys: Sequence[str] = KEYS if len(question.values) <= len(KEYS) else ()
    return tuple(
        Option(value, question.labels.get(value, value), keys[place] if keys else "")
        for place, value in enumerate(question.values)
    )

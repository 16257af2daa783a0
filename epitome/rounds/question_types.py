"""Question types: the allowed answers, their keys, and how an answer is made independent of its side on the page.

A new type is one class here, entered in TYPES, and one template of the same name in templates/evaluation/questions/;
its traits (question_traits.py) say in which tables of the report it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from epitome.rounds.answer_texts import (
    KEYS,
    LETTERS,
    NONE,
    NOTE_LENGTH,
    PLACE_JOIN,
    SEVERAL_JOIN,
    BadAnswer,
    format_number,
    text_order,
)
from epitome.rounds.marks import LEAST_SAME, character_f1, check_marks, load_marks, read_marks, write_marks
from epitome.rounds.question_traits import FieldReader, Option, OwnAgreement, QuestionType
from epitome.rounds.resolutions import find_consensus, find_median

if TYPE_CHECKING:
    from epitome.rounds.questions import Question
    from epitome.schema import Attribute


class YesNo(QuestionType):
    name = "yes-no"
    fixed = (("yes", "Yes", "y"), ("no", "No", "n"))
    stored = ("no", "yes")
    is_yes_no = True
    asked_of_attributes = True
    compared = True
    headline = "yes"

    def ascending(self, values: Sequence[str]) -> tuple[str, ...]:
        return self.stored

    def scorer(self, values: Sequence[str]) -> Callable[[str], float]:
        return lambda answer: float(answer == "yes")


class Likert(QuestionType):
    """A scale of steps, the lowest first; five by default."""

    name = "likert"
    needs_values = True
    is_scale = True
    asked_of_attributes = True
    compared = True
    headline = "mean"

    def ascending(self, values: Sequence[str]) -> tuple[str, ...]:
        return tuple(values)

    def default_values(self, attribute: Attribute | None) -> tuple[str, ...]:
        return ("1", "2", "3", "4", "5")

    def options(self, question: Question) -> tuple[Option, ...]:
        return _numbered_options(question)


class Value(QuestionType):
    """Which value of an attribute was requested; without a favourable answer, there is no bias towards yes."""

    name = "value"
    needs_values = True
    names_value = True
    asked_of_attributes = True

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
    stored: ClassVar[tuple[str, ...]] = ("1", "2")
    compares_pairs = True
    compared = True
    headline = "won"

    def ascending(self, values: Sequence[str]) -> tuple[str, ...]:
        return self.stored[::-1]

    def canonical(self, answer: str, left: int, n_texts: int = 2) -> str:
        place = {"a": left, "b": 3 - left}.get(answer)
        return answer if place is None else str(place)


class Preference(Side):
    """One of the two summaries, or neither more than the other."""

    name = "preference"
    fixed = (("a", "A", "a"), ("tie", "No difference", "t"), ("b", "B", "b"))
    stored = ("1", "tie", "2")
    takes_tie = True


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
    part = "ticked"

    def part_codes(self, values: Sequence[str]) -> tuple[str, ...]:
        return tuple(values)

    def part_answer(self, answer: str, code: str) -> str:
        return "yes" if code in answer.split(SEVERAL_JOIN) else "no"

    def refuses_value(self, value: str) -> bool:
        return SEVERAL_JOIN.strip() in value or value in ("", NONE)

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
    has_ends = True
    asked_of_attributes = True
    compared = True
    headline = "mean"
    agreement = OwnAgreement(
        "numbers-agreement",
        "Krippendorff's α on the scale",
        "Agreement on numbers is Krippendorff's alpha at the interval level",
    )
    TOLERANCE: ClassVar[float] = 0.1
    """Share of the scale within which two numbers count as the same."""

    def scorer(self, values: Sequence[str]) -> Callable[[str], float]:
        return float

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
    compared = True

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
    headline = "best"
    part = "pick"
    deed = "picked the best and the worst"
    PLACES: ClassVar[tuple[str, ...]] = ("best", "worst")

    def places(self, question: Question) -> tuple[Option, ...]:
        return tuple(Option(value, question.labels.get(value, value.capitalize())) for value in self.PLACES)

    def score_place(self, place: int | None) -> float:
        """1 as the best, -1 as the worst, else 0."""
        return {0: 1.0, 1: -1.0}.get(-1 if place is None else place, 0.0)

    def part_codes(self, values: Sequence[str]) -> tuple[str, ...]:
        return self.PLACES

    def part_answer(self, answer: str, code: str) -> str:
        return answer.split(PLACE_JOIN)[self.PLACES.index(code)]


class Ranking(Arrangement):
    """All texts in an order, the best first, without ties."""

    name = "ranking"
    headline = "rank"
    deed = "ranked all of them"
    comparison_note = "Of rankings the mean rank is compared: below 0 the first system ranks better."
    agreement = OwnAgreement("concordance", "Kendall's W", "Agreement on rankings is Kendall's W, averaged over items")

    def places(self, question: Question) -> tuple[Option, ...]:
        numbers = [str(number) for number in range(1, len(question.values) + 1)]
        return tuple(Option(number, question.labels.get(number, number)) for number in numbers)

    def score_place(self, place: int | None) -> float:
        """The rank, 1 is best."""
        if place is None:
            raise ValueError("a ranking names every text")
        return 1.0 + place

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
    compared = True
    comparison_note = (
        "Of marked errors the scores are compared as they are printed: sums of weights over the words of all samples "
        "that both systems have."
    )
    agreement = OwnAgreement(
        "span-agreement",
        "F1 of the marked characters",
        "Agreement on marked errors is the F1 of the marked characters between raters, with kappa and Krippendorff's "
        "alpha on words (marked or not) beside it",
    )

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


class Ticked(QuestionType):
    """Whether one value was ticked among several."""

    name = "ticked"
    stored = ("no", "yes")


class Pick(QuestionType):
    """Which system was put into one place of a list."""

    name = "pick"


PART_TYPES: Mapping[str, QuestionType] = {kind.name: kind() for kind in (Ticked, Pick)}
"""Types of parts of answers, which nobody is asked; see `QuestionType.part`."""
ATTRIBUTE_TYPES = tuple(name for name, kind in TYPES.items() if kind.asked_of_attributes)


def _numbered_options(question: Question) -> tuple[Option, ...]:
    """The question's own values, each with a digit as its key where digits suffice."""
    keys: Sequence[str] = KEYS if len(question.values) <= len(KEYS) else ()
    return tuple(
        Option(value, question.labels.get(value, value), keys[index] if keys else "")
        for index, value in enumerate(question.values)
    )

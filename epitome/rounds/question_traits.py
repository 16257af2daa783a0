"""What a question type is: the traits by which the rest of the program asks for it, and what all types share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from epitome.rounds.answer_texts import BadAnswer

if TYPE_CHECKING:
    from epitome.rounds.questions import Question
    from epitome.schema import Attribute

FieldReader = Callable[[str], Sequence[str]]
"""The values of a form's field by name; QueryDict.getlist is one."""


@dataclass(frozen=True)
class Option:
    """One answer option: the stored value, its label, and its keyboard key ("" for none)."""

    value: str
    label: str
    key: str = ""


class OwnAgreement(NamedTuple):
    """Agreement of raters that is not on categories. table: the beginning of its table's key; sentence: for methods."""

    table: str
    coefficient: str
    sentence: str


class QuestionType:
    """What all types share, and the traits by which the rest of the program asks for a type.

    fixed: the answers where every question of the type has the same ones; stored: the same as they are stored, in the
    order of tables. free: the answer is text. arranges: it puts the texts of a list into places. by_option: an answer
    is one of the options that models know too. decidable: a third person can decide. marks: an answer holds places of
    the text. compares_pairs: it names one of two texts; takes_tie: or neither. has_ends: it is a number between two
    ends. is_scale: it is a step of a scale. names_value: it is a value of an attribute. asked_of_attributes: templates
    may ask a question of the type of every attribute.

    Of reports. compared: systems are compared on the answers. headline: key of `epitome.reports.headline.KINDS`, ""
    where a report cannot lead with the type. agreement: where it is not on categories. part: the type of the parts into
    which an answer is taken apart for agreement on categories. deed: what raters did with a list of texts.
    comparison_note: on what is compared, where it is not the mean answer.
    """

    name: ClassVar[str]
    fixed: ClassVar[tuple[tuple[str, str, str], ...]] = ()  # value, words, key
    stored: ClassVar[tuple[str, ...]] = ()
    free: ClassVar[bool] = False
    needs_values: ClassVar[bool] = False
    arranges: ClassVar[bool] = False
    by_option: ClassVar[bool] = True
    decidable: ClassVar[bool] = True
    marks: ClassVar[bool] = False
    is_yes_no: ClassVar[bool] = False
    is_scale: ClassVar[bool] = False
    names_value: ClassVar[bool] = False
    compares_pairs: ClassVar[bool] = False
    takes_tie: ClassVar[bool] = False
    has_ends: ClassVar[bool] = False
    asked_of_attributes: ClassVar[bool] = False
    compared: ClassVar[bool] = False
    headline: ClassVar[str] = ""
    agreement: ClassVar[OwnAgreement | None] = None
    part: ClassVar[str] = ""
    deed: ClassVar[str] = ""
    comparison_note: ClassVar[str] = ""

    @property
    def template(self) -> str:
        return f"evaluation/questions/{self.name}.html"

    @property
    def is_categorical(self) -> bool:
        """Whether agreement is on categories: of the answers, or of their parts."""
        return not self.free and self.agreement is None

    def ascending(self, values: Sequence[str]) -> tuple[str, ...]:
        """The stored answers from the lowest to the highest; () where they have no order, or are numbers. values: of
        the question."""
        return ()

    def scorer(self, values: Sequence[str]) -> Callable[[str], float]:
        """A function from a stored answer to the number that is compared: its place among the answers, from 1."""
        numbers = {answer: float(number) for number, answer in enumerate(self.ascending(values) or values, 1)}
        return numbers.__getitem__

    def score_place(self, place: int | None) -> float:
        """What an answer says of a text that it puts into a place, from 0, or into none. For types that arrange."""
        raise NotImplementedError

    def part_codes(self, values: Sequence[str]) -> tuple[str, ...]:
        """The parts of an answer; () for types that have none."""
        return ()

    def part_answer(self, answer: str, code: str) -> str:
        """The answer that a stored answer gives to one of its parts; of lists the number of a text."""
        raise NotImplementedError

    def refuses_value(self, value: str) -> bool:
        """Whether a question cannot have this one among its values."""
        return False

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
        """An answer that is between those given, for whoever decides; "" where there is none."""
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

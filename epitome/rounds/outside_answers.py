"""Answers that people gave in other tools, read as answers to the questions of a round.

Which item an output belongs to is decided by its text. The words of the file for severities and categories are
translated by a mapping; what the round has no place for is counted by kind, never guessed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from epitome.formats.answers import fold_name
from epitome.formats.tools.judgments import COMMENT, OutsideJudgment, OutsideMark
from epitome.rounds.answer_texts import NOTE_LENGTH
from epitome.rounds.marks import MOST_MARKS, OMISSION, Mark, write_marks
from epitome.rounds.question_types import Number, SpanErrors
from epitome.rounds.questions import Question

SEVERITY, CATEGORY, ANSWER = "severity", "category", "answer"
SCORE = "score"
"""The label of the score of a whole output."""
LEFT_OUT = "-"
"""The target of what is left out on purpose."""
NOTE = "note"
"""The target of free text that becomes the note of the item."""
SAME_WORDS, OVER_LIMIT, WHITE_SPACE, CATEGORIES = "same-words", "over-limit", "white-space", "categories"
LONG_TEXT, OTHER_VALUE, UNDECIDED = "long-text", "other-value", "undecided"
Kind = tuple[str, str]
"""Why something is left out, and the word of the file that it is about: marks by OMISSION, SEVERITY, CATEGORY,
SAME_WORDS, OVER_LIMIT, WHITE_SPACE or UNDECIDED (a word without a target), the CATEGORIES of marks that stay,
an ANSWER, a LONG_TEXT, an OTHER_VALUE."""


@dataclass(frozen=True, order=True)
class Word:
    """A word of the file that the round may call otherwise. kind: SEVERITY, CATEGORY or ANSWER; "" stands for marks
    without any. Written as `severity:minor`."""

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


def parse_mapping(pairs: Iterable[str]) -> dict[Word, str]:
    """The mapping of texts such as `severity:minor=major`. Raises ValueError naming the text."""
    mapping: dict[Word, str] = {}
    for pair in pairs:
        word, equals, target = pair.rpartition("=")
        kind, colon, name = word.partition(":")
        if not equals or not colon or kind not in (SEVERITY, CATEGORY, ANSWER):
            raise ValueError(
                f"{pair!r} is no mapping; write severity:NAME=SEVERITY, category:NAME=CATEGORY or answer:NAME=QUESTION"
            )
        mapping[Word(kind, name)] = target.strip()
    return mapping


@dataclass
class OutsideReading:
    """One judgment as answers of the round: question -> stored answer. left_out: what has no place, by kind."""

    answers: dict[str, str] = field(default_factory=dict)
    note: str = ""
    left_out: Counter[Kind] = field(default_factory=Counter)


class OutsideReader:
    """Reads judgments as answers to these questions of a round. mapping: what was chosen; other words are matched by
    their names.

    Raises ValueError where no question, or several, ask for marked errors.
    """

    def __init__(self, questions: Sequence[Question], mapping: Mapping[Word, str]) -> None:
        marked = [question for question in questions if isinstance(question.asks, SpanErrors)]
        if len(marked) != 1:
            raise ValueError("the round must have exactly one question that asks for marked errors")
        self.marked = marked[0]
        self.others = {question.key: question for question in questions if question is not self.marked}
        self.mapping = mapping

    @property
    def severities(self) -> tuple[str, ...]:
        return tuple(name for name, _weight in self.marked.severities)

    def list_targets(self, kind: str) -> tuple[str, ...]:
        """What a word of this kind may become, besides being left out."""
        if kind == ANSWER:
            return (*self.others, NOTE)
        return self.severities if kind == SEVERITY else self.marked.values

    def find_words(self, judgment: OutsideJudgment) -> Counter[Word]:
        """The words of a judgment that the round must have a place for, with how often they stand there."""
        words: Counter[Word] = Counter()
        for mark in judgment.marks:
            if mark.is_omission and not self.marked.omission:
                continue
            words[Word(SEVERITY, mark.severity)] += 1
            if self.marked.values and not mark.is_omission:
                words[Word(CATEGORY, mark.category)] += 1
        labels = [SCORE] if judgment.score is not None else []
        return words + Counter(Word(ANSWER, label) for label in [*labels, *judgment.answers])

    def find_target(self, word: Word) -> str | None:
        """What a word becomes: chosen, or of the same name; None where it has no place."""
        if word in self.mapping:
            return self.mapping[word]
        targets = self.list_targets(word.kind)
        if word.kind != ANSWER:
            return _find_same_name(word.name, {target: self.marked.labels.get(target, "") for target in targets})
        if word.name == SCORE:
            return self._find_score_question()
        if word.name == COMMENT:
            return NOTE
        return _find_same_name(word.name, dict.fromkeys(self.others, ""))

    def _find_score_question(self) -> str | None:
        """The only question for a number from 0 to 100."""
        keys = [
            key
            for key, question in self.others.items()
            if isinstance(question.asks, Number) and (question.minimum, question.maximum) == (0, 100)
        ]
        return keys[0] if len(keys) == 1 else None

    def check_mapping(self) -> None:
        """Raises ValueError naming the first chosen target that the round does not have."""
        for word, target in self.mapping.items():
            targets = self.list_targets(word.kind)
            if target != LEFT_OUT and target not in targets:
                listed = ", ".join(targets) or "nothing"
                raise ValueError(f"{word}={target}: the round has {listed}; {LEFT_OUT} leaves it out")

    def read(self, judgment: OutsideJudgment, text: str, shift: int, asked: Collection[str]) -> OutsideReading:
        """The answers to an item. text: of the item; shift: what positions of the judgment move by in it. asked: keys
        of the questions that the item asks."""
        reading = OutsideReading()
        placed: dict[tuple[int | None, int | None, str], Mark] = {}
        omissions = []
        for outside in judgment.marks:
            mark = self._read_mark(outside, len(text), shift, reading.left_out)
            if mark is None:
                continue
            if mark.is_omission:
                omissions.append(mark)
                continue
            place = (mark.start, mark.end, mark.category)
            if place in placed:
                reading.left_out[SAME_WORDS, ""] += 1
                mark = max(mark, placed[place], key=lambda other: self.severities.index(other.severity))
            placed[place] = mark
        marks = [*placed.values(), *omissions]
        if len(marks) > MOST_MARKS:
            reading.left_out[OVER_LIMIT, ""] += len(marks) - MOST_MARKS
        reading.answers[self.marked.key] = write_marks(marks[:MOST_MARKS])
        for label, value in self._list_values(judgment):
            self._read_answer(label, value, asked, reading)
        return reading

    def _read_mark(self, outside: OutsideMark, length: int, shift: int, left_out: Counter[Kind]) -> Mark | None:
        """The mark in the item's text; None, and counted, where it has no place."""
        if outside.is_omission and not self.marked.omission:
            left_out[OMISSION, ""] += 1
            return None
        severity = self.find_target(Word(SEVERITY, outside.severity))
        if severity is None or severity == LEFT_OUT:
            left_out[(SEVERITY, outside.severity) if severity else (UNDECIDED, "")] += 1
            return None
        if outside.is_omission:
            return Mark(severity, OMISSION)
        category = self.find_target(Word(CATEGORY, outside.category)) if self.marked.values else ""
        if category is None or category == LEFT_OUT:
            left_out[(CATEGORY, outside.category) if category else (UNDECIDED, "")] += 1
            return None
        start, end = max(0, outside.start + shift), min(length, outside.end + shift)
        if start >= end:
            left_out[WHITE_SPACE, ""] += 1
            return None
        if outside.category and not self.marked.values:
            left_out[CATEGORIES, ""] += 1
        return Mark(severity, category, start, end)

    def _list_values(self, judgment: OutsideJudgment) -> list[tuple[str, str]]:
        scores = [] if judgment.score is None else [(SCORE, f"{judgment.score:g}")]
        return [*scores, *judgment.answers.items()]

    def _read_answer(self, label: str, value: str, asked: Collection[str], reading: OutsideReading) -> None:
        target = self.find_target(Word(ANSWER, label))
        if target == NOTE:
            if reading.note or len(value) > NOTE_LENGTH:
                reading.left_out[LONG_TEXT, label] += 1
            else:
                reading.note = value.replace("\r\n", "\n")
            return
        if target in (LEFT_OUT, None) or target not in asked or target in reading.answers:
            reading.left_out[ANSWER, label] += 1
            return
        question = self.others[str(target)]
        labels = {option.value: option.label for option in question.asks.options(question)}
        try:
            reading.answers[str(target)] = question.asks.read(question, _find_same_name(value, labels) or value)
        except ValueError:
            reading.left_out[OTHER_VALUE, label] += 1


def _find_same_name(name: str, labels: Mapping[str, str]) -> str | None:
    """The key that is called so, by itself or by its label, whatever the case and the punctuation. "" is no name."""
    if name in labels:
        return name
    folded = fold_name(name)
    same = [key for key, label in labels.items() if folded and folded in (fold_name(key), fold_name(label))]
    return same[0] if len(same) == 1 else None

"""Answers that hold several things, as answers that hold one each: values ticked, and the best and the worst.

Agreement is computed on these parts: whether each value was ticked, and which system was picked as best and as worst.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from evaluation.reports.answers import Answer, Answers, Frame, ReportQuestion
from evaluation.rounds.questions import PLACE_JOIN, SEVERAL_JOIN

PICKS = ("best", "worst")


def split_answers(frame: Frame, answers: Answers) -> tuple[Frame, Answers]:
    """The frame with a question per part in place of a question with several, and the answers likewise.

    Of "several" each value is a question of the type "ticked" with the answers yes and no; of "best-worst" the best and
    the worst are questions of the type "pick" whose answer is a system. Everything else is unchanged.
    """
    split = {question.key: _split_question(question, frame) for question in frame.of_type("several", "best-worst")}
    if not split:
        return frame, answers
    questions = [split.get(question.key, (question,)) for question in frame.questions]
    rows = chain.from_iterable(_split_row(row, split) for row in answers.rows)
    return replace(frame, questions=tuple(chain.from_iterable(questions))), Answers(rows)


def _split_question(question: ReportQuestion, frame: Frame) -> tuple[ReportQuestion, ...]:
    codes = question.values if question.type == "several" else PICKS
    values = () if question.type == "several" else frame.systems
    return tuple(
        replace(
            question,
            key=f"{question.key}:{code}",
            label=f"{question.label}: {code}",
            code=code,
            type="ticked" if question.type == "several" else "pick",
            values=values,
        )
        for code in codes
    )


def _split_row(row: Answer, split: dict[str, tuple[ReportQuestion, ...]]) -> Iterator[Answer]:
    if row.question not in split:
        yield row
        return
    ticked = row.answer.split(SEVERAL_JOIN)
    for question in split[row.question]:
        if question.type == "ticked":
            yield replace(row, question=question.key, answer="yes" if question.code in ticked else "no")
        else:
            place = PICKS.index(question.code)
            yield replace(row, question=question.key, answer=row.systems[int(row.answer.split(PLACE_JOIN)[place]) - 1])


def list_places(row: Answer) -> dict[str, int]:
    """System -> its place in the answer, from 0; only systems that the answer names."""
    numbers = row.answer.split(PLACE_JOIN)
    return {row.systems[int(number) - 1]: place for place, number in enumerate(numbers)}

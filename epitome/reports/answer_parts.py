"""Answers that hold several things, as answers that hold one each: values ticked, and the best and the worst.

Agreement is computed on these parts: whether each value was ticked, and which system was picked as best and as worst.
"""

from dataclasses import replace
from itertools import chain

from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.rounds.answer_texts import PLACE_JOIN
from epitome.rounds.question_traits import QuestionType


def split_answers(frame: Frame, answers: Answers) -> tuple[Frame, Answers]:
    """The frame with a question per part in place of a question with several, and the answers likewise.

    Of answers that tick values each value is a question of the type "ticked" with the answers yes and no; of the best
    and the worst each is a question of the type "pick" whose answer is a system. Everything else is unchanged.
    """
    split = {question.key: _split_question(question, frame) for question in frame.questions if question.asks.part}
    if not split:
        return frame, answers
    kinds = {question.key: question.asks for question in frame.questions}
    questions = [split.get(question.key, (question,)) for question in frame.questions]
    rows = [
        _answer_part(row, kinds[row.question], part) if part is not None else row
        for row in answers.rows
        for part in split.get(row.question, (None,))
    ]
    return replace(frame, questions=tuple(chain.from_iterable(questions))), Answers(rows)


def _split_question(question: ReportQuestion, frame: Frame) -> tuple[ReportQuestion, ...]:
    values = frame.systems if question.asks.arranges else ()
    return tuple(
        replace(
            question,
            key=f"{question.key}:{code}",
            label=f"{question.label}: {code}",
            code=code,
            type=question.asks.part,
            values=values,
        )
        for code in question.asks.part_codes(question.values)
    )


def _answer_part(row: Answer, kind: QuestionType, part: ReportQuestion) -> Answer:
    answer = kind.part_answer(row.answer, part.code)
    return replace(row, question=part.key, answer=row.systems[int(answer) - 1] if kind.arranges else answer)


def list_places(row: Answer) -> dict[str, int]:
    """System -> its place in the answer, from 0; only systems that the answer names."""
    numbers = row.answer.split(PLACE_JOIN)
    return {row.systems[int(number) - 1]: index for index, number in enumerate(numbers)}


def score_system(question: ReportQuestion, row: Answer, system: str) -> float:
    """What an answer about a list says of one system: 1 as the best and -1 as the worst, or its rank."""
    return question.asks.score_place(list_places(row).get(system))

"""Joins people's answers with a judge's to rows: by item and question, with the units checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epitome.combined.answers_file import AnswersFile, GivenAnswer
from epitome.combined.rows import PREFERENCE, YES_NO, CombinedRow, Scale

Key = tuple[str, str]
"""(item, question)"""
FIXED = (YES_NO, PREFERENCE)
INVALID = "invalid"
"""What rounds export of a judge that gave none of the answers."""
TRIED = 3


class CannotJoin(ValueError):
    """The two files do not fit together; the message says what to do."""


@dataclass(frozen=True)
class Joined:
    """rows: in the order of the judge's file, then items that only people judged. notes: what was left out or
    assumed, in sentences."""

    rows: tuple[CombinedRow, ...]
    notes: tuple[str, ...] = ()


def join_answers(people: AnswersFile, judges: AnswersFile, scales: Mapping[str, Scale] | None = None) -> Joined:
    """Rows of all items that a judge answered about, or people; a judge is a rater of the second file.

    scales: of questions answered by numbers or by words of their own; yes and no, and 1, tie and 2 about two systems
    are known. Chances are `pi` of the lines (of either file); without any, all items of a question and system were
    equally likely, as many as people judged.
    Raises CannotJoin where no question or no item is in both files, an item has another system or source, or pi is
    given for some of a question's items only; BadRows for an answer that is not on its scale.
    """
    shared = _shared_questions(people, judges)
    _check_items(people, judges, shared)
    known = {question: _find_scale(question, people, scales or {}) for question in shared}
    of_people: dict[Key, list[GivenAnswer]] = {}
    for answer in people.answers:
        if answer.question in known:
            of_people.setdefault((answer.item, answer.question), []).append(answer)
    values = {key: _mean_of_people(people, answers, known[key[1]]) for key, answers in of_people.items()}
    by_judge: dict[str, dict[Key, GivenAnswer]] = {}
    judged: dict[tuple[str, Key], list[float]] = {}
    for answer in judges.answers:
        if answer.question in known:
            key = (answer.item, answer.question)
            by_judge.setdefault(answer.rater, {})[key] = answer
            if (value := _judge_value(judges, answer, known[answer.question])) is not None:
                judged.setdefault((answer.rater, key), []).append(value)
    first_of = {key: answers[0] for key, answers in of_people.items()}
    chances, assumed = _find_chances(of_people, by_judge)
    rows = [
        CombinedRow(
            item=item,
            source=about.source,
            sample=about.sample,
            system=about.system,
            question=question,
            judge=judge,
            chance=chances[item, question],
            drawn=(item, question) in values,
            human=values.get((item, question)),
            judged=_mean_of(judged.get((judge, (item, question)), [])),
            other=about.other,
            raters=len(of_people.get((item, question), ())),
            scale=known[question].name,
        )
        for judge in by_judge
        for (item, question), about in {**_all_keys(by_judge), **first_of}.items()
    ]
    return Joined(tuple(rows), _describe(people, judges, shared, rows, assumed))


def _all_keys(by_judge: Mapping[str, Mapping[Key, GivenAnswer]]) -> dict[Key, GivenAnswer]:
    """Every item and question that some judge answered, so that judges can be compared on the same items."""
    return {key: answer for answers in by_judge.values() for key, answer in answers.items()}


def _shared_questions(people: AnswersFile, judges: AnswersFile) -> list[str]:
    of_people = dict.fromkeys(answer.question for answer in people.answers)
    judged = dict.fromkeys(answer.question for answer in judges.answers)
    shared = [question for question in of_people if question in judged]
    if not shared:
        raise CannotJoin(
            f"the files have no question in common: {people.file.name} has {_list_some(of_people)}, {judges.file.name} "
            f"has {_list_some(judged)}"
        )
    return shared


def _check_items(people: AnswersFile, judges: AnswersFile, questions: Sequence[str]) -> None:
    judged = {answer.item: answer for answer in judges.answers if answer.question in questions}
    of_people = {answer.item: answer for answer in people.answers if answer.question in questions}
    if not of_people.keys() & judged.keys():
        raise CannotJoin(
            f"the files have no item_id in common: {people.file.name} has {_list_some(of_people)}, {judges.file.name} "
            f"has {_list_some(judged)}; an item is joined by item_id and question"
        )
    for item, answer in of_people.items():
        other = judged.get(item)
        for field in ("system", "other", "source"):
            if other is not None and getattr(other, field) != getattr(answer, field):
                name = {"other": "systems", "source": "source_id"}.get(field, field)
                seen, expected = getattr(other, field), getattr(answer, field)
                where = f"line {answer.line} of {people.file.name}"
                raise judges.fault(other, name, f"of item {item:.40} is {expected[:40]!r} on {where}", seen)


def _find_scale(question: str, people: AnswersFile, scales: Mapping[str, Scale]) -> Scale:
    if question in scales:
        return scales[question]
    answers = [answer for answer in people.answers if answer.question == question]
    seen = {_as_word(answer.answer) for answer in answers}
    compares = any(answer.other for answer in answers)
    for fixed in FIXED if compares else (YES_NO,):
        if seen <= set(fixed):
            return Scale(fixed)
    raise CannotJoin(
        f"question {question!r:.60} has the answers {_list_some(sorted(seen))}: say what they are worth, as "
        f"--scale {question}=1:5 for numbers from 1 to 5, or --scale {question}=bad,fair,good for words from the lowest"
    )


def _as_word(answer: str | bool | float) -> str:
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    return answer if isinstance(answer, str) else f"{answer:g}"


def _mean_of_people(file: AnswersFile, answers: Sequence[GivenAnswer], scale: Scale) -> float:
    values = []
    for answer in answers:
        try:
            values.append(scale.value_of(_as_word(answer.answer)))
        except ValueError as error:
            raise file.fault(answer, "answer", str(error), answer.answer) from error
    return sum(values) / len(values)


def _mean_of(values: Sequence[float]) -> float | None:
    """Of both orders of a pair's texts."""
    return sum(values) / len(values) if values else None


def _judge_value(file: AnswersFile, answer: GivenAnswer, scale: Scale) -> float | None:
    """A judge may also say how likely the highest answer is, as a number from 0 to 1, where answers are words. None
    where it gave no answer to the question."""
    label = answer.answer
    if label == INVALID and INVALID not in scale.answers:
        return None
    is_number = isinstance(label, int | float) and not isinstance(label, bool)
    if is_number and scale.answers in FIXED and 0 <= float(label) <= 1:
        return float(label)
    try:
        return scale.value_of(_as_word(label))
    except ValueError as error:
        raise file.fault(answer, "answer", f"{error}, which people's answers have", label) from error


def _find_chances(
    of_people: Mapping[Key, Sequence[GivenAnswer]], by_judge: Mapping[str, Mapping[Key, GivenAnswer]]
) -> tuple[dict[Key, float], bool]:
    """The chance of every item and question, and whether they were assumed to be equal."""
    about: dict[Key, GivenAnswer] = {**_all_keys(by_judge), **{key: answers[0] for key, answers in of_people.items()}}
    chance_by_key: dict[Key, float] = {}
    for answers in (*by_judge.values(), {key: answers[0] for key, answers in of_people.items()}):
        chance_by_key |= {key: answer.chance for key, answer in answers.items() if answer.chance is not None}
    if chance_by_key:
        if lacking := [key for key in about if key not in chance_by_key]:
            item, question = lacking[0]
            raise CannotJoin(
                f"pi is given for {len(chance_by_key)} of {len(about)} items and questions, not for item {item:.40}, "
                f"question {question:.40}: give it for all, in the judge's file, or for none"
            )
        return chance_by_key, False
    counts: dict[tuple[str, str, str], list[int]] = {}
    for key, answer in about.items():
        count = counts.setdefault((key[1], answer.system, answer.other), [0, 0])
        count[0] += key in of_people
        count[1] += 1
    shares = {group: max(1, n) / total for group, (n, total) in counts.items()}
    return {key: shares[key[1], answer.system, answer.other] for key, answer in about.items()}, True


def _describe(
    people: AnswersFile, judges: AnswersFile, shared: Sequence[str], rows: Sequence[CombinedRow], assumed: bool
) -> tuple[str, ...]:
    notes = []
    if assumed:
        notes.append(
            "No line has pi: every item of a system is taken to have had the same chance of being shown to people."
        )
    for file in (people, judges):
        others = dict.fromkeys(answer.question for answer in file.answers if answer.question not in shared)
        if others:
            notes.append(f"Only in {file.file.name}, and left out: {_list_some(others)}.")
        if file.left_out:
            notes.append(
                f"{file.file.name}: {file.left_out} answers to foils and repeats, excluded or additional, are left out."
            )
    if unjudged := sum(row.judged is None for row in rows):
        notes.append(f"{unjudged} items and questions have no answer of their judge; it is taken as its mean.")
    return tuple(notes)


def _list_some(names: "Sequence[str] | Mapping[str, object]") -> str:
    some = [name[:40] for name in names]
    return ", ".join(some[:TRIED]) + (f" and {len(some) - TRIED} more" if len(some) > TRIED else "")

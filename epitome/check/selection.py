"""Which answers a number is computed from, and what one answer says.

`of` of a number names them: questions, systems (exactly these) or includes (among others), about (one, pair, list: how
many different systems), domains, rater, judge, requested, rule, expected, and parts of answers that hold several. Only
answers to real items by the raters of the first line count, or those of `judge`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from epitome.check.report_file import Answer, Report
from epitome.check.results import UnknownFormula

Of = Mapping[str, Any]
PARTS = ("best", "worst")


def select(report: Report, of: Of) -> list[Answer]:
    """In the order of the file; question by question where `order` says so."""
    questions = of.get("questions", report.by_question)
    placed = [
        (place, answer)
        for question in questions
        for place, answer in report.by_question.get(question, ())
        if _counts(report, answer, of)
    ]
    if of.get("order") != "questions" and len(questions) > 1:
        placed.sort(key=lambda pair: pair[0])
    counted = [answer for _place, answer in placed]
    if "parts" not in of:
        return counted
    return [
        _take_part(report, answer, part_code)
        for question, part_code in of["parts"]
        for answer in counted
        if answer.question == question
    ]


def _counts(report: Report, answer: Answer, of: Of) -> bool:
    by_whom = answer.rater == of["judge"] if "judge" in of else answer.rater in report.people
    return (
        by_whom
        and answer.kind == of.get("kind", "real")
        and ("systems" not in of or set(answer.systems) == set(of["systems"]))
        and ("includes" not in of or of["includes"] in answer.systems)
        and ("about" not in of or of["about"] == name_subject(answer))
        and ("domains" not in of or answer.domain in of["domains"])
        and ("rater" not in of or answer.rater == of["rater"])
        and _matches(answer.requested, of.get("requested"))
        and _matches(answer.rule, of.get("rule"))
        and _matches(answer.expected, of.get("expected"))
    )


def _matches(text: str, wanted: str | bool | None) -> bool:
    return True if wanted is None else bool(text) if wanted is True else text == wanted


def name_subject(answer: Answer) -> str:
    """What an answer is about: one system, a pair of two different ones, a list, or two texts of the same."""
    if len(answer.systems) < 2:
        return "one"
    return "list" if len(answer.systems) > 2 else "pair" if len(set(answer.systems)) > 1 else "same"


def _take_part(report: Report, answer: Answer, part_code: str) -> Answer:
    """Of several ticked values: whether this one was; of best and worst: which system."""
    if report.questions[answer.question]["type"] == "best-worst":
        number = answer.answer.split(">")[PARTS.index(part_code)]
        part_answer = answer.systems[int(number) - 1]
    else:
        part_answer = "yes" if part_code in answer.answer.split("; ") else "no"
    return answer._replace(answer=part_answer, question=f"{answer.question}:{part_code}")


def prefers(answer: Answer, system: str) -> float:
    """1 where the answer prefers this system of two, -1 where the other, 0 for a tie."""
    winner = {"1": answer.systems[0], "2": answer.systems[1]}.get(answer.answer)
    return 0.0 if winner is None else 1.0 if winner == system else -1.0


def rank(answer: Answer, system: str) -> int | None:
    """The place, from 1, that an answer about a list gives to a system; None where it names it not."""
    named_systems = [answer.systems[int(number) - 1] for number in answer.answer.split(">")]
    return named_systems.index(system) + 1 if system in named_systems else None


def best_worst(answer: Answer, system: str) -> float:
    return {1: 1.0, 2: -1.0}.get(rank(answer, system) or 0, 0.0)


def score(report: Report, answer: Answer, of: Of) -> float:
    """What one answer says, by the name in `score`. Raises UnknownFormula."""
    name, system = of["score"], of.get("system", "")
    question = report.questions[answer.question]
    if name in ("wins", "prefers", "first", "second", "tie"):
        preferred = prefers(answer, system)
        return {
            "wins": 0.5 + preferred / 2,
            "prefers": preferred,
            "first": float(preferred > 0),
            "second": float(preferred < 0),
            "tie": float(preferred == 0),
        }[name]
    if name in ("best", "worst", "best-worst"):
        placed = best_worst(answer, system)
        return {"best": float(placed > 0), "worst": float(placed < 0), "best-worst": placed}[name]
    if name in ("rank", "leads"):
        place = rank(answer, system)
        if place is None:
            raise ValueError(f"a ranking does not name {system}")
        return float(place) if name == "rank" else float(place == 1)
    if name == "is":
        return float(answer.answer == of["answer"])
    if name == "ticks":
        return float(of["answer"] in answer.answer.split("; "))
    if name == "as-requested":
        return float(answer.answer == answer.requested)
    if name == "as-labelled":
        return float(answer.answer == answer.expected)
    if name == "step":
        return 1.0 + list(question["values"]).index(answer.answer)
    if name == "number":
        return float(answer.answer)
    raise UnknownFormula(f"the score {name!r} is not known to this version")


def ratings(answers: Iterable[Answer]) -> dict[tuple[str, str], list[Answer]]:
    """The answers of each unit, a question about an item, in the order in which units occur first."""
    units: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        units.setdefault((answer.item, answer.question), []).append(answer)
    return units

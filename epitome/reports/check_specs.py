"""How each number of a table about people's answers is computed: statistic, interval, and the rows behind it."""

from collections.abc import Callable, Sequence
from typing import Any

from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answer_parts import split_answers
from epitome.reports.answers import Answers, ReportQuestion
from epitome.reports.check_places import Places, Spec, read_option
from epitome.reports.forms import AGREES, FLUENT, strip_side
from epitome.rounds.question_types import Side, Value, YesNo

Row = Sequence[Cell]
Describe = Callable[[Places, Table, Row, Column, int], Spec]
BOOTSTRAP, WILSON = "bootstrap", "wilson"
YES = {"score": "is", "answer": "yes"}
AGREEMENT_INTERVAL = "bootstrap-widened"
"""Of coefficients of agreement but prevalence."""
COEFFICIENTS = {
    "Units": "units",
    "Raters": "raters",
    "Missing": "missing",
    "Agree": "percent",
    "Cohen's κ": "cohen",
    "Fleiss' κ": "fleiss",
    "Krippendorff's α": "alpha",
    "Gwet's AC1": "ac1",
    "κ, mean over pairs of raters": "cohen-pairs",
    "Prevalence": "prevalence",
    "Krippendorff's α, interval": "alpha-interval",
}
SIZES = ("units", "raters", "missing")


def score_by(question: ReportQuestion) -> dict[str, Any]:
    """The score that the answers to a question are compared by."""
    kind = question.asks
    if kind.compares_pairs:
        return {"score": "prefers"}
    if kind.arranges:
        return {"score": "best-worst" if kind.part else "rank"}
    if kind.marks:
        return {"score": "errors"}
    return YES if kind.is_yes_no else {"score": "number" if kind.has_ends else "step"}


def _of_cell(places: Places, row: Row, question: ReportQuestion) -> dict[str, Any]:
    """Answers to a question about the subject and the domain of a row."""
    return {
        "questions": [question.key],
        "systems": places.systems(row[0].value),
        "domains": places.domains(row[1].value),
    }


def describe_yes(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    questions = places.frame.of_type(YesNo)
    of = {"systems": places.systems(row[0].value), "domains": places.domains(column.group)}
    if column.label.startswith("κ"):
        keys = [question.key for question in questions]
        return Spec("kappa", AGREEMENT_INTERVAL, {**of, "questions": keys, "order": "questions"})
    of["questions"] = [places.question(column.label, among=questions, by="code").key]
    if table.key == "yes-all":
        return Spec("all-yes", WILSON, of)
    if table.key == "yes-pooled":
        return Spec("mean", WILSON, {**of, **YES})
    rater = places.people[int(table.key.removeprefix("yes-rater-")) - 1]
    return Spec("mean", WILSON, {**of, **YES, "rater": rater})


def describe_by_value(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question(row[2].value, among=places.frame.of_type(YesNo))
    of = {**_of_cell(places, row, question), **YES, "requested": row[3].value}
    return Spec("mean", WILSON, of)


def describe_agreement(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    """By question, or by system with the questions of a type pooled."""
    split, _answers = split_answers(places.frame, Answers(()))
    if table.key == "agreement":
        questions = [places.question(row[0].value, among=split.questions)]
        of: dict[str, Any] = {"domains": places.domains(row[1].value)}
    else:
        types = dict.fromkeys(question.type for question in split.questions if question.asks.is_categorical)
        name, _comma, kind = str(row[1].value).rpartition(", ") if len(types) > 1 else (row[1].value, "", "")
        questions = [question for question in split.questions if question.type == (kind or next(iter(types)))]
        of = {"systems": places.systems(row[0].value), "domains": places.domains(name), "order": "questions"}
    keys = [
        question.key.partition(":")[0] if question.key not in _keys(places) else question.key for question in questions
    ]
    of |= {"questions": list(dict.fromkeys(keys)), "labels": _scale_of(questions)}
    if any(question.key not in _keys(places) for question in questions):
        of["parts"] = [question.key.split(":", 1) for question in questions]
    statistic = COEFFICIENTS[column.label]
    interval = BOOTSTRAP if statistic == "prevalence" else AGREEMENT_INTERVAL
    return Spec(statistic, "" if statistic in SIZES else interval, of)


def _keys(places: Places) -> set[str]:
    return {question.key for question in places.frame.questions}


def _scale_of(questions: Sequence[ReportQuestion]) -> list[str]:
    return list(dict.fromkeys(answer for question in questions for answer in question.scale))


def describe_number_agreement(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question_of(table, "numbers-agreement")
    of = {"questions": [question.key], "domains": places.domains(row[0].value), "points": True}
    statistic = COEFFICIENTS[column.label]
    return Spec(statistic, "" if statistic in SIZES else AGREEMENT_INTERVAL, of)


def describe_numbers(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    of = {**_of_cell(places, row, places.question_of(table, "numbers")), "score": "number"}
    statistic = {"Mean": "mean", "Median": "median", "SD": "sd"}[column.label]
    return Spec(statistic, BOOTSTRAP if statistic == "mean" else "", of)


def describe_scale(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    of = _of_cell(places, row, places.question_of(table, "scale"))
    if at == 2:
        return Spec("mean", BOOTSTRAP, {**of, "score": "step"})
    return Spec("mean", "", {**of, "score": "is", "answer": column.label})


def describe_choices(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    of = _of_cell(places, row, places.question_of(table, "choices"))
    if at == 2:
        return Spec("count", "", of)
    return Spec("mean", WILSON, {**of, "score": "is", "answer": column.label})


def describe_several(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    of = _of_cell(places, row, places.question_of(table, "several"))
    if at == 2:
        return Spec("count", "", of)
    return Spec("mean", WILSON, {**of, "score": "ticks", "answer": column.label})


def describe_wins(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question_of(table, "wins")
    first, second = str(row[0].value), str(row[1].value)
    of = {"questions": [question.key], "systems": [first, second], "domains": places.domains(row[2].value)}
    score = {"First wins": "first", "Tie": "tie", "Second wins": "second"}[column.label]
    return Spec("mean", WILSON, {**of, "score": score, "system": first})


def describe_strengths(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question_of(table, "strengths")
    among = [str(cells[0].value) for cells in table.rows]
    of = {"questions": [question.key], "among": among, "system": str(row[0].value)}
    return Spec("bradley-terry", "bootstrap-open", of)


def describe_lists(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    """Best and worst, or ranks."""
    question = places.question_of(table, "best-worst" if table.key.startswith("best-worst") else "ranks")
    system = str(row[0].value)
    scores = {"Best": "best", "Worst": "worst", "Best minus worst": "best-worst", "Mean rank": "rank", "First": "leads"}
    score = scores[column.label]
    interval = BOOTSTRAP if score in ("best-worst", "rank") else WILSON
    of = {"questions": [question.key], "domains": places.domains(row[1].value), "includes": system, "system": system}
    return Spec("mean", interval, {**of, "score": score})


def describe_concordance(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question_of(table, "concordance")
    of = {"questions": [question.key], "domains": places.domains(row[0].value)}
    if column.label == "Raters":
        return Spec("count", "", {**of, "distinct": "rater"})
    return Spec("kendall-w", BOOTSTRAP, of)


def describe_identified(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question(row[2].value, among=places.frame.of_type(Value))
    of = {**_of_cell(places, row, question), "requested": True}
    if column.label == "Chance":
        return Spec("chance", "", of)
    return Spec("mean", WILSON, {**of, "score": "as-requested"})


def describe_confusion(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question_of(table, "confusion")
    of = {"questions": [question.key], "systems": places.systems(row[0].value), "requested": row[1].value}
    if at == 2:
        return Spec("count", "", of)
    return Spec("mean", "", {**of, "score": "is", "answer": column.label})


def describe_forms(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    questions = places.frame.questions
    statistic = "majority" if row[0].value == "majority" else "mean"
    if column.label == "CTRL":
        sides = [question.key for question in places.frame.of_type(Side) if not question.asks.takes_tie]
        of: dict[str, Any] = {"questions": sides, "expected": True, "score": "as-labelled"}
    else:
        wanted_keys = AGREES if column.label == "FAC" else FLUENT
        of = {
            "questions": [question.key for question in questions if strip_side(question.key) in wanted_keys],
            **YES,
        }
    return Spec(statistic, WILSON, of)


def describe_human_check(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    questions = places.frame.of_type(YesNo)
    of: dict[str, Any] = {"questions": [question.key for question in questions]}
    of["rule"] = True if row[0].value == "all" else row[0].value
    if column.label == "Examples":
        return Spec("count", "", {**of, "distinct": "item"})
    head = column.label.removesuffix(", %")
    fixed = {"At least one": "any", "Neither": "none"}
    of["yes_to"] = fixed[head] if head in fixed else places.question(head, among=questions).key
    return Spec("rated", WILSON, {**of, "times": 100})


def describe_human_agreement(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    questions = places.frame.of_type(YesNo)
    of: dict[str, Any] = {"questions": [question.key for question in questions], "rule": True}
    if row[0].value == "At least one":
        of["yes_to"] = "any"
    else:
        of["questions"] = [places.question(row[0].value, among=questions).key]
    if column.label == "Rated twice":
        return Spec("twice", "", of)
    return Spec("kappa", AGREEMENT_INTERVAL, of)


def describe_headline(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    keys, kind = read_option(table, "questions").split(","), read_option(table, "kind")
    system = str(row[0].value)
    if kind == "won":
        of: dict[str, Any] = {"includes": system, "about": "pair", "system": system, "score": "wins"}
    elif kind in ("best", "rank"):
        of = {
            "includes": system,
            "about": "list",
            "system": system,
            "score": "rank" if kind == "rank" else "best-worst",
        }
    else:
        of = {"systems": [system], "about": "one", **score_by(places.question(keys[0], by="key"))}
    share = kind in ("won", "yes")
    return Spec("mean", WILSON if share else BOOTSTRAP, {"questions": keys, **of})


def describe_differences(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    """Of one question and domain, or of all that the report leads with."""
    if table.key == "significance":
        question = places.question(
            row[0].value,
            among=[question for question in places.frame.questions if question.asks.compared],
        )
        of: dict[str, Any] = {"questions": [question.key], "domains": places.domains(row[1].value)}
        first, second = row[2].value, row[3].value
    else:
        of = {"questions": read_option(table, "questions").split(",")}
        question, first, second = places.question(of["questions"][0], by="key"), row[0].value, row[1].value
    of |= {"first": first, "second": second, **score_by(question)}
    if column.label == "Difference":
        return Spec("difference-of-rates" if question.asks.marks else "difference", BOOTSTRAP, of)
    statistic = ("p-of-rates" if question.asks.marks else "p") if column.label == "p" else "holm"
    return Spec(statistic, "", {**of, "family": f"{table.key} {question.key}"})


def describe_duels(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    of = {"questions": [read_option(table, "question")], "system": str(row[0].value)}
    return Spec("won-lost", "", of if at == len(table.columns) - 1 else {**of, "against": column.label})


def describe_judges(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    among = [question for question in places.frame.questions if not question.asks.marks]
    of = {"judge": row[0].value, "questions": [places.question(row[1].value, among=among).key]}
    specs = {
        "Accuracy": ("judge-accuracy", WILSON),
        "κ": ("judge-kappa", AGREEMENT_INTERVAL),
        "Swapped": ("judge-consistency", WILSON),
        "Invalid": ("judge-invalid", ""),
    }
    return Spec(*specs[column.label], of)

"""How numbers of marked errors, automatic scores and combined estimates are computed; and which tables there are."""

from collections.abc import Mapping, Sequence
from typing import Any

from epitome.figures.tables import Cell, Column, Table
from epitome.reports import check_specs as answers
from epitome.reports.answers import ReportQuestion
from epitome.reports.check_places import Places, Spec, Unclear, read_option
from epitome.reports.check_specs import BOOTSTRAP, WILSON, Describe
from epitome.rounds.marks import OMISSION
from epitome.rounds.question_types import SpanErrors, YesNo

Row = Sequence[Cell]
NO_TEXTS = (
    "automatic scores are measured on texts, which are not in the file; `epitome measure` computes them from the texts"
)
QUOTED = "quoted from a publication"
NO_CATEGORIES = "the errors have no category"
ALIKE = {"F1": "", "F1, category": "category", "F1, severity": "severity"}
SPAN_STARTS = ("span-errors", "span-categories", "span-agreement")


def _marked_question(places: Places, table: Table) -> ReportQuestion:
    """The key of a table has its question's where there are several of the type."""
    questions = places.frame.of_type(SpanErrors)
    if len(questions) == 1:
        return questions[0]
    return places.question_of(table, next(start for start in SPAN_STARTS if table.key.startswith(start)))


def describe_errors(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = _marked_question(places, table)
    of: dict[str, Any] = {
        "questions": [question.key],
        "systems": places.systems(row[0].value),
        "domains": places.domains(row[1].value),
    }
    if column.label == "Without errors" and not column.group:
        return Spec("without-errors", WILSON, of)
    if at == 2:
        return Spec("per-100-words", BOOTSTRAP, {**of, "amount": "score"})
    if at == 4:
        return Spec("per-100-words", BOOTSTRAP, {**of, "amount": "count"})
    severity = question.severities[at - 5][0]
    return Spec("per-100-words", BOOTSTRAP, {**of, "amount": "number", "severity": severity})


def describe_categories(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = _marked_question(places, table)
    of: dict[str, Any] = {
        "questions": [question.key],
        "systems": places.systems(row[0].value),
        "domains": places.domains(row[1].value),
    }
    if at == 2:
        return Spec("marks", "", {**of, "counted": "errors"})
    category = [*question.values, OMISSION][at - 3]
    return Spec("per-100-words", BOOTSTRAP, {**of, "amount": "weight", "category": category})


def describe_span_agreement(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = _marked_question(places, table)
    of: dict[str, Any] = {"questions": [question.key], "domains": places.domains(row[0].value)}
    if column.label in ALIKE:
        return _describe_f1(question, of, column.label)
    if column.label in ("Texts", "Raters"):
        return Spec("marks", "", {**of, "counted": column.label.lower()})
    return Spec("words-kappa" if column.label.startswith("κ") else "words-alpha", BOOTSTRAP, of)


def _describe_f1(question: ReportQuestion, of: Mapping[str, Any], label: str) -> Spec:
    if ALIKE[label] == "category" and not question.values:
        return Spec(reason=NO_CATEGORIES)
    return Spec("f1", BOOTSTRAP, {**of, "alike": ALIKE[label]})


def describe_span_judges(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    question = places.question(row[1].value, among=places.frame.of_type(SpanErrors))
    of: dict[str, Any] = {"questions": [question.key], "judge": row[0].value}
    if column.label in ALIKE:
        return _describe_f1(question, of, column.label)
    if column.label == "Score":
        return Spec("per-100-words", BOOTSTRAP, {**of, "amount": "score"})
    counted = {"Texts": "answers", "Unaligned": "unaligned", "Invalid": "invalid"}[column.label]
    return Spec("marks", "", {**of, "counted": counted})


def describe_correlation(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    of: dict[str, Any] = {"attribute": row[0].value}
    of |= {} if row[1].value == "all" else {"system": row[1].value}
    if column.label == "ρ":
        return Spec("spearman", BOOTSTRAP, of)
    statistic = "p-of-correlation" if column.label == "p" else "holm-of-correlation"
    return Spec(statistic, "", {**of, "family": table.key})


def describe_scores(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    """CER, CC and content need the texts; the raters' share of yes does not."""
    if column.group != "Raters":
        return Spec(reason=NO_TEXTS)
    name = "gold" if row is table.rows[0] else row[0].value
    of = {
        "questions": [question.key for question in places.frame.of_type(YesNo)],
        "systems": places.systems(name),
        "about": "one",
    }
    return Spec("mean", WILSON, {**of, **answers.YES})


def describe_combined(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    about = {"combined-estimates": "mean", "combined-differences": "difference", "combined-wins": "wins"}[table.key]
    of = {**_name_compared(places, row, about), "of": about, "judge": column.group or _find_judge(places, row)}
    if "Holm" in column.label:
        return Spec("combined-holm", "", {**of, "part": "combined" if column.group else "people"})
    part_by_label = {
        "People only": "people",
        "Judge only (biased)": "judge",
        "Combined": "combined",
        "l": "weight",
        "N": "n-judge",
        "Effective n": "effective",
        "Saved": "saved",
    }
    part_name = part_by_label[column.label]
    return Spec("combined", "combined-interval" if column.interval else "", {**of, "part": part_name})


def _name_compared(places: Places, row: Row, about: str) -> dict[str, Any]:
    known = [row.question for row in places.combined.rows] if places.combined else []
    among = [question for question in places.frame.questions if question.key in known]
    names = {"question": places.question(row[0].value, among=among).key, "first": row[1].value}
    return names if about == "mean" else {**names, "second": row[2].value}


def _find_judge(places: Places, row: Row) -> str:
    """People's values are the same beside every judge: the first that has them."""
    material = places.combined
    if material is None:
        raise Unclear("there are no rows of combined estimates")
    return next((judged.judge for judged in material.rows if judged.system == row[1].value), material.rows[0].judge)


def describe_sequence(places: Places, table: Table, row: Row, column: Column, at: int) -> Spec:
    material = places.combined
    if material is None:
        raise Unclear("there are no rows of combined estimates")
    first, second = row[1].value, row[2].value
    wins = any((judged.system, judged.other) == (first, second) for judged in material.rows)
    of = {**_name_compared(places, row, "difference"), "of": "wins" if wins else "difference"}
    alpha = (1 - material.level) / int(read_option(table, "comparisons"))
    of |= {"judge": material.rows[0].judge, "alpha": alpha}
    part_name = {"Value": "value", "Sources": "sources", "Evidence": "evidence", "Decided": "decided"}[column.label]
    return Spec("sequence", "sequence-interval" if part_name == "value" else "", {**of, "part": part_name})


DESCRIBERS: Mapping[str, Describe] = {
    "headline": answers.describe_headline,
    "headline-differences": answers.describe_differences,
    "win-matrix": answers.describe_duels,
    "human-check": answers.describe_human_check,
    "human-check-agreement": answers.describe_human_agreement,
    "yes-": answers.describe_yes,
    "yes-by-value": answers.describe_by_value,
    "forms": answers.describe_forms,
    "wins-": answers.describe_wins,
    "strengths-": answers.describe_strengths,
    "identified": answers.describe_identified,
    "confusion-": answers.describe_confusion,
    "choices-": answers.describe_choices,
    "scale-": answers.describe_scale,
    "numbers-": answers.describe_numbers,
    "numbers-agreement-": answers.describe_number_agreement,
    "several-": answers.describe_several,
    "span-errors": describe_errors,
    "span-categories": describe_categories,
    "span-agreement": describe_span_agreement,
    "span-judges": describe_span_judges,
    "best-worst-": answers.describe_lists,
    "ranks-": answers.describe_lists,
    "concordance-": answers.describe_concordance,
    "agreement": answers.describe_agreement,
    "significance": answers.describe_differences,
    "judges": answers.describe_judges,
    "metric-human": describe_correlation,
    "systems": describe_scores,
    "combined-": describe_combined,
    "combined-sequences": describe_sequence,
}
"""By the beginning of a table's key; the longest that fits."""
PRINTED_WORDS = ("win-matrix", "combined-sequences")
"""Tables in which a text can be a result."""


def describe_number(places: Places, table: Table, row_at: int, at: int) -> Spec:
    """How a cell of a table is computed; without a statistic where that is not stated, and why."""
    if row_at in table.quoted:
        return Spec(reason=QUOTED)
    starts = [start for start in DESCRIBERS if table.key.startswith(start)]
    if not starts:
        return Spec(reason="no formula is stated for this table")
    try:
        return DESCRIBERS[max(starts, key=len)](places, table, table.rows[row_at], table.columns[at], at)
    except (Unclear, KeyError, IndexError, StopIteration) as error:
        return Spec(reason=str(error) if isinstance(error, Unclear) else "no formula is stated for this column")

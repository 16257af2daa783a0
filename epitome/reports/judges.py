"""Models as raters: compared with people, never counted among them.

Per judge and question: how often it gives the majority answer of the people, kappa with them, how often it repeats its
answer when the two sides are swapped, and how often its output was not a valid answer.
"""

from collections import Counter
from collections.abc import Mapping

from epitome.agreement.intervals import Estimate, estimate_statistics
from epitome.agreement.report import build_statistics
from epitome.agreement.table import ratings_of_rows
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, share_cell, table_signature

INVALID = "invalid"
"""The stored answer when a judge's output matched no option."""
NOTE = (
    "Held against the majority of people; items on which people tie are left out. An invalid answer counts as wrong in "
    "accuracy and is left out of κ. Wilson 95 % intervals for shares, wider where several items are about one source, "
    "and a bootstrap over items for κ."
)
SWAPPED_NOTE = "Swapped: the same preference after left and right were exchanged."


def judge_table(frame: Frame, answers: Answers, swapped: Answers | None = None) -> Table | None:
    """answers: of people and judges to real items; swapped: the judges' answers to pairs with exchanged sides."""
    if not frame.judges:
        return None
    columns = [Column("Judge", kind="text"), Column("Question", kind="text")]
    columns += [Column("Accuracy", interval=True, count=True), Column("κ", interval=True)]
    columns += [Column("Swapped", interval=True, count=True), Column("Invalid", digits=0)]
    rows = []
    for judge in frame.judges:
        for question in frame.questions:
            if question.asks.marks:  # has a table of its own
                continue
            subset = answers.questions([question.key])
            judge_answers = {row.item: row.answer for row in subset.rows if row.rater == judge}
            if judge_answers:
                again = swapped.of_raters([judge]).questions([question.key]) if swapped is not None else None
                rows.append(
                    [Cell(judge), Cell(question.label), *_judge_cells(frame, question, subset, judge_answers, again)]
                )
    if not rows:
        return None
    signature_text = table_signature("judges", frame, answers)
    return Table("judges", "Models as raters", columns, rows, notes=(NOTE, SWAPPED_NOTE), signature=signature_text)


def _judge_cells(
    frame: Frame, question: ReportQuestion, answers: Answers, judge_answers: Mapping[str, str], again: Answers | None
) -> list[Cell]:
    people = majority_answers(answers.of_raters(frame.raters))
    source_of = {row.item: row.source for row in answers.rows}
    compared = [item for item in judge_answers if item in people]
    both = [(judge_answers[item], people[item]) for item in compared]
    accuracy = share_cell(
        [mine == theirs for mine, theirs in both],
        [source_of[item] for item in compared],
        "people did not rate these items, or tie on them",
    )
    valid = [[mine, theirs] for mine, theirs in both if mine != INVALID]
    kappa = Estimate.none("no item with a valid answer of both")
    if valid:
        ratings = ratings_of_rows(valid)
        coefficients = {"kappa": build_statistics(ratings)["cohen_kappa"]}
        kappa = estimate_statistics(coefficients, ratings.clusters, replicates=frame.replicates, seed=frame.seed)[
            "kappa"
        ]
    shown_again = [row for row in again.rows if row.item in judge_answers] if again is not None else []
    same = [judge_answers[row.item] == row.answer for row in shown_again]
    invalid = sum(answer == INVALID for answer in judge_answers.values())
    consistency = share_cell(same, [row.source for row in shown_again], "not asked twice")
    return [accuracy, estimate_cell(kappa), consistency, Cell(invalid)]


def majority_answers(answers: Answers) -> dict[str, str]:
    """The majority answer by item, without items that end in a tie. answers: to one question."""
    rows_by_item: dict[str, list[Answer]] = {}
    for row in answers.rows:
        rows_by_item.setdefault(row.item, []).append(row)
    answer_by_item = {}
    for item, rows in rows_by_item.items():
        (top_answer, top_count), *runners_up = Counter(row.answer for row in rows).most_common(2)
        if not runners_up or runners_up[0][1] < top_count:
            answer_by_item[item] = top_answer
    return answer_by_item

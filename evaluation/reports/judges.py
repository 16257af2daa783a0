"""A model as a rater: held against people, never counted among them.

Per judge and question: how often it gives the majority answer of the people, kappa with them, how often it contradicts
itself when the two sides are swapped, and how often what it said was no answer at all.
"""

from collections import Counter
from collections.abc import Mapping

from annotation.figures.tables import Cell, Column, Table
from evaluation.agreement.intervals import Estimate, estimates
from evaluation.agreement.report import statistics
from evaluation.agreement.table import ratings_of_rows
from evaluation.reports.answers import Answer, Answers, Asked, Frame
from evaluation.reports.cells import cell, share_cell, signature

INVALID = "invalid"
"""What is stored where a judge's words were none of the answers."""
NOTE = (
    "Held against the majority of people; items on which people tie are left out. An invalid answer counts as wrong in "
    "accuracy and is left out of κ. Wilson 95 % intervals for shares, a bootstrap over items for κ."
)
SAME = "Swapped: the same preference after left and right were exchanged."


def judge_table(frame: Frame, answers: Answers, swapped: Answers | None = None) -> Table | None:
    """answers: of people and judges to real items; swapped: a judge's answers to pairs with the sides exchanged."""
    if not frame.judges:
        return None
    columns = [Column("Judge", kind="text"), Column("Question", kind="text")]
    columns += [Column("Accuracy", interval=True, count=True), Column("κ", interval=True)]
    columns += [Column("Swapped", interval=True, count=True), Column("Invalid", digits=0)]
    rows = []
    for judge in frame.judges:
        for question in frame.questions:
            part = answers.questions([question.key])
            own = {row.item: row.answer for row in part.rows if row.rater == judge}
            if own:
                again = swapped.of_raters([judge]).questions([question.key]) if swapped is not None else None
                rows.append([Cell(judge), Cell(question.label), *_cells(frame, question, part, own, again)])
    if not rows:
        return None
    told = signature("judges", frame, answers)
    return Table("judges", "Models as raters", columns, rows, notes=(NOTE, SAME), signature=told)


def _cells(
    frame: Frame, question: Asked, answers: Answers, own: Mapping[str, str], again: Answers | None
) -> list[Cell]:
    people = majority(answers.of_raters(frame.raters))
    both = [(own[item], people[item]) for item in own if item in people]
    right = [mine == theirs for mine, theirs in both]
    accuracy = share_cell(right, "people did not rate these items, or tie on them")
    valid = [[mine, theirs] for mine, theirs in both if mine != INVALID]
    kappa = Estimate.none("no item with a valid answer of both")
    if valid:
        ratings = ratings_of_rows(valid)
        parts = {"kappa": statistics(ratings)["cohen_kappa"]}
        kappa = estimates(parts, ratings.clusters, replicates=frame.replicates, seed=frame.seed)["kappa"]
    same = [own.get(row.item) == row.answer for row in again.rows if row.item in own] if again is not None else []
    invalid = sum(answer == INVALID for answer in own.values())
    return [accuracy, cell(kappa), share_cell(same, "not asked twice"), Cell(invalid)]


def majority(answers: Answers) -> dict[str, str]:
    """The answer of most raters of every item; an item on which they tie is absent. answers: to one question."""
    given: dict[str, list[Answer]] = {}
    for row in answers.rows:
        given.setdefault(row.item, []).append(row)
    found = {}
    for item, rows in given.items():
        (first, most), *rest = Counter(row.answer for row in rows).most_common(2)
        if not rest or rest[0][1] < most:
            found[item] = first
    return found

"""Figures per rater: pace, uncertainty, bias, foils, self-agreement. For staff only; used in no other number."""

from collections.abc import Sequence
from statistics import median

from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answer, Answers, Frame, real_answers, select_quality
from epitome.reports.cells import share_cell, table_signature

NOTE = (
    "Seconds are active time per item. Foils: items with one unarguable answer. Itself: the same answer when an item "
    "was shown again. Others: the same answer as another rater of the item. Numbers and rankings count in neither. "
    "Wilson 95 % intervals, wider where several answers are about one source."
)


def rater_table(frame: Frame, rows: Sequence[Answer]) -> Table:
    """One row per rater, people first; rows: all answers, including foils and repeats."""
    columns = [Column("Rater", kind="text"), Column("Items", digits=0), Column("Answers", digits=0)]
    columns += [Column("Seconds, median", digits=1), Column("Unsure")]
    columns += [Column(head, interval=True, count=True) for head in ("Yes", "Foils right", "Itself", "Others")]
    counted = real_answers(rows)
    answer_by_key = {(row.item, row.question, row.rater): row.answer for row in rows}
    graded = {question.key for question in frame.questions if question.asks.agreement is not None}
    compared = [row for row in rows if row.question not in graded]
    others = _agreement_with_others(real_answers(compared))
    body = []
    for rater in (*frame.raters, *frame.excluded, *frame.judges):
        rater_answers = counted.of_raters([rater])
        foils = [row for row in select_quality(rows, "foil").rows if row.rater == rater and row.expected]
        again = [row for row in select_quality(compared, "repeat").rows if row.rater == rater]
        same = [row.answer == answer_by_key.get((row.repeats, row.question, rater)) for row in again]
        yes_no = [row for row in rater_answers.rows if row.answer in ("yes", "no")]
        agreements, agreement_sources = others.get(rater, ([], []))
        body.append(
            [
                Cell(_name_rater(frame, rater)),
                Cell(len({row.item for row in rater_answers.rows})),
                Cell(len(rater_answers)),
                _pace_cell(rater_answers),
                _plain_share_cell([row.unsure for row in rater_answers.rows]),
                share_cell([row.answer == "yes" for row in yes_no], _sources(yes_no), "no yes or no"),
                share_cell([row.answer == row.expected for row in foils], _sources(foils), "no foils"),
                share_cell(same, _sources(again), "nothing shown twice"),
                share_cell(agreements, agreement_sources, "nobody else rated these items"),
            ]
        )
    return Table("raters", "Raters", columns, body, notes=(NOTE,), signature=table_signature("raters", frame, counted))


def _name_rater(frame: Frame, rater: str) -> str:
    if rater in frame.excluded:
        return f"{rater} (excluded)"
    return f"{rater} (imported)" if rater in frame.outside else rater


def _pace_cell(rater_answers: Answers) -> Cell:
    seconds = {row.item: row.seconds for row in rater_answers.rows if row.seconds is not None}
    return Cell(float(median(seconds.values()))) if seconds else Cell(None, "no time recorded")


def _plain_share_cell(flags: Sequence[bool]) -> Cell:
    return Cell(sum(flags) / len(flags)) if flags else Cell(None, "no answers")


def _sources(rows: Sequence[Answer]) -> list[str]:
    return [row.source for row in rows]


def _agreement_with_others(answers: Answers) -> dict[str, tuple[list[bool], list[str]]]:
    """Rater -> one flag per own answer and other rater of the same question: whether they agree; and its source."""
    by_unit: dict[tuple[str, str], list[Answer]] = {}
    for row in answers.rows:
        by_unit.setdefault((row.item, row.question), []).append(row)
    agreements: dict[str, tuple[list[bool], list[str]]] = {}
    for rows in by_unit.values():
        for answer in rows:
            flags, sources = agreements.setdefault(answer.rater, ([], []))
            flags += [row.answer == answer.answer for row in rows if row is not answer]
            sources += [answer.source] * (len(rows) - 1)
    return agreements

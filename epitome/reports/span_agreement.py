"""Agreement on marked errors: F1 of the marked characters between raters, and chance-corrected agreement on words.

F1 is pooled: twice the characters that two raters both marked, divided by the sum of what each marked, over all texts
and pairs of raters; it is the same whoever is taken as right. Alpha on words: a unit is a word of a text, its label
whether a rater marked any of it (Krippendorff 2011, nominal). Kappa is Cohen's on the same labels, of more raters its
mean over pairs (Light 1971).
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np

from epitome.agreement.intervals import Estimate, Statistic, estimate_statistics, ratio_or_nan, undefined_statistic
from epitome.agreement.scales import Floats
from epitome.figures.tables import Cell, Column, Table
from epitome.reports.answers import Answer, Answers, Frame, ReportQuestion
from epitome.reports.cells import estimate_cell, few_sources_notes, source_codes, table_signature
from epitome.reports.judges import INVALID
from epitome.reports.span_errors import estimate_rates, marked_answers, sum_weights, table_key
from epitome.rounds.marks import Mark, covered_words, find_words, load_marks
from epitome.rounds.question_types import SpanErrors

NOTE = (
    "F1: characters that two raters both marked, pooled over texts and pairs of raters; then those of one category, "
    "and of one severity. κ and α: whether a rater marked any of a word; with more than two raters κ is the mean over "
    "pairs (Light 1971). Omissions have no place and count in neither. 95 % intervals by a bootstrap that draws whole "
    "sources."
)
JUDGE_NOTE = (
    "F1 with each person who rated the text, as between people. Unaligned: quotes that do not stand in the text, or "
    "name an undeclared category or severity; they are part of no other number. Invalid: answers that are no list."
)
MOST_RATERS = 12
NOBODY = "nobody marked any words"
NO_PAIR = "no text was rated by two"
ONE_LABEL = "the words are all marked, or all unmarked"
Same = Callable[[Mark], str]
LEVELS: tuple[tuple[str, Same], ...] = (
    ("F1", lambda mark: ""),
    ("F1, category", lambda mark: mark.category),
    ("F1, severity", lambda mark: mark.severity),
)
"""Column -> what marks of a character must share to count as the same."""


def span_agreement_tables(frame: Frame, answers: Answers) -> list[Table]:
    """One table per question. answers: of people."""
    tables = []
    for question in frame.of_type(SpanErrors):
        subset = marked_answers(answers, question)
        if len(subset):
            tables.append(_agreement_table(frame, question, subset))
    return tables


def span_judge_table(frame: Frame, answers: Answers) -> Table | None:
    """Models that marked errors, beside people. answers: of people and judges to real items."""
    columns = [Column("Judge", kind="text"), Column("Question", kind="text"), Column("Texts", digits=0)]
    columns += [Column(label, interval=True) for label, _same in LEVELS]
    columns += [Column("Score", interval=True), Column("Unaligned", digits=0), Column("Invalid", digits=0)]
    rows = []
    for judge in frame.judges:
        for question in frame.of_type(SpanErrors):
            judge_answers = answers.of_raters([judge]).questions([question.key])
            if len(judge_answers):
                rows.append([Cell(judge), Cell(question.label), *_judge_cells(frame, question, answers, judge_answers)])
    if not rows:
        return None
    signature_text = table_signature("span-judges", frame, answers)
    return Table("span-judges", "Models that mark errors", columns, rows, notes=(JUDGE_NOTE,), signature=signature_text)


def _judge_cells(frame: Frame, question: ReportQuestion, answers: Answers, judge_answers: Answers) -> list[Cell]:
    people = _by_item(marked_answers(answers.of_raters(frame.raters), question).rows)
    valid = marked_answers(judge_answers, question).rows
    pairs = [(row, other) for row in valid for other in people.get(row.item, [])]
    f1 = _estimate(frame, {label: _f1_statistic(pairs, same) for label, same in _levels(question)}, pairs)
    score = Estimate.none("no valid answer")
    if valid:
        weights = [-sum_weights(question, load_marks(row.answer)) for row in valid]
        score = estimate_rates(frame, {"score": weights}, valid)["score"]
    return [
        Cell(len(valid)),
        *(_level_cell(f1, label) for label, _same in LEVELS),
        estimate_cell(score),
        Cell(sum(row.unaligned for row in judge_answers.rows)),
        Cell(sum(row.answer == INVALID for row in judge_answers.rows)),
    ]


def _agreement_table(frame: Frame, question: ReportQuestion, answers: Answers) -> Table:
    columns = [Column("Domain", kind="text"), Column("Texts", digits=0), Column("Raters", digits=0)]
    columns += [Column(label, interval=True) for label, _same in LEVELS]
    columns += [Column("κ, words", interval=True), Column("Krippendorff's α, words", interval=True)]
    rows = []
    for domain, name in frame.domains:
        subset = answers.domains([domain])
        if len(subset):
            rows.append([Cell(name), *_agreement_cells(frame, question, subset)])
    notes = (NOTE, *few_sources_notes(answers.names("source")))
    signature_text = table_signature("span-agreement", frame, answers, question=question.key)
    key = table_key(frame, "span-agreement", question)
    return Table(key, f"{question.label}: agreement", columns, rows, notes=notes, signature=signature_text)


def _agreement_cells(frame: Frame, question: ReportQuestion, answers: Answers) -> list[Cell]:
    raters = answers.names("rater")
    items = [rows for rows in _by_item(answers.rows).values() if len(rows) > 1]
    pairs = [pair for rows in items for pair in combinations(rows, 2)]
    f1 = _estimate(frame, {label: _f1_statistic(pairs, same) for label, same in _levels(question)}, pairs)
    firsts = [rows[0] for rows in items]
    on_words = {"kappa": _kappa_statistic(items, raters), "alpha": _alpha_statistic(items)}
    estimates = estimate_statistics(
        on_words, source_codes([row.source for row in firsts]), replicates=frame.replicates, seed=frame.seed
    )
    return [
        Cell(len(items)),
        Cell(len(raters)),
        *(_level_cell(f1, label) for label, _same in LEVELS),
        estimate_cell(estimates["kappa"]),
        estimate_cell(estimates["alpha"]),
    ]


def _levels(question: ReportQuestion) -> Iterable[tuple[str, Same]]:
    return [level for level in LEVELS if level[0] != "F1, category" or question.values]


def _level_cell(estimates: dict[str, Estimate], label: str) -> Cell:
    return estimate_cell(estimates[label]) if label in estimates else Cell(None, "the errors have no category")


def _by_item(rows: Iterable[Answer]) -> dict[str, list[Answer]]:
    by_item: dict[str, list[Answer]] = {}
    for row in rows:
        by_item.setdefault(row.item, []).append(row)
    return by_item


def _estimate(
    frame: Frame, statistics: dict[str, Statistic], pairs: Sequence[tuple[Answer, Answer]]
) -> dict[str, Estimate]:
    clusters = source_codes([row.source for row, _other in pairs])
    return estimate_statistics(statistics, clusters, replicates=frame.replicates, seed=frame.seed)


def _f1_statistic(pairs: Sequence[tuple[Answer, Answer]], same: Same) -> Statistic:
    if not pairs:
        return undefined_statistic(NO_PAIR)
    rows = [_count_shared(load_marks(row.answer), load_marks(other.answer), same) for row, other in pairs]
    return Statistic(np.array(rows, dtype=float), lambda sums: ratio_or_nan(sums[..., 0], sums[..., 1]), "", NOBODY)


def _count_shared(marks: Iterable[Mark], others: Iterable[Mark], same: Same) -> tuple[int, int]:
    """(twice the characters marked alike by both, sum of the characters that each marked)."""
    mine = {(place, same(mark)) for mark in marks for place in mark.place}
    theirs = {(place, same(mark)) for mark in others for place in mark.place}
    return 2 * len(mine & theirs), len(mine) + len(theirs)


@lru_cache(1 << 14)
def _word_labels(text: str, answer: str) -> tuple[bool, ...]:
    return tuple(covered_words(find_words(text), load_marks(answer)))


def _alpha_statistic(items: Sequence[Sequence[Answer]]) -> Statistic:
    """Nominal alpha of two labels from sums per text: disagreements within words, and words marked and not."""
    if not items:
        return undefined_statistic(NO_PAIR)
    rows = []
    for answers in items:
        labels = np.array([_word_labels(row.text, row.answer) for row in answers])
        marked = labels.sum(axis=0)
        apart = (2 * marked * (len(answers) - marked) / (len(answers) - 1)).sum()
        rows.append((apart, marked.sum(), labels.size - marked.sum()))

    def finish(sums: Floats) -> Floats:
        apart, marked, unmarked = sums[..., 0], sums[..., 1], sums[..., 2]
        return np.asarray(1 - ratio_or_nan((marked + unmarked - 1) * apart, 2 * marked * unmarked))

    return Statistic(np.array(rows, dtype=float), finish, otherwise=ONE_LABEL)


def _kappa_statistic(items: Sequence[Sequence[Answer]], raters: Sequence[str]) -> Statistic:
    """Mean of Cohen's kappa on words over the pairs of raters for which it is defined."""
    if not items:
        return undefined_statistic(NO_PAIR)
    if len(raters) > MOST_RATERS:
        return undefined_statistic(f"more than {MOST_RATERS} raters; see α")
    names = {pair: position for position, pair in enumerate(combinations(sorted(raters), 2))}
    tables = np.zeros((len(items), len(names), 4))
    for index, answers in enumerate(items):
        labels = {row.rater: np.array(_word_labels(row.text, row.answer), dtype=int) for row in answers}
        for pair in combinations(sorted(labels), 2):
            both = 2 * labels[pair[0]] + labels[pair[1]]
            tables[index, names[pair]] += np.bincount(both, minlength=4)
    defined = [place for place in names.values() if np.isfinite(_kappa(tables[:, place].sum(axis=0)))]
    if not defined:
        return undefined_statistic(ONE_LABEL)
    rows = tables[:, defined].reshape(len(items), -1)

    def finish(sums: Floats) -> Floats:
        return np.asarray(_kappa(sums.reshape(*sums.shape[:-1], -1, 4)).mean(axis=-1))

    return Statistic(rows, finish, otherwise=ONE_LABEL)


def _kappa(counts: Floats) -> Floats:
    """Cohen's kappa of tables (..., 4): neither marked, the second alone, the first alone, both."""
    neither, second, first, both = (counts[..., index] for index in range(4))
    n = counts.sum(axis=-1)
    expected = (first + both) * (first + neither) + (second + both) * (second + neither)
    return np.asarray(1 - ratio_or_nan(n * (first + second), expected))

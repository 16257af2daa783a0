"""Marked errors: scores per 100 words, and agreement on the marked characters and words."""

import json
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from epitome.check.agreement import UNDEFINED, Coefficient, conclude, over
from epitome.check.draws import Floats, bootstrap
from epitome.check.rates import bound
from epitome.check.report_file import Answer, Number, Report
from epitome.check.results import Result
from epitome.check.selection import Of, select

INVALID = "invalid"
MOST_RATERS = 12
Mark = dict[str, Any]


class Marked(NamedTuple):
    """An answer with its marks: dicts with severity and, where they have one, category, start and end."""

    answer: Answer
    marks: list[Mark]


def select_marked(report: Report, of: Of) -> list[Marked]:
    """Valid answers about texts that have words."""
    return [
        Marked(answer, json.loads(answer.answer))
        for answer in select(report, of)
        if answer.answer != INVALID and answer.n_words
    ]


def amount(report: Report, marked: Marked, of: Of) -> float:
    """What is summed: minus the weights (score), errors (count), of one severity, or the weights of one category."""
    weights: dict[str, float] = dict(report.questions[marked.answer.question]["severities"])
    amount_name = of["amount"]
    if amount_name == "score":
        return -sum(weights[mark["severity"]] for mark in marked.marks)
    if amount_name == "count":
        return len(marked.marks)
    if "severity" in of:
        return float(sum(mark["severity"] == of["severity"] for mark in marked.marks))
    return sum(weights[mark["severity"]] for mark in marked.marks if mark.get("category", "") == of["category"])


def per_100_words(report: Report, number: Number) -> Result:
    """100 times the sum of the amounts over the sum of the words."""
    marked_answers = select_marked(report, number.of)
    if not marked_answers:
        return Result(None, n=0)
    terms = np.array(
        [[amount(report, marked_answer, number.of), marked_answer.answer.n_words] for marked_answer in marked_answers],
        dtype=float,
    )

    def finish(sums: Floats) -> Floats:
        return 100 * over(sums[..., 0], sums[..., 1])

    sources = [marked_answer.answer.source for marked_answer in marked_answers]
    bounds = bootstrap(terms, sources, finish, report.replicates, report.seed)
    return Result(float(finish(terms.sum(axis=0))), *bounds, len(marked_answers))


def without_errors(report: Report, number: Number) -> Result:
    """The share of answers without a mark."""
    marked_answers = select_marked(report, number.of)
    values = [float(not marked_answer.marks) for marked_answer in marked_answers]
    if not values:
        return Result(None, n=0)
    bounds = bound(report, number.interval, values, [marked_answer.answer.source for marked_answer in marked_answers])
    return Result(sum(values) / len(values), *bounds, len(values))


def count_marks(report: Report, number: Number) -> Result:
    """How many errors, answers, texts that two or more marked, raters, quotes not found, or invalid answers."""
    marked_answers = select_marked(report, number.of)
    answers = select(report, number.of)
    twice = [answers for answers in by_item(marked_answers).values() if len(answers) > 1]
    counts = {
        "errors": sum(len(marked_answer.marks) for marked_answer in marked_answers),
        "answers": len(marked_answers),
        "texts": len(twice),
        "raters": len({marked_answer.answer.rater for marked_answer in marked_answers}),
        "unaligned": sum(answer.unaligned for answer in answers),
        "invalid": sum(answer.answer == INVALID for answer in answers),
    }
    return Result(counts[number.of["counted"]])


def by_item(marked_answers: list[Marked]) -> dict[str, list[Marked]]:
    items: dict[str, list[Marked]] = {}
    for marked_answer in marked_answers:
        items.setdefault(marked_answer.answer.item, []).append(marked_answer)
    return items


def characters(marks: list[Mark], alike: str) -> set[tuple[int, str]]:
    """Every marked character, with what marks must share: "", category or severity."""
    return {
        (place, str(mark.get(alike, "")) if alike else "")
        for mark in marks
        for place in range(mark.get("start") or 0, mark.get("end") or 0)
    }


def f1(report: Report, number: Number) -> Result:
    """Twice the characters that two raters both marked over the sum of what each marked, over all pairs."""
    of = number.of
    marked_answers = select_marked(report, of)
    if "judge" in of:  # beside every person who marked the text
        people = by_item(select_marked(report, {"questions": of["questions"]}))
        pairs = [
            (marked_answer, other)
            for marked_answer in marked_answers
            for other in people.get(marked_answer.answer.item, ())
        ]
    else:
        pairs = [pair for answers in by_item(marked_answers).values() for pair in combinations(answers, 2)]
    if not pairs:
        return Result(None)
    terms = []
    for a, b in pairs:
        mine, theirs = characters(a.marks, of.get("alike", "")), characters(b.marks, of.get("alike", ""))
        terms.append((2 * len(mine & theirs), len(mine) + len(theirs)))
    ratio = Coefficient(np.array(terms, dtype=float), lambda sums: over(sums[..., 0], sums[..., 1]))
    return conclude(report, number, ratio, [pair[0].answer.source for pair in pairs])


def touched(marked_answer: Marked) -> Floats:
    """1 for each word that a mark touches, else 0."""
    places = [(mark["start"], mark["end"]) for mark in marked_answer.marks if mark.get("start") is not None]
    return np.array(
        [float(any(start < word[1] and word[0] < end for start, end in places)) for word in marked_answer.answer.words]
    )


def words_alpha(report: Report, number: Number) -> Result:
    """Krippendorff's nominal alpha; a unit is a word of a text, its labels marked and not."""
    items = [answers for answers in by_item(select_marked(report, number.of)).values() if len(answers) > 1]
    terms = []
    for answers in items:
        labels = np.array([touched(marked_answer) for marked_answer in answers])
        marked, m = labels.sum(axis=0), len(answers)
        terms.append((float((2 * marked * (m - marked)).sum()) / (m - 1), marked.sum(), labels.size - marked.sum()))

    def finish(sums: Floats) -> Floats:
        marked, other = sums[..., 1], sums[..., 2]
        return np.asarray(1 - over((marked + other - 1) * sums[..., 0], 2 * marked * other))

    marked_answers = Coefficient(np.array(terms, dtype=float), finish) if terms else UNDEFINED
    return conclude(report, number, marked_answers, [answers[0].answer.source for answers in items])


def words_kappa(report: Report, number: Number) -> Result:
    """The mean over pairs of raters of Cohen's kappa on words, marked or not, of the pairs for which it is defined."""
    marked = select_marked(report, number.of)
    raters = sorted({marked_answer.answer.rater for marked_answer in marked})
    items = [answers for answers in by_item(marked).values() if len(answers) > 1]
    pairs = list(combinations(raters, 2))
    if not items or len(raters) > MOST_RATERS:
        return Result(None)
    tables = np.zeros((len(items), len(pairs), 4))
    for at, answers in enumerate(items):
        labels = {marked_answer.answer.rater: touched(marked_answer) for marked_answer in answers}
        for a, b in combinations(sorted(labels), 2):
            cells = (2 * labels[a] + labels[b]).astype(int)
            tables[at, pairs.index((a, b))] += np.bincount(cells, minlength=4)
    tables = tables[:, np.isfinite(_kappas(tables.sum(axis=0)))]
    if not tables.shape[1]:
        return Result(None)
    marked_answers = Coefficient(
        tables.reshape(len(items), -1),
        lambda sums: np.asarray(_kappas(sums.reshape(*sums.shape[:-1], -1, 4)).mean(axis=-1)),
    )
    return conclude(report, number, marked_answers, [answers[0].answer.source for answers in items])


def _kappas(cells: Floats) -> Floats:
    """Of tables (..., 4): both not, second alone, first alone, both."""
    neither, second, first, both = np.moveaxis(cells, -1, 0)
    n = cells.sum(axis=-1)
    by_chance = (first + both) * (second + both) + (neither + second) * (neither + first)
    return over(n * (both + neither) - by_chance, n * n - by_chance)

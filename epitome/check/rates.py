"""Means, shares and counts of answers."""

from collections import Counter
from statistics import median, stdev

import numpy as np

from epitome.check.draws import NONE, Bounds, Floats, bootstrap, effective_n, wilson
from epitome.check.report_file import Answer, Number, Report
from epitome.check.results import Result, UnknownFormula
from epitome.check.selection import Of, ratings, score, select


def bound(report: Report, method: str, values: list[float], sources: list[str]) -> Bounds:
    """The interval of a mean by its method. Raises UnknownFormula."""
    if not method or not values:
        return NONE
    if method == "wilson":
        n = effective_n(values, sources)
        return wilson(sum(values) / len(values), n)
    if method == "bootstrap":
        terms = np.column_stack([values, np.ones(len(values))])
        return bootstrap(terms, sources, divide, report.replicates, report.seed)
    raise UnknownFormula(f"the interval {method!r} is not known to this version")


def divide(sums: Floats) -> Floats:
    """The first sum over the second, NaN where that is 0."""
    return np.asarray(np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan))


def _conclude(report: Report, number: Number, values: list[float], sources: list[str]) -> Result:
    times = float(number.of.get("times", 1))
    if not values:
        return Result(None, n=0)
    low, high = bound(report, number.interval, values, sources)
    scaled = [None if bound_value is None else times * bound_value for bound_value in (low, high)]
    return Result(times * sum(values) / len(values), scaled[0], scaled[1], len(values))


def mean(report: Report, number: Number) -> Result:
    answers = select(report, number.of)
    values = [score(report, answer, number.of) for answer in answers]
    return _conclude(report, number, values, [answer.source for answer in answers])


def majority(report: Report, number: Number) -> Result:
    """Over items and questions: 1 where more than half of the raters' scores are 1; ties are left out."""
    units = ratings(select(report, number.of))
    votes = {
        unit: sum(score(report, answer, number.of) for answer in answers) / len(answers)
        for unit, answers in units.items()
    }
    kept_votes = [(float(share > 0.5), units[unit][-1].source) for unit, share in votes.items() if share != 0.5]
    return _conclude(report, number, [vote for vote, _source in kept_votes], [source for _vote, source in kept_votes])


def all_yes(report: Report, number: Number) -> Result:
    """Over units that two raters or more answered: the share to which all said yes."""
    units = list(ratings(select(report, number.of)).values())
    twice = [answers for answers in units if len(answers) > 1]
    values = [float(all(answer.answer == "yes" for answer in answers)) for answers in twice]
    if not values or number.interval != "bootstrap":
        return _conclude(report, number, values, [answers[0].source for answers in twice])
    by_unit = dict(zip(map(id, twice), values, strict=True))
    terms = np.array([[by_unit.get(id(answers), 0.0), float(len(answers) > 1)] for answers in units])
    bounds = bootstrap(terms, [answers[0].source for answers in units], divide, report.replicates, report.seed)
    return Result(sum(values) / len(values), *bounds, len(values))


def middle_value(report: Report, number: Number) -> Result:
    values = [score(report, answer, number.of) for answer in select(report, number.of)]
    return Result(float(median(values)) if values else None)


def spread(report: Report, number: Number) -> Result:
    values = [score(report, answer, number.of) for answer in select(report, number.of)]
    return Result(stdev(values) if len(values) > 1 else None)


def count(report: Report, number: Number) -> Result:
    """How many answers, or different values of the field `distinct`."""
    answers = select(report, number.of)
    field = number.of.get("distinct")
    return Result(len({getattr(answer, field) for answer in answers}) if field else len(answers))


def chance(report: Report, number: Number) -> Result:
    """The share of the requested value that is commonest."""
    requested = Counter(answer.requested for answer in select(report, number.of))
    return Result(max(requested.values()) / requested.total() if requested else None)


def whole_ratings(report: Report, of: Of) -> list[list[Answer]]:
    """The answers of one person about one item, where every question of `of` is answered."""
    by_person: dict[tuple[str, str], list[Answer]] = {}
    for answer in select(report, of):
        by_person.setdefault((answer.item, answer.rater), []).append(answer)
    return [answers for answers in by_person.values() if len(answers) == len(of["questions"])]


def rated(report: Report, number: Number) -> Result:
    """Of ratings in which all questions are answered: the share with yes to `yes_to`, to any, or to none."""
    complete_ratings = whole_ratings(report, number.of)
    question_to = number.of["yes_to"]
    values = []
    for answers in complete_ratings:
        yes = {answer.question for answer in answers if answer.answer == "yes"}
        values.append(
            float(not yes if question_to == "none" else bool(yes) if question_to == "any" else question_to in yes)
        )
    return _conclude(report, number, values, [answers[0].source for answers in complete_ratings])

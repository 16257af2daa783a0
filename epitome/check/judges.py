"""Models as raters, beside people."""

from collections import Counter

import numpy as np

from epitome.check.agreement import Units, cohen, conclude
from epitome.check.rates import bound
from epitome.check.report_file import Number, Report
from epitome.check.results import Result
from epitome.check.selection import Of, select

INVALID = "invalid"
Compared = list[tuple[str, str, str]]
"""The judge's answer, the people's, and the source."""


def compare(report: Report, of: Of) -> Compared:
    """The judge's answer beside that of most people, on the items on which people do not tie."""
    people: dict[str, list[str]] = {}
    for answer in select(report, {"questions": of["questions"]}):
        people.setdefault(answer.item, []).append(answer.answer)
    answer_by_item = {answer.item: answer for answer in select(report, of)}
    compared = []
    for item, answer in answer_by_item.items():
        counted = Counter(people.get(item, ())).most_common(2)
        if counted and (len(counted) == 1 or counted[1][1] < counted[0][1]):
            compared.append((answer.answer, counted[0][0], answer.source))
    return compared


def accuracy(report: Report, number: Number) -> Result:
    compared = compare(report, number.of)
    if not compared:
        return Result(None, n=0)
    values = [float(judge_answer == theirs) for judge_answer, theirs, _source in compared]
    bounds = bound(report, number.interval, values, [source for *_both, source in compared])
    return Result(sum(values) / len(values), *bounds, len(values))


def judge_kappa(report: Report, number: Number) -> Result:
    """Cohen's kappa of the judge with most people; every item is drawn by itself."""
    valid = [
        (judge_answer, theirs)
        for judge_answer, theirs, _source in compare(report, number.of)
        if judge_answer != INVALID
    ]
    if not valid:
        return Result(None)
    labels = tuple(sorted({answer for both in valid for answer in both}))
    codes = np.array([[labels.index(answer) for answer in both] for both in valid])
    items = [str(at) for at in range(len(valid))]
    return conclude(report, number, cohen(Units(codes, labels, items)), items)


def consistency(report: Report, number: Number) -> Result:
    """The share of items that the judge answered alike when the texts of the pair were exchanged."""
    answer_by_item = {answer.item: answer.answer for answer in select(report, number.of)}
    again = [answer for answer in select(report, {**number.of, "kind": "repeat"}) if answer.item in answer_by_item]
    if not again:
        return Result(None, n=0)
    values = [float(answer.answer == answer_by_item[answer.item]) for answer in again]
    bounds = bound(report, number.interval, values, [answer.source for answer in again])
    return Result(sum(values) / len(values), *bounds, len(values))


def invalid(report: Report, number: Number) -> Result:
    answer_by_item = {answer.item: answer.answer for answer in select(report, number.of)}
    return Result(sum(answer == INVALID for answer in answer_by_item.values()))

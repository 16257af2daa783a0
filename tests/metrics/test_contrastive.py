"""Dodged and escaped shares against hand-worked cases, and the published runs as data."""

import math
import random
from dataclasses import replace
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.metrics.contrastive_scores import RULES, Case, contrastive_report, failure_histogram
from epitome.metrics.published import load_tables

CASES = [
    Case("a", -10.0, [("G-N", -12.0), ("G-N", -9.0), ("S-V", -11.0)]),  # one failure
    Case("b", -5.0, [("G-N", -5.5), ("S-V", -7.0)]),  # escaped
    Case("c", -8.0, [("S-V", -8.0)]),  # a tie is a failure
    Case("d", -3.0, []),  # no contrastive
]
SCORES = st.integers(-20, 0).map(float)
MADE = st.lists(
    st.tuples(SCORES, st.lists(st.tuples(st.sampled_from(RULES), SCORES), max_size=6)), min_size=1, max_size=12
)


def report(cases, **options):
    return contrastive_report(cases, **options)


def test_dodged_escaped_and_rules_by_hand():
    result = report(CASES)
    assert float(result.dodged.value) == pytest.approx(100 * 4 / 6)
    assert float(result.escaped.value) == pytest.approx(100 * 1 / 3)
    assert list(result.by_rule) == ["G-N", "S-V"]
    assert float(result.by_rule["G-N"].dodged.value) == pytest.approx(100 * 2 / 3)
    assert float(result.by_rule["S-V"].dodged.value) == pytest.approx(100 * 2 / 3)
    assert (result.by_rule["G-N"].tuples, result.by_rule["G-N"].tuples_failed) == (2, 1)
    assert (result.by_rule["S-V"].tuples, result.by_rule["S-V"].tuples_failed) == (3, 1)
    assert result.failures[:3] == (1, 2, 0) and sum(result.failures) == 3
    assert result.empty == 1
    assert (result.dodged.n, result.escaped.n, result.by_rule["G-N"].dodged.n) == (6, 3, 3)


def test_high_dodged_with_low_escaped():
    """20 contrastives per tuple, one of them preferred to each gold: 95 % dodged, none escaped."""
    cases = [Case(n, -1.0, [("G-N", -2.0)] * 19 + [("G-P", -0.5)]) for n in range(10)]
    result = report(cases)
    assert float(result.dodged.value) == pytest.approx(95.0)
    assert float(result.escaped.value) == 0.0
    assert result.failures[1] == 10
    assert float(result.by_rule["G-P"].dodged.value) == 0.0


def test_the_last_bar_holds_twenty_and_more():
    assert failure_histogram([0, 1, 19, 20, 21, 50, 0]) == (2, 1, *[0] * 17, 1, 3)
    cases = [Case("x", -1.0, [("G-N", -0.5)] * 25)]
    assert report(cases).failures == (*[0] * 20, 1)


def test_nothing_to_dodge_is_undefined():
    result = report([Case("x", -1.0, [])])
    assert result.dodged.value.undefined and result.escaped.value.undefined
    assert (result.by_rule, result.empty, sum(result.failures)) == ({}, 1, 0)
    assert report([]).dodged.value.undefined == "no samples"


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([Case("x", math.nan, [])], "tuple x: the gold has the score nan: give a finite number"),
        ([Case("x", -1.0, [("G-N", -math.inf)])], "tuple x: a contrastive of G-N has the score -inf"),
        ([Case("x", -1.0, []), Case("x", -1.0, [])], "tuple x stands twice"),
    ],
)
def test_broken_cases_are_named(cases, message):
    with pytest.raises(ValueError, match=message):
        report(cases)


def test_the_mean_can_decide_otherwise_than_the_sum():
    gold, longer = [-1.0] * 4, [-0.9] * 5
    by_sum = [Case("x", sum(gold), [("G-N", sum(longer))])]
    by_mean = [Case("x", mean(gold), [("G-N", mean(longer))])]
    assert float(report(by_sum).dodged.value) == 100.0
    assert float(report(by_mean, score="mean").dodged.value) == 0.0
    assert ("score", "mean") in report(by_mean, score="mean").dodged.signature.options


@given(MADE, st.randoms(use_true_random=False))
def test_the_whole_is_the_weighted_mean_of_its_rules_in_any_order(made, draw):
    cases = [Case(key, gold, contrastives) for key, (gold, contrastives) in enumerate(made)]
    outcome = report(cases)
    triples = sum(len(case.contrastives) for case in cases)
    assert outcome.dodged.n == triples == sum(rule.dodged.n for rule in outcome.by_rule.values())
    if triples:
        results = [float(rule.dodged.value) * rule.dodged.n for rule in outcome.by_rule.values()]
        assert float(outcome.dodged.value) == pytest.approx(sum(results) / triples)
    assert sum(outcome.failures) + outcome.empty == len(cases)
    with_failures = sum(outcome.failures[1:])
    assert max((rule.tuples_failed for rule in outcome.by_rule.values()), default=0) <= with_failures
    draw.shuffle(cases)
    again = report(cases)
    assert again.failures == outcome.failures
    for rule, result in outcome.by_rule.items():
        assert float(again.by_rule[rule].dodged.value) == pytest.approx(float(result.dodged.value))
        assert again.by_rule[rule].tuples_failed == result.tuples_failed


def test_intervals_draw_whole_tuples():
    """50 contrastives of a tuple stand or fall together, so 2 x 50 triples are no 100 independent ones."""
    cases = [Case("a", -1.0, [("G-N", -2.0)] * 50), Case("b", -1.0, [("G-N", -0.5)] * 50)]
    interval = report(cases).dodged.interval
    assert (interval.low, interval.high) == pytest.approx((5.5, 94.5), abs=0.1)  # as of half of one answer
    assert interval.clusters == 2


def test_tuples_of_one_source_stand_or_fall_together():
    """Six golds of each of four articles: as many sources, and the signature says so."""
    cases = [
        Case(f"{article}-{gold}", -1.0, [("G-N", -2.0 if article < 3 else -0.5)] * 5, source=f"article {article}")
        for article in range(4)
        for gold in range(6)
    ]
    result = report(cases)
    for aggregate in (result.dodged, result.escaped):
        assert float(aggregate.value) == 75.0 and aggregate.interval.clusters == 4
        assert (aggregate.interval.low, aggregate.interval.high) == pytest.approx((26.3, 96.1), abs=0.6)
        assert "sources:4" in str(aggregate.signature) and "clusters:sources" in str(aggregate.signature)
    alone = report([replace(case, source=None) for case in cases])
    assert alone.escaped.interval.low > 50 and "tuples:24" in str(alone.escaped.signature)
    with pytest.raises(ValueError, match="case 0 has no source"):
        report([replace(cases[0], source=None), cases[1]])


def test_nothing_dodged_has_an_upper_bound():
    result = report([Case(key, -1.0, [("G-N", -0.5)]) for key in range(90)])
    assert float(result.escaped.value) == 0.0
    assert (result.escaped.interval.low, result.escaped.interval.high) == pytest.approx((0.0, 4.09), abs=0.01)


def test_many_cases_equal_a_plain_count():
    draw = random.Random(2)
    cases = [
        Case(n, draw.gauss(0, 1), [(draw.choice(RULES), draw.gauss(-0.5, 1)) for _ in range(draw.randrange(60))])
        for n in range(500)
    ]
    result = report(cases)
    wins = [case.gold > score for case in cases for _, score in case.contrastives]
    assert float(result.dodged.value) == pytest.approx(100 * np.mean(wins))
    escaped = [all(case.gold > score for _, score in case.contrastives) for case in cases if case.contrastives]
    assert float(result.escaped.value) == pytest.approx(100 * np.mean(escaped))
    assert result.failures[0] == sum(escaped)
    for rule in RULES:
        failed = [any(name == rule and case.gold <= score for name, score in case.contrastives) for case in cases]
        assert result.by_rule[rule].tuples_failed == sum(failed)


def test_published_totals_lie_between_their_rules():
    """A total is a mean of its rules weighted by their contrastives, so it can leave their range in no run."""
    rows = load_tables("contrastive")["runs"].rows
    assert len(rows) == 3
    for row in rows:
        shares = [row.cells[rule] for rule in RULES]
        assert min(shares) <= row.cells["dodged"] <= max(shares)
        assert row.cells["escaped"] < row.cells["dodged"]
        assert 49 < row.cells["contrastives"] / row.cells["tuples"] < 52  # about 50 contrastives per summary

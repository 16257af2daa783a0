"""Two models over the same contrastives, against a plain paired bootstrap; the worst tuples by hand."""

import random

import numpy as np
import pytest

from evaluation.metrics.contrastive import RULES, Case, contrastive_report, report_scores
from evaluation.metrics.contrastive_comparison import compare_models
from evaluation.metrics.scored_tuples import ScoredTuples, find_worst_tuples, match_contrastives
from evaluation.metrics.significance import holm, paired_bootstrap


def columns(golds, rows, rules=("G-N", "S-V")):
    """golds: key -> score; rows: (key, contrastive, rule, score)."""
    keys = list(golds)
    return ScoredTuples(
        keys=np.array(keys, dtype=np.int64),
        gold=np.array([golds[key] for key in keys], dtype=float),
        tuples=np.array([keys.index(row[0]) for row in rows], dtype=np.int64),
        contrastives=np.array([row[1] for row in rows], dtype=np.int64),
        rule=np.array([rules.index(row[2]) for row in rows], dtype=np.int64),
        scores=np.array([row[3] for row in rows], dtype=float),
        rules=tuple(rules),
    )


def drawn_model(seed, n_tuples=60, shift=0.0):
    draw = random.Random(seed)
    shape = random.Random(9)  # which contrastives there are is the same for every model
    golds, rows, number = {}, [], 0
    for key in range(100, 100 + n_tuples):
        golds[key] = draw.gauss(0, 1) + shift
        for _ in range(shape.randrange(1, 9)):
            rows.append((key, number, RULES[shape.randrange(8)], draw.gauss(-0.5, 1)))
            number += 1
    return columns(golds, rows, RULES)


def test_columns_and_cases_give_the_same_report():
    model = drawn_model(1)
    cases = [
        Case(
            int(key),
            float(model.gold[place]),
            [
                (model.rules[rule], float(score))
                for at, rule, score in zip(model.tuples, model.rule, model.scores, strict=True)
                if at == place
            ],
        )
        for place, key in enumerate(model.keys)
    ]
    ours, theirs = report_scores(model), contrastive_report(cases)
    assert ours.dodged.value == theirs.dodged.value and ours.dodged.interval == theirs.dodged.interval
    assert ours.escaped == theirs.escaped and ours.failures == theirs.failures
    assert {rule: row.tuples_failed for rule, row in ours.by_rule.items()} == {
        rule: row.tuples_failed for rule, row in theirs.by_rule.items()
    }


def test_the_comparison_is_the_paired_bootstrap_over_tuples():
    first, second = drawn_model(1, shift=0.4), drawn_model(2)
    found = compare_models(first, second, replicates=500, seed=3)
    ours, theirs = match_contrastives(first, second)
    plain = paired_bootstrap(
        (100.0 * ours.dodged).tolist(), (100.0 * theirs.dodged).tolist(), ours.tuples.tolist(), 500, 3
    )
    assert float(found.dodged.difference) == pytest.approx(float(plain.difference))
    assert float(found.dodged.p_value) == pytest.approx(float(plain.p_value))
    assert (found.dodged.interval.low, found.dodged.interval.high) == pytest.approx((plain.ci95.low, plain.ci95.high))
    escaped = [(100.0 * (model.count_failures() == 0)).tolist() for model in (ours, theirs)]
    plain = paired_bootstrap(*escaped, None, 500, 3)
    assert float(found.escaped.difference) == pytest.approx(float(plain.difference))
    assert float(found.escaped.p_value) == pytest.approx(float(plain.p_value))


def test_rules_are_corrected_together():
    found = compare_models(drawn_model(1, shift=0.4), drawn_model(2), replicates=200)
    assert list(found.by_rule) == list(RULES)
    plain = [float(row.p_value) for row in found.by_rule.values()]
    assert [float(row.holm_p) for row in found.by_rule.values()] == pytest.approx(holm(plain))
    assert found.dodged.holm_p == found.dodged.p_value


def test_only_what_both_scored_counts():
    first = columns({7: -1.0, 3: -1.0, 5: -1.0}, [(7, 1, "G-N", -2.0), (3, 2, "G-N", -2.0), (5, 9, "S-V", -2.0)])
    second = columns(
        {3: -1.0, 7: -1.0, 8: -1.0}, [(3, 2, "S-V", 0.0), (7, 1, "S-V", -2.0), (8, 5, "S-V", 0.0)], ("S-V",)
    )
    found = compare_models(first, second, replicates=50)
    assert (found.dodged.tuples, found.dodged.n) == (2, 2)
    assert (float(found.dodged.first), float(found.dodged.second)) == (100.0, 50.0)
    assert list(found.by_rule) == ["G-N"]
    assert float(found.escaped.difference) == 50.0


def test_equal_models_and_nothing_shared_have_no_difference_or_none():
    model = drawn_model(4)
    found = compare_models(model, model, replicates=50)
    assert float(found.dodged.difference) == 0.0 and float(found.dodged.p_value) == 1.0
    other = columns({1: -1.0}, [(1, 10_000, "G-N", -2.0)])
    none = compare_models(model, other, replicates=50)
    assert "no contrastive" in none.dodged.difference.undefined and none.by_rule == {}
    alone = compare_models(other, other, replicates=50)
    assert float(alone.dodged.first) == 100.0 and "one tuple" in alone.dodged.p_value.undefined


def test_the_worst_tuples_have_most_failures_then_the_largest_lead():
    model = columns(
        {1: -1.0, 2: -1.0, 3: -1.0, 4: -1.0},
        [
            *((1, 10, "G-N", -0.5), (1, 11, "G-N", -3.0)),
            *((2, 20, "G-N", -0.9), (2, 21, "S-V", -0.2), (2, 22, "S-V", -0.95)),
            *((3, 30, "S-V", -0.1), (3, 31, "S-V", -9.0)),
            (4, 40, "S-V", -2.0),
        ],
    )
    worst = find_worst_tuples(model, 10)
    assert [(row.key, row.failures, row.n, row.contrastive, row.score) for row in worst] == [
        (2, 3, 3, 21, -0.2), (3, 1, 2, 30, -0.1), (1, 1, 2, 10, -0.5)
    ]  # fmt: skip
    assert len(find_worst_tuples(model, 1)) == 1
    assert find_worst_tuples(columns({1: -1.0}, []), 5) == []

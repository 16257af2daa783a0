"""Two models over the same contrastives, against a plain permutation test; the worst tuples by hand."""

import random
from dataclasses import replace

import numpy as np
import pytest

from epitome.metrics.contrastive_comparison import compare_models
from epitome.metrics.contrastive_scores import RULES, Case, contrastive_report, report_scores
from epitome.metrics.scored_tuples import ScoredTuples, find_worst_tuples, match_contrastives
from epitome.metrics.significance import holm, paired_permutation

SHIFTED = ((1, 0.4), (2, 0.0))


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


def test_the_comparison_is_the_permutation_test_of_whole_sources():
    first, second = (replace(drawn_model(seed, shift=shift), sources=np.arange(60) // 6) for seed, shift in SHIFTED)
    result = compare_models(first, second, replicates=500, seed=3)
    ours, theirs = match_contrastives(first, second)
    sources = (ours.tuples // 6).tolist()
    plain = paired_permutation((100.0 * ours.dodged).tolist(), (100.0 * theirs.dodged).tolist(), sources, 500, 3)
    assert float(result.dodged.difference) == pytest.approx(float(plain.difference))
    assert float(result.dodged.p_value) == float(plain.p_value) and plain.method == "permutation-exact"
    assert (result.dodged.interval.low, result.dodged.interval.high) == pytest.approx((plain.ci95.low, plain.ci95.high))
    escaped = [(100.0 * (model.count_failures() == 0)).tolist() for model in (ours, theirs)]
    plain = paired_permutation(*escaped, (np.arange(60) // 6).tolist(), 500, 3)
    assert float(result.escaped.difference) == pytest.approx(float(plain.difference))
    assert float(result.escaped.p_value) == float(plain.p_value)
    assert (result.dodged.tuples, result.dodged.sources) == (60, 10)
    assert "clusters:sources" in str(result.signature) and "sources:10" in str(result.signature)
    assert "tuples:60" in str(result.signature)


def test_equal_models_are_seldom_called_different_with_few_sources():
    """A bootstrap calls .13 of such pairs different with six sources."""
    rng = np.random.default_rng(1)
    wrong = 0
    for _round in range(200):
        rows = [(key, key, "G-N", 0.0) for key in range(6)]
        first, second = (columns(dict(enumerate(rng.choice([-1.0, 1.0], 6))), rows) for _model in range(2))
        wrong += float(compare_models(first, second, replicates=200).dodged.p_value) < 0.05
    assert wrong / 200 <= 0.08


def test_rules_are_corrected_together():
    result = compare_models(drawn_model(1, shift=0.4), drawn_model(2), replicates=200)
    assert list(result.by_rule) == list(RULES)
    plain = [float(row.p_value) for row in result.by_rule.values()]
    assert [float(row.holm_p) for row in result.by_rule.values()] == pytest.approx(holm(plain))
    assert result.dodged.holm_p == result.dodged.p_value


def test_only_what_both_scored_counts():
    first = columns({7: -1.0, 3: -1.0, 5: -1.0}, [(7, 1, "G-N", -2.0), (3, 2, "G-N", -2.0), (5, 9, "S-V", -2.0)])
    second = columns(
        {3: -1.0, 7: -1.0, 8: -1.0}, [(3, 2, "S-V", 0.0), (7, 1, "S-V", -2.0), (8, 5, "S-V", 0.0)], ("S-V",)
    )
    result = compare_models(first, second, replicates=50)
    assert (result.dodged.tuples, result.dodged.n) == (2, 2)
    assert (float(result.dodged.first), float(result.dodged.second)) == (100.0, 50.0)
    assert list(result.by_rule) == ["G-N"]
    assert float(result.escaped.difference) == 50.0


def test_equal_models_and_nothing_shared_have_no_difference_or_none():
    model = drawn_model(4)
    result = compare_models(model, model, replicates=50)
    assert float(result.dodged.difference) == 0.0 and float(result.dodged.p_value) == 1.0
    other = columns({1: -1.0}, [(1, 10_000, "G-N", -2.0)])
    none = compare_models(model, other, replicates=50)
    assert "no contrastive" in none.dodged.difference.undefined and none.by_rule == {}
    alone = compare_models(other, other, replicates=50)
    assert float(alone.dodged.first) == 100.0 and "one source" in alone.dodged.p_value.undefined


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

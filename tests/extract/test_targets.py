"""What is expected of a reference, and what an error costs."""

import random

import pytest

from epitome.systems.controlled_extract.targets import Cost, load_models


def bare(values, x, epsilon):
    return sum(abs(x - y) / (y + epsilon) for y in values) / len(values)


def test_a_cost_is_the_mean_relative_error():
    draw = random.Random(3)
    values = [draw.uniform(0.05, 9) for _ in range(21)]
    cost = Cost.of(values, 0.1)
    for x in (0.0, 0.3, 2.5, 8.9, 40.0, values[4]):
        assert cost(x) == pytest.approx(bare(values, x, 0.1), abs=1e-12)


def test_the_best_value_costs_least_and_lies_below_the_middle():
    values = [10.0, 20.0, 30.0, 40.0, 100.0]
    cost = Cost.of(values)
    assert cost(cost.best) == min(map(cost, values))
    assert cost.best < 30


def test_a_cost_needs_values():
    with pytest.raises(ValueError, match="needs values"):
        Cost.of([])


def test_the_committed_models_are_complete():
    assert {case: set(value) for case, value in load_models().items()} == {
        "document": {"length", "specificity", "extractiveness"},
        "document-topic": {"length", "specificity", "extractiveness"},
        "dialogue": {"length", "specificity", "extractiveness", "speaker"},
    }


def test_longer_requests_are_expected_to_be_longer():
    for model in load_models().values():
        plain = dict.fromkeys(model["length"].coefficients, 0.0)
        short, long = (sum(model["length"].values({**plain, "share": share})) for share in (-0.6, 0.4))
        assert short < long

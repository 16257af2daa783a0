"""CER on numbers worked by hand and on the printed averages of MACSum's Tables 4 and 5."""

import pytest

from epitome.measures import Undefined, Value
from epitome.metrics.control_error_rate import (
    average_cer,
    cer,
    checked_policy,
    relative_error,
    sample_errors,
    selection_score,
)
from epitome.metrics.published import find_table

NOT_ASKED = Value.none("no topic requested")


def values(*numbers: float | None) -> list[Value]:
    return [NOT_ASKED if number is None else Value.of(number) for number in numbers]


@pytest.mark.parametrize(
    ("pred", "gold", "epsilon", "error"),
    [(30, 40, 0.0, 0.25), (0.4, 0.3, 0.1, 0.25), (60, 40, 0.0, 0.5), (0, 8, 0.0, 1.0), (0.7, 0.7, 0.1, 0.0)],
)
def test_relative_error_of_hand_worked_pairs(pred, gold, epsilon, error):
    assert relative_error(pred, gold, epsilon) == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize(
    ("attribute", "pred", "gold", "error"),
    [
        ("length", 30, 40, 0.25),
        ("length", 2, 0, 2e6),
        ("specificity", 6, 4, 0.5),
        ("specificity", 0, 0, 0.0),
        ("topic", 0.25, 0.5, 0.5),
        ("topic", 0.5, 0, 5.0),  # 0.1 stands for a reference of 0
        ("extractiveness", 0.4, 0.3, 0.25),
        ("extractiveness", 0.3, 0, 3.0),
        ("speaker", 0.5, 0.9, 0.4),
        ("speaker", 0, 0, 0.0),
    ],
)
def test_released_epsilons_by_attribute(attribute, pred, gold, error):
    assert float(cer(attribute, values(pred), values(gold))) == pytest.approx(error, rel=1e-12)


def test_a_uniform_epsilon_is_the_same_for_every_attribute():
    for attribute in ("length", "topic", "speaker", "readability"):
        assert float(cer(attribute, values(0.5), values(0.9), "uniform:0.1")) == pytest.approx(0.4, rel=1e-12)


def test_samples_without_a_request_are_left_out_and_never_0():
    pred, gold = values(None, 0.5, 1), values(None, 1, 1)
    assert float(cer("topic", pred, gold)) == 0.25
    assert [error.defined for error in sample_errors("topic", pred, gold)] == [False, True, True]
    assert float(cer("topic", [None, Value.of(1)], values(1, 1))) == 0


def test_without_any_value_the_reason_and_the_number_of_samples_are_told():
    assert cer("topic", values(None, None), values(None, None)).undefined == "undefined for all 2 samples"
    assert cer("topic", [], []).undefined == "no samples"


def test_a_value_below_0_has_no_relative_error():
    (error,) = sample_errors("readability", values(3.0), values(-1.0), "uniform:0.1")
    assert "0 or more" in error.undefined


@pytest.mark.parametrize("name", ["macsum/table_4", "macsum/table_5"])
def test_averages_are_those_printed(name):
    for row in find_table(name).rows:
        by_key = {
            key: Value.of(cell) for key, cell in row.cells.items() if key.endswith("_cer") and "average" not in key
        }
        assert len(by_key) == (4 if name == "macsum/table_4" else 5)
        assert float(average_cer(by_key)) == pytest.approx(row.cells["average_cer"], abs=0.0006)


def test_an_average_is_of_all_parts_or_of_none():
    fields = {"length": Value.of(0.3), "topic": Value.none("no topic requested")}
    assert average_cer(fields).undefined == "no CER of topic (no topic requested)"
    assert not average_cer({}).defined


def test_models_are_selected_by_control_and_quality_together():
    cers = {"length": Value.of(0.2), "topic": Value.of(0.4)}
    rouges = {"r1": Value.of(0.3), "r2": Value.of(0.1), "rl": Value.of(0.2)}
    assert float(selection_score(cers, rouges)) == pytest.approx((0.2 + 0.4 + 0.8) / 3)
    assert "ROUGE of r2" in selection_score(cers, {**rouges, "r2": Value.none("no words")}).undefined


def test_impossible_numbers_are_refused():
    for bad in (float("nan"), float("inf"), -1.0):
        with pytest.raises(ValueError, match="finite number of 0 or more"):
            relative_error(bad, 1)
    with pytest.raises(Undefined, match="reference is 0"):
        relative_error(1, 0)
    with pytest.raises(ValueError, match="2 predictions and 1 references"):
        cer("length", values(1, 2), values(1))
    with pytest.raises(ValueError, match="no released epsilon for 'readability'"):
        cer("readability", values(1), values(1))


def test_policies_are_written_one_way():
    assert checked_policy("release") == "release"
    assert checked_policy("uniform") == checked_policy("uniform:0.000001") == "uniform:1e-06"
    for bad in ("uniform:0", "uniform:-1", "uniform:nan", "uniform:inf", "uniform:x", "released", "release:1", ""):
        with pytest.raises(ValueError, match="eps policy"):
            checked_policy(bad)

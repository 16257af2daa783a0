"""Difficulty, dependency, change amplitude and combinations against hand-worked and published values."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import Value
from epitome.metrics.analyses import (
    ChangedSample,
    change_amplitude,
    change_amplitudes,
    combination_distribution,
    dependency_table,
    difficulty_by_value,
    single_vs_compositional,
)
from epitome.metrics.draws import Draws
from epitome.metrics.published import load_tables

FEW = Draws(replicates=20)
MACSUM = {
    "length": ["short", "normal", "long"],
    "extractiveness": ["normal", "high", "full"],
    "specificity": ["normal", "high"],
}


def request(length, extractiveness, specificity):
    return {"length": length, "extractiveness": extractiveness, "specificity": specificity}


# Difficulty ---------------------------------------------------------------------------------------------------------


def test_difficulty_is_the_mean_error_per_requested_value():
    errors = [0.2, 0.4, Value.of(0.9), Value.none("reference is empty"), None]
    items = ["short", "short", "long", "long", "normal"]
    difficulty = difficulty_by_value(errors, items, MACSUM["length"], FEW, attribute="length", eps_policy="release")
    assert list(difficulty) == ["short", "normal", "long"]
    assert float(difficulty["short"].value) == pytest.approx(0.3)
    assert float(difficulty["long"].value) == pytest.approx(0.9)
    assert difficulty["normal"].value.value is None and difficulty["normal"].value.undefined
    assert {value: (entry.n, entry.left_out) for value, entry in difficulty.items()} == {
        "short": (2, 0),
        "normal": (0, 1),
        "long": (1, 1),
    }
    assert difficulty["short"].interval.low >= 0.2 - 1e-9 and difficulty["short"].interval.high <= 0.4 + 1e-9
    assert str(difficulty["short"].signature) == (
        "difficulty|v:1|attribute:length|eps_policy:release|n:2|replicates:20|seed:12345|sources:2|value:short"
    )


def test_difficulty_weighted_by_n_is_the_whole_mean():
    errors = [0.1, 0.5, 0.3, 0.2, 0.9]
    difficulty = difficulty_by_value(errors, ["a", "b", "a", "b", "b"], draws=FEW)
    assert list(difficulty) == ["a", "b"]
    assert sum(float(value.value) * value.n for value in difficulty.values()) / 5 == pytest.approx(sum(errors) / 5)


def test_a_value_nobody_asked_for_has_no_difficulty_and_a_strange_one_is_refused():
    difficulty = difficulty_by_value([0.1], ["short"], MACSUM["length"], FEW)
    assert (difficulty["long"].value.undefined, difficulty["long"].n) == ("no samples", 0)
    with pytest.raises(ValueError, match="requested value 'medium' is none of short, normal, long"):
        difficulty_by_value([0.1], ["medium"], MACSUM["length"], FEW)
    with pytest.raises(ValueError, match="2 errors and 1 requested values"):
        difficulty_by_value([0.1, 0.2], ["short"])
    with pytest.raises(ValueError, match="1 samples and 2 sources"):
        difficulty_by_value([0.1], ["short"], draws=Draws(["x", "y"]))


# Dependency ---------------------------------------------------------------------------------------------------------


def test_dependency_measures_new_against_old_with_the_released_epsilons():
    changes = [
        ChangedSample("length", "s1", {"length": 40.0, "extractiveness": 0.3}, {"length": 30.0, "extractiveness": 0.4}),
        ChangedSample("length", "s2", {"length": 20.0, "extractiveness": 0.4}, {"length": 30.0, "extractiveness": 0.4}),
        ChangedSample("extractiveness", "s1", {"length": 40.0, "extractiveness": 0.3}, {"length": 40.0}),
    ]
    table = dependency_table(changes, ["length", "extractiveness"], replicates=20)
    assert list(table) == ["length", "extractiveness"]
    assert float(table["length"]["length"].value) == pytest.approx((0.25 + 0.5) / 2)
    # extractiveness: the released scripts add 0.1 below: (0.1 / 0.4 + 0 / 0.5) / 2
    assert float(table["length"]["extractiveness"].value) == pytest.approx((0.25 + 0) / 2)
    assert float(table["extractiveness"]["length"].value) == 0.0
    cell = table["extractiveness"]["extractiveness"]
    assert (cell.value.value, cell.n, cell.left_out) == (None, 0, 1)
    assert {("changed", "length"), ("measured", "extractiveness"), ("eps_policy", "release"), ("n", "2")} <= set(
        table["length"]["extractiveness"].signature.options
    )


def test_dependency_takes_another_epsilon():
    changes = [ChangedSample("length", "s1", {"extractiveness": 0.3}, {"extractiveness": 0.4})]
    cell = dependency_table(changes, ["extractiveness"], eps_policy="uniform:0.2", replicates=20)["length"][
        "extractiveness"
    ]
    assert float(cell.value) == pytest.approx(0.1 / 0.5)
    assert ("eps_policy", "uniform:0.2") in cell.signature.options
    with pytest.raises(ValueError, match="there is no released epsilon for 'keywords'"):
        dependency_table(changes, ["keywords"])


def test_dependency_intervals_draw_sources():
    def change(source, after):
        return ChangedSample("length", source, {"length": 10.0}, {"length": after})

    changes = [change("calm", 10.0)] * 30 + [change("wild", 20.0)] * 30
    cell = dependency_table(changes, ["length"], replicates=200)["length"]["length"]
    assert (cell.interval.low, cell.interval.high) == (0.0, 1.0)


def test_an_unchanged_system_depends_on_nothing():
    values = {"length": 55.0, "specificity": 4.7, "topic": Value.none("no topic requested")}
    table = dependency_table([ChangedSample("topic", "s", values, values)] * 3, list(values), replicates=20)
    assert float(table["topic"]["length"].value) == float(table["topic"]["specificity"].value) == 0.0
    assert table["topic"]["topic"].value.value is None
    assert table["topic"]["topic"].left_out == 3


# Change amplitude ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "expected"), [(0.5, 0.6, 0.20), (0.5, 0.4, 0.20), (2.0, 2.0, 0.0), (-0.5, 0.5, 2.0)]
)
def test_change_amplitude(before, after, expected):
    assert float(change_amplitude(before, after)) == pytest.approx(expected)


def test_change_amplitude_from_zero_is_not_a_number():
    assert change_amplitude(0.0, 0.3).undefined == "the metric is 0 before the change"
    assert change_amplitude(Value.none("no variance"), 0.3).undefined == "before: no variance"
    assert change_amplitude(0.3, None).undefined == "after: not measured"


def test_change_amplitudes_of_all_metrics_are_signed():
    result = change_amplitudes({"mad": 0.5, "sr": 0.8}, {"mad": 0.6}, changed="length", n="300", seed="7")
    assert float(result["mad"][0]) == pytest.approx(0.2)
    assert str(result["mad"][1]) == "change-amplitude|v:1|changed:length|metric:mad|n:300|seed:7"
    assert result["sr"][0].undefined == "after: not measured after the change"


@given(st.floats(0.001, 100), st.floats(0, 100), st.floats(0.01, 100))
def test_change_amplitude_does_not_depend_on_the_unit(before, after, factor):
    assert float(change_amplitude(before * factor, after * factor)) == pytest.approx(
        float(change_amplitude(before, after)), rel=1e-6, abs=1e-9
    )


# Combinations -------------------------------------------------------------------------------------------------------


def test_combinations_have_codes_counts_and_shares():
    requests = [request("short", "normal", "high")] * 2 + [request("normal", "normal", "normal")] * 6
    result = combination_distribution(requests, values=MACSUM)
    assert len(result) == 18
    assert [(item.code, item.count, float(item.share)) for item in result[:2]] == [("nnn", 6, 0.75), ("snh", 2, 0.25)]
    assert [item.code for item in result[2:5]] == ["snn", "shn", "shh"]  # nobody asked: in the order of the values
    assert sum(float(item.share) for item in result) == pytest.approx(1)
    assert [item.code for item in combination_distribution(requests)] == ["nnn", "snh"]
    assert [item.code for item in combination_distribution(requests[::-1])] == ["nnn", "snh"]


def test_codes_get_more_letters_where_values_begin_alike():
    values = {"readability": ["normal", "none"], "length": ["0", "1"]}
    result = combination_distribution(
        [{"readability": "none", "length": "1"}], attributes=["readability", "length"], values=values
    )
    assert result[0].code == "non1"
    assert {item.code for item in result} == {"nor0", "nor1", "non0", "non1"}


def test_combinations_without_samples_and_with_wrong_values():
    empty = combination_distribution([], values=MACSUM)
    assert len(empty) == 18 and empty[0].share.undefined == "no samples"
    assert combination_distribution([]) == []
    with pytest.raises(ValueError, match="request 1: extractiveness is 'fully'"):
        combination_distribution([request("short", "full", "high"), request("short", "fully", "high")], values=MACSUM)
    with pytest.raises(ValueError, match="request 0: specificity is None"):
        combination_distribution([{"length": "short", "extractiveness": "full"}])


def test_combinations_of_the_news_dev_file(shared):
    entries = json.loads((shared / "data/macsum/macdoc/val.json").read_text(encoding="utf-8"))
    control_attributes = [sample["control_attribute"] for entry in entries for sample in entry["references"]]
    requests = [
        {**item, "extractiveness": item["extractiveness"].replace("fully", "full")} for item in control_attributes
    ]
    result = combination_distribution(requests, values=MACSUM)
    plain = Counter(
        (other_request["length"], other_request["extractiveness"], other_request["specificity"])
        for other_request in requests
    )
    assert {item.values: item.count for item in result if item.count} == dict(plain)
    marginal = Counter()
    for item in result:
        marginal[item.values[0]] += item.count
    assert marginal == {"short": 121, "normal": 298, "long": 135}
    assert result[0].code == "nnn" and 0.35 < float(result[0].share) < 0.5


# One attribute or all -----------------------------------------------------------------------------------------------


def test_training_on_all_attributes_costs_in_every_published_metric():
    table = load_tables("ccsbench")["composition"]
    better = {name: "lower" if name == "mad" else "higher" for name in table.columns}
    result = single_vs_compositional(table.row("single").cells, table.row("compositional").cells, better)
    differences = {name: float(value.difference) for name, value in result.items()}
    assert differences == pytest.approx({"delta": -1.04, "pcc": -0.11, "mad": 0.04, "sr": -0.03, "f1": -0.17})
    assert all(value.worse for value in result.values())


def test_a_missing_side_has_no_difference():
    result = single_vs_compositional(
        {"pcc": Value.none("no variance"), "sr": 0.5},
        {"pcc": 0.5, "sr": 0.6},
        {"pcc": "higher", "sr": "higher", "mad": "lower"},
    )
    assert (result["pcc"].difference.undefined, result["pcc"].worse) == ("single: no variance", None)
    assert result["mad"].difference.undefined == "single: not measured"
    assert result["sr"].worse is False

"""The numbers of systems that refine, against values worked out by hand."""

import pytest

from epitome.metrics.refinements import (
    ASKED,
    LEFT,
    NOT_ASKED,
    MeasuredStep,
    RefinedSample,
    measure_movement,
    read_refined_sample,
    satisfied_by_draft,
    success_by_attribute,
    success_by_combination,
    summarize_refinement,
)
from epitome.reports.refinement import Wording, build_refinement_report
from tests.refine.factories import refine, request_of, words


def step(length, topic, parent=None, asked=(), cost=1.0, extra=None):
    """A draft: 10 to 20 words and a topic share of 1 are wanted."""
    miss = max(0, 10 - length, length - 20) / 10
    measured = {"length": length, "topic": topic, "specificity": 2.0 if extra is None else extra}
    return MeasuredStep(parent, asked, measured, {"length": miss, "topic": 1 - topic}, tokens=15.0, cost=cost)


SAMPLES = [
    # satisfied by the second draft
    RefinedSample("a", (step(30, 1.0), step(15, 1.0, 0, ("length",), extra=3.0)), 1, 2, {"length": "short"}),
    # the length is mended, the topic lost, and never found again
    RefinedSample(
        "a",
        (step(40, 1.0), step(20, 0.0, 0, ("length",)), step(20, 0.5, 1, ("topic",))),
        2,
        3,
        {"length": "long"},
    ),
    # satisfied at once
    RefinedSample("b", (step(12, 1.0),), 0, 1, {"length": "short"}),
    # nothing has a range
    RefinedSample("b", (MeasuredStep(None, (), {"specificity": 1.0}, {}, tokens=15.0, cost=1.0),), 0, 1, {}),
]


def numbers(aggregates):
    return {name: aggregate.value.value for name, aggregate in aggregates.items()}


def test_the_failure_rate_counts_samples_with_any_attribute_outside_of_its_range():
    summary = summarize_refinement(SAMPLES)

    assert numbers(summary) == {
        "failure_first": pytest.approx(2 / 3),
        "failure": pytest.approx(1 / 3),
        "drafts": pytest.approx(7 / 4),
        "calls": pytest.approx(7 / 4),
        "tokens": pytest.approx(15 * 7 / 4),
        "cost": pytest.approx(7 / 4),
        "cost_per_satisfied": pytest.approx(6 / 2),
    }
    assert (summary["failure"].n, summary["failure"].left_out) == (3, 1)
    assert summary["failure"].interval.clusters == 2


def test_no_price_and_nobody_satisfied_have_a_reason_in_place_of_a_number():
    unpaid = RefinedSample("a", (step(12, 1.0, cost=None),), 0, 1)
    failing = RefinedSample("a", (step(30, 1.0),), 0, 1)

    assert summarize_refinement([unpaid])["cost_per_satisfied"].value.undefined == "the system states no price"
    assert summarize_refinement([failing])["cost_per_satisfied"].value.undefined == "no request is satisfied"
    assert summarize_refinement([SAMPLES[3]])["cost_per_satisfied"].value.undefined.startswith("no requested attribute")


def test_success_by_attribute_is_of_the_samples_that_have_a_range_for_it():
    success = success_by_attribute(SAMPLES, ["length", "topic", "specificity"])

    assert (success["length"].in_first.value.value, success["length"].in_output.value.value) == (
        pytest.approx(1 / 3),
        1.0,
    )
    assert (success["topic"].in_first.value.value, success["topic"].in_output.value.value) == (
        1.0,
        pytest.approx(2 / 3),
    )
    assert success["length"].in_output.n == 3 and not success["specificity"].in_output.value.defined


def test_success_by_combination_has_the_most_frequent_first():
    success = success_by_combination(SAMPLES, lambda sample: sample.values.get("length", "none"))

    assert {name: (row.in_first.value.value, row.in_output.value.value) for name, row in success.items()} == {
        "short": (0.5, 1.0),
        "long": (0.0, 0.0),
        "none": (None, None),
    }
    assert next(iter(success)) == "short"


def test_the_curve_says_who_is_satisfied_by_one_of_the_first_drafts():
    assert [(n, share.value.value, share.n) for n, share in satisfied_by_draft(SAMPLES)] == [
        (1, pytest.approx(1 / 3), 3),
        (2, pytest.approx(2 / 3), 3),
        (3, pytest.approx(2 / 3), 3),
    ]


def test_collateral_is_how_far_moved_what_was_not_asked_for():
    table = measure_movement(SAMPLES, ["length", "topic", "specificity"], "release")
    moved = {row: {key: cell.value.value for key, cell in cells.items()} for row, cells in table.items()}

    # Two steps asked for the length: 30 -> 15 and 40 -> 20; the topic stayed and went from 1 to 0.
    assert moved["length"] == {"length": pytest.approx(0.5), "topic": pytest.approx(0.5), "specificity": 0.25}
    # One asked for the topic: 0 -> 0.5, of which the release divides by 0.1.
    assert moved["topic"] == {"length": 0.0, "topic": pytest.approx(5.0), "specificity": 0.0}
    assert moved[ASKED] == {"length": pytest.approx(0.5), "topic": pytest.approx(5.0), "specificity": None}
    assert moved[NOT_ASKED] == {
        "length": 0.0, "topic": pytest.approx(0.5), "specificity": pytest.approx(0.5 / 3),
    }  # fmt: skip
    # Of the two steps that left the topic alone while it was met, one lost it; the length was met once and stayed.
    assert moved[LEFT] == {"length": 0.0, "topic": 0.5, "specificity": None}
    assert table[NOT_ASKED]["specificity"].n == 3


def test_the_numbers_are_read_from_what_an_output_keeps():
    (output,) = refine(lambda request: words(12) if request.turns else words(30)).generate([request_of()])
    line = {"steps": output.steps, "decoding": output.decoding, "usage": output.usage}

    sample = read_refined_sample(line, "doc", output.told)

    assert [draft.distances for draft in sample.steps] == [{"length": pytest.approx(10 / 12)}, {"length": 0.0}]
    assert (sample.kept_index, sample.calls, sample.tokens, sample.cost) == (1, 2, 30.0, 40.0)
    assert sample.steps[1].parent == 0 and sample.steps[1].asked_keys == ("length",)
    assert read_refined_sample({"decoding": {}, "usage": {}}, "doc", {}) is None


def test_where_no_draft_was_changed_there_is_no_table_of_steps():
    labels = {"length": "Length", "topic": "Topic", "specificity": "Specificity"}
    wording = Wording(labels, lambda sample: sample.values.get("length", "none"))
    keys = [table.key for table in build_refinement_report("all", SAMPLES, wording).tables]
    at_once = [table.key for table in build_refinement_report("all", SAMPLES[2:], wording).tables]
    assert {*keys} - {*at_once} == {"refine-movement", "refine-curve"}

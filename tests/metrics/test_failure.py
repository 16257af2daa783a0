"""Failure rate and iterations against hand-worked traces."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.measures import Value
from evaluation.metrics.draws import Draws
from evaluation.metrics.failure import failure_report, first_success

FEW = Draws(replicates=20)
TRACES = [
    [0.04],  # at once
    [0.30, 0.08, 0.02],  # second attempt
    [0.30, 0.20, 0.15, 0.01],  # near enough only in the fourth attempt
    [0.50, 0.60, 0.70],
]


def test_failure_rate_and_iterations_by_hand():
    found = failure_report(TRACES, tolerance=0.1, revisions=2, draws=FEW)
    assert float(found.failure_rate.value) == 0.5
    assert float(found.iterations.value) == pytest.approx((1 + 2) / 2)
    assert (found.iterations.n, found.iterations.left_out) == (2, 2)
    assert float(found.iterations_all.value) == pytest.approx((1 + 2 + 3 + 3) / 4)
    more = failure_report(TRACES, tolerance=0.1, revisions=3, draws=FEW)
    assert float(more.failure_rate.value) == 0.25
    assert float(more.iterations.value) == pytest.approx((1 + 2 + 4) / 3)
    assert ("tolerance", "0.1") in more.failure_rate.signature.options
    assert ("revisions", "3") in more.failure_rate.signature.options


@pytest.mark.parametrize(
    ("errors", "tolerance", "attempts", "expected"),
    [
        ([0.1], 0.1, 1, 1),  # the border is within
        ([0.2, 0.0], 0.1, 1, None),  # the second attempt came too late
        ([Value.none("empty summary"), 0.05], 0.1, 2, 2),
        ([], 0.1, 3, None),
    ],
)
def test_first_success(errors, tolerance, attempts, expected):
    assert first_success(errors, tolerance, attempts) == expected


def test_a_sample_nobody_could_measure_is_left_out():
    found = failure_report([[0.0], [Value.none("no topic requested")], []], 0.1, 1, FEW)
    assert float(found.failure_rate.value) == 0.0
    assert (found.failure_rate.n, found.failure_rate.left_out) == (1, 2)
    assert failure_report([], 0.1, 1, FEW).failure_rate.value.undefined == "no samples"


def test_no_success_has_no_iteration_count():
    found = failure_report([[0.5], [0.6]], 0.1, 0, FEW)
    assert float(found.failure_rate.value) == 1.0
    assert found.iterations.value.value is None and found.iterations.value.undefined


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_a_senseless_error_is_refused(bad):
    with pytest.raises(ValueError, match="the error of attempt 2 is"):
        failure_report([[0.5, bad]], 0.1, 3)


def test_a_senseless_tolerance_is_refused():
    for tolerance, revisions in ((-0.1, 1), (math.nan, 1), (0.1, -1)):
        with pytest.raises(ValueError, match="give a tolerance from 0 and attempts from 1"):
            failure_report([[0.5]], tolerance, revisions)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=1, max_size=8), st.floats(0, 1))
def test_more_tolerance_or_revisions_never_fail_more(traces, tolerance):
    one = Draws(replicates=1)
    strict = float(failure_report(traces, tolerance, 1, one).failure_rate.value)
    assert float(failure_report(traces, min(1.0, tolerance * 2), 1, one).failure_rate.value) <= strict
    assert float(failure_report(traces, tolerance, 5, one).failure_rate.value) <= strict

"""Attention by distance: bins that double, the first token and the token itself apart, control lines by place."""

import pytest

from epitome.metrics.attention_distance import SampleAttention, bin_limits, bin_of, measure_attention
from epitome.metrics.draws import Draws

# Four tokens of prompt (the first is the sink, the second a control token), two written ones.
SAMPLE = SampleAttention([[0.4, 0.2, 0.1, 0.1, 0.2, 0.0], [0.3, 0.1, 0.1, 0.2, 0.2, 0.1]], 4, [1])


def test_bins_double():
    assert [bin_of(distance) for distance in (1, 2, 3, 4, 5, 8, 9, 16, 17)] == [0, 1, 2, 2, 3, 3, 4, 4, 5]
    assert [bin_limits(number) for number in range(4)] == [(1, 1), (2, 2), (3, 4), (5, 8)]
    with pytest.raises(ValueError, match="distance 0"):
        bin_of(0)


def test_shares_follow_from_the_weights_by_hand_and_sum_to_one():
    attention = measure_attention([SAMPLE])
    shares = {row.label: float(row.share.value) for row in attention.bins}
    # First written token: 3 away .2 (control), 2 away .1, 1 away .1. Second: 4, 3 away .1, 2, 1 away .2 each.
    assert shares == pytest.approx({"1": 0.15, "2": 0.15, "3–4": 0.2})
    assert float(attention.sink.value) == pytest.approx(0.35) and float(attention.itself.value) == pytest.approx(0.15)
    assert sum(shares.values()) + 0.35 + 0.15 == pytest.approx(1)
    means = {row.label: float(row.mean.value) for row in attention.bins}
    assert means == pytest.approx({"1": 0.15, "2": 0.15, "3–4": 0.4 / 3})


def test_control_lines_are_binned_by_their_distance_from_the_prompts_end():
    attention = measure_attention([SAMPLE])
    assert [(row.label, float(row.share.value)) for row in attention.control] == [("3–4", pytest.approx(0.15))]
    assert float(attention.control_share.value) == pytest.approx(0.15)
    first_too = measure_attention([SampleAttention(SAMPLE.weights, 4, [0, 1])])
    assert float(first_too.control_share.value) == pytest.approx(0.15)
    without = measure_attention([SampleAttention(SAMPLE.weights, 4)])
    assert without.control == [] and float(without.control_share.value) == 0


def test_samples_count_alike_and_intervals_draw_sources():
    other = SampleAttention([[0.5, 0.0, 0.0, 0.5, 0.0]], 4, [1])
    attention = measure_attention([SAMPLE, other, SAMPLE], Draws(["a", "b", "c"], 200, 1))
    assert float(attention.bins[0].share.value) == pytest.approx((0.15 + 0.5 + 0.15) / 3)
    assert attention.sink.interval.defined and attention.n_samples == 3


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        measure_attention([SampleAttention([[1.0]], 4)])

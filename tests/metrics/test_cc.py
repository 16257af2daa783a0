"""CC on pairs worked by hand: which samples are compared, and the slope between them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.measures import Value
from epitome.metrics.control_correlation import PAIR_MODES, cc, pair_slopes, pairs_of, slope_between

SHORT, NORMAL, LONG = 0, 1, 2
ONE = ("source", "topic", "speaker")
OTHER_TOPIC = ("source", "other", "speaker")
OTHER_SOURCE = ("second", "topic", "speaker")


def test_short_20_and_long_80_words_give_30_words_per_step():
    result = cc([20, 80], [SHORT, LONG], [ONE, ONE])
    assert (result.value, result.pairs) == (Value.of(30), 1)


def test_neighbours_are_compared_in_file_order_and_all_compares_the_first_with_the_last_too():
    lengths, requested, keys = [20, 90, 40], [SHORT, LONG, NORMAL], [ONE] * 3
    neighbours, every = cc(lengths, requested, keys), cc(lengths, requested, keys, "all")
    assert (float(neighbours.value), neighbours.pairs) == (42.5, 2)  # 35 and 50
    assert (float(every.value), every.pairs) == (35.0, 3)  # 35, 20 and 50


def test_strict_compares_only_what_differs_in_nothing_else():
    requested, others = [SHORT, NORMAL, LONG], [("high",), ("normal",), ("high",)]
    result = cc([10, 99, 40], requested, [ONE] * 3, "strict", others)
    assert (float(result.value), result.pairs) == (15.0, 1)


def test_a_summary_that_shrinks_with_the_request_has_a_slope_below_0():
    assert float(cc([80, 20], [SHORT, LONG], [ONE, ONE]).value) == -30


@pytest.mark.parametrize("other", [OTHER_TOPIC, OTHER_SOURCE])
def test_other_topics_and_other_sources_are_never_compared(other):
    for mode in PAIR_MODES:
        assert list(pairs_of([SHORT, LONG], [ONE, other], mode, ["", ""])) == []


def test_samples_that_do_not_stand_next_to_each_other_are_no_neighbours():
    keys, requested = [ONE, OTHER_TOPIC, ONE], [SHORT, NORMAL, LONG]
    assert list(pairs_of(requested, keys)) == []
    assert list(pairs_of(requested, keys, "all")) == [(0, 2)]


def test_without_a_pair_there_is_no_slope():
    result = cc([20, 80], [SHORT, SHORT], [ONE, ONE])
    assert (result.value.value, result.pairs) == (None, 0)
    assert "different values" in result.value.undefined


def test_pairs_without_a_value_are_left_out_and_counted():
    values = [Value.none("not measured"), Value.of(20), Value.of(80)]
    result = cc(values, [NORMAL, SHORT, LONG], [ONE] * 3)
    assert (float(result.value), result.pairs, result.left_out) == (30.0, 1, 1)
    nothing = cc([None, 20.0], [SHORT, LONG], [ONE, ONE])
    assert (nothing.value.defined, nothing.pairs, nothing.left_out) == (False, 0, 1)


def test_wrong_calls_are_refused():
    with pytest.raises(ValueError, match="pair mode 'every'"):
        cc([1], [0], [ONE], "every")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="strict needs"):
        cc([1], [0], [ONE], "strict")
    with pytest.raises(ValueError, match="1 values and 2 requests"):
        cc([1], [0, 1], [ONE, ONE])
    with pytest.raises(ValueError, match="as many keys"):
        cc([1, 2], [0, 1], [ONE])
    with pytest.raises(ValueError, match="no slope"):
        slope_between(1, 2, 0)


samples = st.lists(st.tuples(st.integers(0, 100), st.integers(0, 2), st.sampled_from("ab")), max_size=12)


@given(samples)
def test_the_direction_of_reading_does_not_matter(rows):
    def once(rows):
        result = cc([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
        return result.pairs, result.value.value

    forward, backward = once(rows), once(rows[::-1])
    assert forward[0] == backward[0]
    assert forward[1] == pytest.approx(backward[1])


@given(samples)
def test_strict_pairs_and_neighbours_are_among_all_pairs(rows):
    requested, keys, others = [row[1] for row in rows], [row[2] for row in rows], [row[0] % 2 for row in rows]
    by_key = {mode: set(pairs_of(requested, keys, mode, others)) for mode in PAIR_MODES}
    assert by_key["neighbours"] <= by_key["all"] >= by_key["strict"]
    assert len(pair_slopes(requested, requested, keys)) == len(by_key["neighbours"])
    assert all(float(pair.slope) == 1 for pair in pair_slopes(requested, requested, keys))

"""Several modes of a ratio under one label: found where they are, not where chance makes bumps."""

import json
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.figures.modes import find_modes

NORMAL = {"length": "normal", "extractiveness": "normal", "specificity": "normal"}


def words(text: str) -> int:
    return len(text.split())


def marked_words(source: list[str], marks: list) -> int:
    lines = set()
    for mark in marks:
        lines |= set(range(mark[0], mark[1] + 1)) if isinstance(mark, list) else {mark}
    return sum(words(source[line]) for line in lines if line < len(source))


@pytest.fixture(scope="module")
def news(shared: Path) -> list[dict]:
    return json.loads((shared / "data/macsum/macdoc/val.json").read_text(encoding="utf-8"))


def test_news_without_topic_has_one_mode_per_requested_length(news):
    ratios = defaultdict(list)
    for entry in news:
        total = sum(map(words, entry["source"]))
        for sample in entry["references"]:
            if not sample["control_attribute"]["topic"].strip():
                ratios[sample["control_attribute"]["length"]].append(words(sample["summary"]) / total)
    assert {length: len(value) for length, value in ratios.items()} == {"short": 94, "normal": 94, "long": 94}
    assert find_modes(ratios["short"]) == pytest.approx([0.05], abs=0.005)
    assert find_modes(ratios["normal"]) == pytest.approx([0.10], abs=0.005)
    assert find_modes(ratios["long"]) == pytest.approx([0.15], abs=0.005)


def test_news_anchors_show_three_lengths_under_one_label(news):
    ratios = []
    for entry in news:
        for sample in entry["references"]:
            attributes = sample["control_attribute"]
            marked = marked_words(entry["source"], sample["relevant_turns"])
            if attributes["topic"].strip() and NORMAL.items() <= attributes.items() and marked:
                ratios.append(words(sample["summary"]) / marked)
    assert len(ratios) == 137
    assert find_modes(ratios) == pytest.approx([0.05, 0.10, 0.15], abs=0.005)


@pytest.mark.parametrize("n", [20, 50, 137, 500])
def test_one_bell_is_rarely_taken_for_two(n):
    """At most 5 of 100 lists drawn from one bell show a second mode."""
    draw = np.random.default_rng(1)
    several = sum(len(find_modes(np.exp(draw.normal(-2, 0.3, n)))) > 1 for _ in range(100))
    assert several <= 5


@pytest.mark.parametrize("n", [50, 137, 500])
def test_two_bells_are_found_where_they_stand(n):
    draw = np.random.default_rng(2)
    ratios = np.exp(np.log(draw.choice([0.05, 0.10], n)) + draw.normal(0, 0.1, n))
    assert find_modes(ratios) == pytest.approx([0.05, 0.10], rel=0.1)


def test_a_small_second_group_is_a_tail():
    draw = np.random.default_rng(3)
    main = np.exp(draw.normal(math.log(0.1), 0.05, 950))
    aside = np.exp(draw.normal(math.log(0.4), 0.05, 150))
    assert find_modes([*main, *aside[:50]]) == pytest.approx([0.1], rel=0.05)  # 5 %, however certain
    assert find_modes([*main, *aside]) == pytest.approx([0.1, 0.4], rel=0.05)  # 14 %


def test_a_shallow_dip_is_none_however_many_ratios():
    """Two bells whose density falls by 13 % between them: with 20,000 ratios certain, yet one broad mode."""
    draw = np.random.default_rng(4)
    close = draw.choice([-0.125, 0.125], 20_000) + draw.normal(0, 0.1, 20_000)
    assert len(find_modes(np.exp(close))) == 1
    apart = draw.choice([-0.15, 0.15], 20_000) + draw.normal(0, 0.1, 20_000)
    assert find_modes(np.exp(apart)) == pytest.approx([math.exp(-0.15), math.exp(0.15)], rel=0.03)


def test_few_ratios_give_their_median_and_none_gives_none():
    assert find_modes([]) == []
    assert find_modes([0.2]) == pytest.approx([0.2])
    assert find_modes([0.05] * 9 + [0.2] * 10) == pytest.approx([0.2])  # 19: too few to speak of two modes


def test_equal_ratios_are_one_mode():
    assert find_modes([0.1] * 40) == pytest.approx([0.1], rel=0.001)
    assert find_modes([0.05] * 30 + [0.1] * 30) == pytest.approx([0.05, 0.1], rel=0.01)


@pytest.mark.parametrize("bad", [0.0, -0.1, math.nan, math.inf])
def test_a_ratio_that_is_no_positive_number_is_refused(bad):
    with pytest.raises(ValueError, match=r"ratio 2 is .*: give positive numbers only"):
        find_modes([0.1, 0.2, bad])


@given(st.lists(st.floats(0.001, 10), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_modes_lie_among_the_ratios_in_order_and_ignore_the_lists_order(ratios, random):
    modes = find_modes(ratios)
    assert modes == sorted(modes)
    assert modes and min(ratios) * 0.94 <= modes[0] and modes[-1] <= max(ratios) * 1.07
    shuffled = list(ratios)
    random.shuffle(shuffled)
    assert find_modes(shuffled) == modes

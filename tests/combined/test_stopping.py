"""Comparisons followed source by source: what is compared, when a rule is met, how often it is met in vain."""

import numpy as np
import pytest

from epitome.combined.rows import CombinedRow
from epitome.combined.sequences import Scale, follow_mean
from epitome.combined.stopping import Comparison, expect_end, find_end, follow_comparisons


def make_row(source: int, system: str, human: float | None, *, question="q", other="", judge="", look=None, **more):
    return CombinedRow(
        item=f"{source} {system} {question}",
        source=f"s{source}",
        sample=f"s{source}#0",
        system=system,
        other=other,
        question=question,
        judge=judge,
        chance=more.get("chance", 1.0),
        drawn=True,
        human=human,
        judged=None,
        look=source if look is None else look,
    )


def make_rows(values: dict[str, list[float]], **more) -> list[CombinedRow]:
    return [
        make_row(source, system, value, **more) for system in values for source, value in enumerate(values[system], 1)
    ]


def test_differences_are_followed_in_the_order_of_looks():
    rows = make_rows({"a": [1.0, 1.0, 0.5], "b": [0.0, 1.0, 0.0]})
    (followed,) = follow_comparisons(rows)
    assert followed.comparison == Comparison("q", "a", "b", by_choice=False) and followed.places == (1, 2, 3)
    by_hand = list(follow_mean([1.0, 0.0, 0.5], Scale(-1.0, 1.0), 0.0, 0.95))
    assert list(followed.looks) == by_hand and followed.looks[-1].mean == 0.5


def test_the_error_is_shared_out_over_the_comparisons():
    rows = make_rows({"a": [1.0] * 3, "b": [0.0] * 3, "c": [0.5] * 3})
    followed = follow_comparisons(rows)
    assert len(followed) == 3 and all(item.level == pytest.approx(1 - 0.05 / 3) for item in followed)
    assert follow_comparisons(rows, ["other"]) == []


def test_wins_are_compared_with_one_half():
    rows = [make_row(source, "a", 1.0, other="b") for source in range(1, 41)]
    (followed,) = follow_comparisons(rows)
    assert followed.comparison.by_choice and followed.looks[-1].rejects and followed.looks[-1].low > 0.5


def test_sources_that_are_not_complete_and_unanswered_items_are_left_out():
    rows = make_rows({"a": [1.0, 1.0, 1.0], "b": [0.0, 0.0, 0.0]})
    later = [make_row(4, "a", 1.0, look=0), make_row(4, "b", 0.0, look=0)]
    missing = [make_row(5, "a", 1.0), make_row(5, "b", None)]
    assert follow_comparisons([*rows, *later, *missing])[0].places == (1, 2, 3)


def test_judges_do_not_count_twice():
    rows = [*make_rows({"a": [1.0], "b": [0.0]}, judge="j"), *make_rows({"a": [1.0], "b": [0.0]}, judge="k")]
    assert len(follow_comparisons(rows)) == 1


def test_unequal_chances_have_no_sequence():
    rows = [make_row(1, "a", 1.0, chance=0.2), make_row(1, "b", 0.0, chance=0.4)]
    with pytest.raises(ValueError, match="unequal chances"):
        follow_comparisons(rows)


def test_a_rule_is_met_when_every_comparison_fulfils_it():
    clear = make_rows({"a": [1.0] * 40, "b": [0.0] * 40})
    even = make_rows({"a": [1.0, 0.0] * 20, "b": [0.0, 1.0] * 20}, question="r")
    followed = follow_comparisons([*clear, *even])
    first = followed[0].find_met("decided", 0.0)
    assert first is not None and first < 25 and followed[0].looks[first - 1].rejects
    assert not followed[0].looks[first - 2].rejects
    assert followed[1].find_met("decided", 0.0) is None and find_end(followed, "decided", 0.0) is None
    assert find_end(followed[:1], "decided", 0.0) == first
    assert find_end(followed, "width", 2.0) == 1 and find_end([], "width", 2.0) is None


def test_the_end_is_expected_by_the_growth_so_far():
    rng = np.random.default_rng(1)
    values = rng.choice([1.0, 0.0], size=60, p=[0.75, 0.25]).tolist()
    early = follow_comparisons(make_rows({"a": values[:20], "b": [0.5] * 20}))
    expected = expect_end(early, "decided", 0.0)
    assert early[0].find_met("decided", 0.0) is None and expected is not None and expected > 20
    width = early[0].looks[-1].width
    assert expect_end(early, "width", width / 2) == 80
    assert expect_end(follow_comparisons(make_rows({"a": [], "b": []})), "decided", 0.0) is None


def test_no_difference_is_found_in_at_most_one_of_twenty_rounds():
    """200 rounds of 40 sources, looked at after each: 5 % of them may end with a false difference."""
    rng = np.random.default_rng(7)
    wrong = 0
    for _round in range(200):
        values = rng.choice([1.0, 0.0], size=(2, 40))
        followed = follow_comparisons(make_rows({"a": values[0].tolist(), "b": values[1].tolist()}))
        wrong += find_end(followed, "decided", 0.0) is not None
    assert wrong <= 10

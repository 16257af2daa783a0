"""Kendall's W against worked numbers."""

import numpy as np
import pytest

from epitome.agreement.concordance import kendall_w


def test_three_raters_and_six_objects_by_hand():
    """Rank sums 5, 6, 12, 13, 12, 15 around 10.5: S = 30.25 + 20.25 + 2.25 + 6.25 + 2.25 + 20.25 = 81.5."""
    ranks = np.array([[1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], [2, 3, 5, 6, 1, 4]])
    assert float(kendall_w(ranks)) == pytest.approx(12 * 81.5 / (9 * 210))


@pytest.mark.parametrize(
    ("ranks", "value"),
    [
        ([[1, 2, 3], [1, 2, 3], [1, 2, 3]], 1.0),
        ([[1, 2, 3], [3, 2, 1]], 0.0),
        ([[1, 2, 3], [2, 1, 3]], 0.75),  # sums 3, 3, 6 around 4: S = 6, 12 * 6 / (4 * 24)
    ],
)
def test_known_values(ranks, value):
    assert float(kendall_w(np.array(ranks))) == pytest.approx(value)


def test_spearman_of_two_raters_follows():
    """With two raters W = (1 + rho) / 2."""
    ranks = np.array([[1, 2, 3, 4, 5], [2, 1, 5, 3, 4]])
    rho = 1 - 6 * ((ranks[0] - ranks[1]) ** 2).sum() / (5 * 24)
    assert float(kendall_w(ranks)) == pytest.approx((1 + rho) / 2)


def test_it_is_undefined_for_one_rater_and_refuses_what_is_no_ranking():
    assert "fewer than two raters" in kendall_w(np.array([[1, 2, 3]])).undefined
    assert "only one object" in kendall_w(np.array([[1], [1]])).undefined
    with pytest.raises(ValueError, match="without ties"):
        kendall_w(np.array([[1, 1, 3], [1, 2, 3]]))

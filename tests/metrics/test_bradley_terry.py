"""Bradley-Terry strengths against scipy's minimum and closed forms, also where few games link two groups."""

import numpy as np
import pytest

from epitome.metrics import bradley_terry
from epitome.metrics.bradley_terry import GRADIENT, NoStrengths, find_ends, fit_strengths


def gradient(wins, strengths):
    chance = 1 / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    return wins.sum(axis=1) - ((wins + wins.T) * chance).sum(axis=1)


def test_strengths_are_the_maximum_of_the_likelihood():
    from scipy.optimize import minimize

    wins = np.array([[0, 7, 9.5], [3, 0, 6], [2.5, 4, 0]])

    def loss(free):
        logs = np.array([0, *free])
        return (wins * np.log1p(np.exp(logs[None, :] - logs[:, None]))).sum()

    x = minimize(loss, np.zeros(2), tol=1e-12).x
    assert fit_strengths(wins) == pytest.approx(np.array([0, *x]) - np.mean([0, *x]), abs=1e-5)


def test_two_groups_linked_by_four_games_are_as_far_apart_as_these_say():
    """An iteration that stops when strengths hardly move any more is still near 0 here."""
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 5000
    wins[0, 2], wins[2, 0] = 3, 1
    half = np.log(3) / 2
    assert fit_strengths(wins) == pytest.approx([half, half, -half, -half], abs=1e-9)
    assert np.abs(gradient(wins, fit_strengths(wins))).max() < GRADIENT


def test_a_long_chain_adds_up():
    wins = np.zeros((11, 11))
    for place in range(10):
        wins[place, place + 1], wins[place + 1, place] = 20, 1
    expected = np.log(20) * np.arange(5, -6, -1)
    assert fit_strengths(wins) == pytest.approx(expected, abs=1e-6) and expected[0] > 14.9


def test_tables_are_fitted_together_as_one_by_one():
    tables = np.random.default_rng(1).poisson(1.5, (40, 4, 4)).astype(float)
    tables[:, range(4), range(4)] = 0
    together = fit_strengths(tables)
    for table, strengths in zip(tables, together, strict=True):
        assert strengths == pytest.approx(fit_strengths(table), abs=1e-7, nan_ok=True)
        assert np.isnan(strengths).all() or np.abs(gradient(table, strengths)).max() < 2 * GRADIENT
    assert np.isnan(together).any() and not np.isnan(together).all()


def test_who_never_loses_or_never_wins_has_no_end():
    wins = np.array([[0, 5, 5, 2], [0, 0, 3, 1], [0, 2, 0, 1], [0, 0, 0, 0]], dtype=float)
    assert np.isnan(fit_strengths(wins)).all()
    assert find_ends(wins).tolist() == pytest.approx([np.inf, np.nan, np.nan, -np.inf], nan_ok=True)
    apart = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], dtype=float)
    assert np.isnan(find_ends(apart)).all()  # two groups that were never compared


def test_what_does_not_come_to_an_end_is_an_error(monkeypatch):
    monkeypatch.setattr(bradley_terry, "MOST_STEPS", 1)
    with pytest.raises(NoStrengths, match="not found in 1 steps: a gradient of"):
        fit_strengths(np.array([[0, 90.0], [1, 0]]))

"""Bradley-Terry strengths of systems from preferences between two of them, by Newton's method.

P(i is preferred to j) = 1 / (1 + exp(s_j - s_i)). The log-likelihood is concave, so a point without a gradient is the
estimate; iterations that stop when strengths hardly move any more (MM, Hunter 2004) stop short of it where few games
link two groups of systems.
Sources: Bradley and Terry (1952), "Rank Analysis of Incomplete Block Designs"; Ford (1957), "Solution of a ranking
problem from binary comparisons", on when strengths exist.
"""

import numpy as np
from numpy.typing import NDArray

from epitome.metrics.bootstrap import Floats

Bools = NDArray[np.bool_]
GRADIENT = 1e-8
"""Of the log-likelihood, in wins: an estimate has none that is larger."""
MOST_STEPS = 200
LARGEST_STEP = 5.0
HALVINGS = 40


class NoStrengths(ArithmeticError):
    """The iteration did not come to an end; the message says how far it was."""


def fit_strengths(wins: Floats) -> Floats:
    """Log strengths with mean 0, (..., systems). wins: (..., systems, systems), of row over column; a tie is half a win
    for each.

    NaN where strengths do not exist: some system, or group of systems, always wins, never does, or is never compared
    with the others. Raises NoStrengths where the gradient stays above `GRADIENT`.
    """
    tables = wins.reshape(-1, *wins.shape[-2:]).astype(float)
    strengths = np.full(tables.shape[:-1], np.nan)
    exist = find_reach(tables > 0).all(axis=(1, 2))
    if exist.any():
        strengths[exist] = _climb(tables[exist])
    return strengths.reshape(wins.shape[:-1])


def find_reach(beats: Bools) -> Bools:
    """(..., systems, systems): whether a chain of wins leads from row to column; every system reaches itself."""
    reach = beats | np.eye(beats.shape[-1], dtype=bool)
    for _step in range(beats.shape[-1].bit_length()):
        reach = (reach.astype(float) @ reach.astype(float)) > 0
    return np.asarray(reach)


def find_ends(wins: Floats) -> Floats:
    """(..., systems): inf for systems of which no other group ever wins a game, -inf for those that win none of the
    others', NaN for the rest; of tables of wins in which strengths do not exist."""
    reach = find_reach(wins > 0)
    back = np.swapaxes(reach, -1, -2)
    never_lose = (reach | ~back).all(axis=-1)  # whoever reaches it is reached by it
    never_win = (back | ~reach).all(axis=-1)
    ends = np.where(never_lose, np.inf, np.where(never_win, -np.inf, np.nan))
    return np.where(never_lose & never_win, np.nan, ends)  # compared with nobody else


def _climb(tables: Floats) -> Floats:
    """(tables, systems): Newton's steps, halved until the likelihood does not fall."""
    games, won = tables + np.swapaxes(tables, 1, 2), tables.sum(axis=2)
    strengths = np.zeros(won.shape)
    gradient_limit = np.maximum(GRADIENT, 1e-13 * games.sum(axis=(1, 2)))  # what sums of so many games are rounded to
    for _step in range(MOST_STEPS):
        gradient, curvature = _slopes(strengths, games, won)
        unfinished = np.abs(gradient).max(axis=1) > gradient_limit
        if not unfinished.any():
            return np.asarray(strengths - strengths.mean(axis=1, keepdims=True))
        step = np.linalg.solve(curvature[unfinished], gradient[unfinished][..., None])[..., 0]
        step *= np.minimum(1.0, LARGEST_STEP / np.abs(step).max(axis=1, keepdims=True))
        strengths[unfinished] = _search(strengths[unfinished], step, tables[unfinished])
    steepest = float(np.abs(_slopes(strengths, games, won)[0]).max())
    raise NoStrengths(
        f"Bradley-Terry strengths were not found in {MOST_STEPS} steps: a gradient of {steepest:.1e} is left"
    )


def _slopes(strengths: Floats, games: Floats, won: Floats) -> tuple[Floats, Floats]:
    """Gradient and minus the Hessian of the log-likelihood, made regular: strengths may be shifted by a constant."""
    expected = _logistic(strengths[:, :, None] - strengths[:, None, :])
    weights = games * expected * np.swapaxes(expected, 1, 2)
    sums = weights.sum(axis=2)
    curvature = -weights + sums[:, :, None] * np.eye(games.shape[-1])
    curvature += sums.max(axis=1)[:, None, None] / games.shape[-1]
    return won - (games * expected).sum(axis=2), curvature


def _search(strengths: Floats, step: Floats, tables: Floats) -> Floats:
    likelihood = _log_likelihood(strengths, tables)
    share = np.ones((len(step), 1))
    for _halving in range(HALVINGS):
        new_likelihood = _log_likelihood(strengths + share * step, tables)
        worse = new_likelihood < likelihood - 1e-12 * np.abs(likelihood)
        if not worse.any():
            break
        share[worse] /= 2
    return np.asarray(strengths + share * step)


def _log_likelihood(strengths: Floats, tables: Floats) -> Floats:
    apart = strengths[:, :, None] - strengths[:, None, :]
    return np.asarray(-(tables * np.logaddexp(0.0, -apart)).sum(axis=(1, 2)))


def _logistic(numbers: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0.0, -numbers)))

"""Finds one weight per adapter without gradients, as LoRAHub does, by Nelder and Mead's simplex.

The released code of LoRAHub takes nevergrad's NGOpt, which is no dependency here. The simplex begins with all weights 0
(the base model) and with each adapter alone at weight 1, so that these are always among the evaluations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from epitome.systems.neural.libraries import import_library
from epitome.training.adapter_options import Search

OPTIMISER = "Nelder-Mead"


@dataclass(frozen=True)
class Trial:
    """One evaluation: the weights in the order of the adapters, the loss (mean cross-entropy of a token), and the
    objective, which adds the penalty."""

    weights: tuple[float, ...]
    loss: float
    objective: float


def penalty(weights: Sequence[float], l1: float) -> float:
    """l1 * mean |w|."""
    return l1 * sum(abs(weight) for weight in weights) / len(weights)


def search_weights(loss_of: Callable[[tuple[float, ...]], float], n_weights: int, options: Search) -> list[Trial]:
    """Every evaluation in order, at most options.budget; `best_trial` picks the result.

    loss_of: called once per evaluation; the search is the same whenever it returns the same numbers.
    """
    trials: list[Trial] = []

    def evaluate(point: Any) -> float:
        weights = tuple(float(weight) for weight in point)
        loss = loss_of(weights)
        trials.append(Trial(weights, loss, loss + penalty(weights, options.l1)))
        return trials[-1].objective

    import_library("scipy.optimize").minimize(
        evaluate,
        [0.0] * n_weights,
        method=OPTIMISER,
        bounds=[(-options.bound, options.bound)] * n_weights,
        options={
            "initial_simplex": _first_points(n_weights, options.bound),
            "maxfev": options.budget,
            "maxiter": options.budget,
            "xatol": 1e-4,
            "fatol": 1e-6,
        },
    )
    return trials[: options.budget]


def _first_points(n_weights: int, bound: float) -> list[list[float]]:
    """All zero, then each adapter alone."""
    size = min(1.0, bound)
    alone = [[size if index == number else 0.0 for index in range(n_weights)] for number in range(n_weights)]
    return [[0.0] * n_weights, *alone]


def best_trial(trials: Sequence[Trial]) -> tuple[int, Trial]:
    """(number from 1, trial) with the lowest objective; the first of equal ones."""
    index = min(range(len(trials)), key=lambda number: trials[number].objective)
    return index + 1, trials[index]

"""How much two answers disagree, from 0 (the same) to 1 (the two ends of the scale)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Scale = Literal["nominal", "linear", "quadratic"]
SCALES: tuple[Scale, ...] = ("nominal", "linear", "quadratic")

Weights = Scale | Floats


def disagreement_matrix(weights: Weights, n_labels: int, points: Sequence[float] | None = None) -> Floats:
    """Disagreement of every answer with every other, shape (n_labels, n_labels), zero on the diagonal.

    weights: "nominal" (all different answers disagree alike), "linear" (by distance on the scale), "quadratic" (by its
        square), or a custom matrix as in Cohen (1968).
    points: where the answers are on the scale, n_labels numbers; default their order 0, 1, 2, ...
    Raises ValueError for an unknown name, a matrix of another shape, negative or not zero on its diagonal.
    Source: Cohen (1968), "Weighted kappa"; as 1 - w for the weights w of Gwet (2014), section 3.5.
    """
    if not isinstance(weights, str):
        return _check_matrix(weights, n_labels)
    if weights not in SCALES:
        raise ValueError(f"weights is {weights!r}: give one of {', '.join(SCALES)}, or a matrix of disagreements")
    if weights == "nominal":
        return np.ones((n_labels, n_labels)) - np.eye(n_labels)
    places = np.arange(n_labels, dtype=float) if points is None else np.asarray(points, dtype=float)
    if places.shape != (n_labels,):
        raise ValueError(f"points has shape {places.shape}: give the place of each of the {n_labels} answers")
    distance = np.abs(places[:, None] - places[None, :])
    largest = float(distance.max(initial=0.0))
    if largest > 0:
        distance = distance / largest
    return distance if weights == "linear" else distance**2


def _check_matrix(weights: Floats, n_labels: int) -> Floats:
    matrix = np.asarray(weights, dtype=float)
    if matrix.shape != (n_labels, n_labels):
        raise ValueError(f"weights has shape {matrix.shape}: give one number for each two of the {n_labels} answers")
    if not np.isfinite(matrix).all() or (matrix < 0).any() or np.diagonal(matrix).any():
        raise ValueError("weights are disagreements: finite, not negative, 0 on the diagonal")
    return matrix

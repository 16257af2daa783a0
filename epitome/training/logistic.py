"""Trains `rank-logistic`: a linear layer over standardised features, in numpy.

Settings: the released code of Jumel, Louis, Cheung, TESA, EMNLP 2020: two outputs with softmax and cross-entropy, Adam
at 0.003, 50 epochs, 4 candidates a batch. Standardising on train is ours.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from epitome.systems.ranking.features import FEATURES, feature_matrix
from epitome.systems.ranking.logistic import Floats, Settings
from epitome.systems.ranking.vectors import NONE, load_vectors
from epitome.training.ranking_data import RankedExample

EPOCHS, BATCH, LEARNING_RATE = 50, 4, 3e-3
BETAS, EPSILON = (0.9, 0.999), 1e-8
REPLICATES = 200
NEWTON_STEPS, RIDGE = 25, 1e-3
"""Of the refits behind the intervals: a ridge far below what the data say keeps separable draws finite."""
Advance = Callable[[int, int, float], None]


@dataclass(frozen=True)
class FeatureRows:
    """features: candidates x FEATURES; golds: 0 or 1; articles: number of each candidate's article."""

    features: Floats
    golds: Floats
    articles: np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True)
class LearnedWeights:
    """settings: of the system. intervals: per feature, the middle 95 % of the refits to drawn articles; None where the
    feature is the same for every candidate, so that nothing could be learned from it."""

    settings: Settings
    intervals: list[tuple[float, float] | None]
    loss: float


def build_rows(lists: Sequence[RankedExample]) -> FeatureRows:
    """The features of every candidate of the lists."""
    vectors = load_vectors()
    numbers: dict[str, int] = {}
    features: list[Floats] = []
    golds: list[float] = []
    articles: list[int] = []
    for example in lists:
        assert example.request.aggregation is not None
        features.append(feature_matrix(example.request.aggregation, example.request.candidates, vectors))
        golds += map(float, example.golds)
        articles += [numbers.setdefault(example.article, len(numbers))] * len(example.golds)
    return FeatureRows(np.concatenate(features), np.array(golds), np.array(articles))


def fit_weights(rows: FeatureRows, seed: int, advance: Advance, *, epochs: int = EPOCHS) -> LearnedWeights:
    """Train by Adam. advance(epoch, of how many, mean loss): called after each epoch; may raise to stop.

    A feature that is the same for every candidate gets the weight 0: Adam would leave it where it began, at random.
    """
    means, scales = rows.features.mean(axis=0), rows.features.std(axis=0)
    is_constant = scales == 0
    scales[is_constant] = 1.0
    standardised = (rows.features - means) / scales
    layer, loss = _train_layer(standardised, rows.golds, seed, advance, epochs)
    difference = layer[:, 1] - layer[:, 0]
    vectors = load_vectors()
    settings = Settings(
        means=tuple(means.tolist()),
        scales=tuple(scales.tolist()),
        coefficients=tuple(np.where(is_constant, 0.0, difference[:-1]).tolist()),
        bias=float(difference[-1]),
        vectors=vectors.name if vectors is not None else NONE,
    )
    pairs = zip(bootstrap_intervals(standardised, rows, seed), is_constant, strict=True)
    return LearnedWeights(settings, [None if constant else interval for interval, constant in pairs], loss)


def _train_layer(features: Floats, golds: Floats, seed: int, advance: Advance, epochs: int) -> tuple[Floats, float]:
    """(weights and bias of both outputs, the mean loss of the last epoch)."""
    random = np.random.default_rng(seed)
    inputs = np.hstack([features, np.ones((len(features), 1))])
    bound = 1 / np.sqrt(features.shape[1])
    layer = random.uniform(-bound, bound, (inputs.shape[1], 2))
    first, second = np.zeros_like(layer), np.zeros_like(layer)
    targets = np.stack([1 - golds, golds], axis=1)
    step, mean_loss = 0, 0.0
    for epoch in range(epochs):
        order, total = random.permutation(len(inputs)), 0.0
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            step += 1
            loss, gradient = _cross_entropy(inputs[batch], targets[batch], layer)
            total += loss * len(batch)
            first = BETAS[0] * first + (1 - BETAS[0]) * gradient
            second = BETAS[1] * second + (1 - BETAS[1]) * gradient**2
            rate = LEARNING_RATE / (1 - BETAS[0] ** step)
            layer = layer - rate * first / (np.sqrt(second / (1 - BETAS[1] ** step)) + EPSILON)
        mean_loss = total / len(order)
        advance(epoch + 1, epochs, mean_loss)
    return layer, mean_loss


def _cross_entropy(inputs: Floats, targets: Floats, layer: Floats) -> tuple[float, Floats]:
    """The mean loss of a batch, in nats, and its gradient."""
    logits = inputs @ layer
    logits -= logits.max(axis=1, keepdims=True)
    log_shares = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    gradient = inputs.T @ (np.exp(log_shares) - targets) / len(inputs)
    return float(-(targets * log_shares).sum() / len(inputs)), gradient


def bootstrap_intervals(standardised: Floats, rows: FeatureRows, seed: int) -> list[tuple[float, float]]:
    """Per feature the middle 95 % of maximum-likelihood refits to draws of whole articles."""
    random = np.random.default_rng(seed)
    inputs = np.hstack([standardised, np.ones((len(standardised), 1))])
    n_articles = int(rows.articles.max()) + 1
    fitted = []
    for _replicate in range(REPLICATES):
        draws = np.bincount(random.integers(n_articles, size=n_articles), minlength=n_articles)
        fitted.append(_fit_by_newton(inputs, rows.golds, draws[rows.articles].astype(float))[: len(FEATURES)])
    low, high = np.percentile(np.array(fitted), [2.5, 97.5], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _fit_by_newton(inputs: Floats, golds: Floats, draws: Floats) -> Floats:
    """Maximum likelihood of a logistic regression, each row counted as often as it was drawn."""
    weights = np.zeros(inputs.shape[1])
    for _step in range(NEWTON_STEPS):
        shares = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        gradient = inputs.T @ (draws * (golds - shares)) - RIDGE * weights
        curvature = (inputs * (draws * shares * (1 - shares))[:, None]).T @ inputs + RIDGE * np.eye(len(weights))
        change = np.linalg.solve(curvature, gradient)
        weights = weights + change
        if np.abs(change).max() < 1e-6:
            break
    return cast(Floats, weights)

"""`textrank`: sentences ranked by a random walk over a graph of shared words.

Mihalcea and Tarau (2004), "TextRank: Bringing Order into Texts", sections 2 and 4: the weight between two sentences is
the number of words they share over the sum of the logarithms of their lengths; the walk has the damping factor d.
Stop words are left out, which is the syntactic filter the paper allows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.extractive_base import ExtractiveBaseline
from epitome.systems.protocol import Follows, Request
from epitome.systems.sentence_units import Unit, content_words


@dataclass(frozen=True)
class Settings:
    """d: damping factor. threshold: stop when no score changes by more. steps: maximum number of iterations."""

    damping: float = 0.85
    threshold: float = 0.0001
    steps: int = 200


def parse_options(table: Table) -> Settings:
    table.only(("damping", "threshold", "steps"))
    usual = Settings()
    return Settings(
        damping=table.number("damping", usual.damping, least=0.0, most=0.999),
        threshold=table.number("threshold", usual.threshold, least=1e-12, most=1.0),
        steps=table.whole("steps", usual.steps, least=1, most=10_000),
    )


def similarity_matrix(bags: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """(n, n) weights between n sentences, each a list of its words; 0 on the diagonal, symmetric.

    A sentence of one word has the logarithm 0: two such have no weight, as there is nothing to divide by.
    """
    places: dict[str, int] = {}
    for bag in bags:
        for word in bag:
            places.setdefault(word, len(places))
    holds = np.zeros((len(bags), len(places)), dtype=np.float32)
    for row, bag in enumerate(bags):
        holds[row, [places[word] for word in bag]] = 1.0
    shared = (holds @ holds.T).astype(np.float64)
    logs = np.log(np.maximum([len(bag) for bag in bags], 1))
    sums = logs[:, None] + logs[None, :]
    weights: NDArray[np.float64] = np.divide(shared, sums, out=np.zeros_like(shared), where=sums > 0)
    np.fill_diagonal(weights, 0.0)
    return weights


def rank_sentences(weights: NDArray[np.float64], settings: Settings) -> NDArray[np.float64]:
    """The score of each sentence: WS(i) = (1 - d) + d * sum of w(j, i) / sum of w(j, k) * WS(j), from 1."""
    sums = weights.sum(axis=1)
    steps = np.divide(weights, sums[:, None], out=np.zeros_like(weights), where=sums[:, None] > 0)
    scores: NDArray[np.float64] = np.ones(len(weights))
    for _ in range(settings.steps):
        following = (1 - settings.damping) + settings.damping * (steps.T @ scores)
        moved = float(np.abs(following - scores).max(initial=0.0))
        scores = following
        if moved <= settings.threshold:
            break
    return scores


class TextRank(ExtractiveBaseline):
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        self.settings: Settings = config.settings

    def order(self, sentences: Sequence[Unit], request: Request) -> Sequence[int]:
        scores = rank_sentences(similarity_matrix([content_words(unit.text) for unit in sentences]), self.settings)
        # Rounded, so that floating-point differences between machines do not change the order; ties keep source order.
        return sorted(range(len(sentences)), key=lambda place: (-round(float(scores[place]), 9), place))

    def decoding(self) -> dict[str, Any]:
        return {"damping": self.settings.damping, "threshold": self.settings.threshold}


def followed_attributes(settings: Settings) -> Follows:
    return TextRank.follows


def make_system(config: SystemConfig) -> TextRank:
    return TextRank(config)

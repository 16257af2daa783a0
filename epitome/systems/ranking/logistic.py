"""`rank-logistic`: a logistic regression over the 15 features; what it learned is in its configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import Follows, Request
from epitome.systems.provenance import library_versions
from epitome.systems.ranking.features import FEATURES, feature_matrix
from epitome.systems.ranking.ranker import CandidateRanker, require_task
from epitome.systems.ranking.simple import describe_vectors
from epitome.systems.ranking.vectors import load_vectors
from epitome.systems.ranking.words import lemmatizer_id

Floats = np.ndarray[Any, np.dtype[np.float64]]
LISTS = ("means", "scales", "coefficients")


@dataclass(frozen=True)
class Settings:
    """means, scales: what standardises each feature, learned on train. coefficients, bias: of the standardised ones.
    vectors: name of the word vectors that they were learned with, "none" without any."""

    means: tuple[float, ...]
    scales: tuple[float, ...]
    coefficients: tuple[float, ...]
    bias: float
    vectors: str = "none"


def parse_options(table: Table) -> Settings:
    """The learned numbers, as a training writes them. Raises SchemaError."""
    table.only((*LISTS, "bias", "vectors"))
    numbers = {name: _read_numbers(table, name) for name in LISTS}
    if not all(numbers["scales"]):
        table.fail("scales", "must not hold 0")
    bias = table.number("bias", least=-1e9)
    return Settings(**numbers, bias=bias, vectors=table.text("vectors", "none", most=200))


def _read_numbers(table: Table, name: str) -> tuple[float, ...]:
    values = table.items(name, [], most=len(FEATURES))
    if len(values) != len(FEATURES) or not all(_is_number(value) for value in values):
        table.fail(name, f"must be {len(FEATURES)} numbers, one per feature, as a training writes them")
    return tuple(float(value) for value in values)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def followed_attributes(settings: Settings) -> Follows:
    return {}


def gold_probability(features: Floats, settings: Settings) -> Floats:
    """P(gold) of each row of features."""
    standardised = (features - np.array(settings.means)) / np.array(settings.scales)
    logits = standardised @ np.array(settings.coefficients) + settings.bias
    return cast(Floats, 1 / (1 + np.exp(-np.clip(logits, -500, 500))))


class LogisticRanker(CandidateRanker):
    """Ranks by P(gold). Equal probabilities of 0 or 1 are not distinguished further."""

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        self.settings = cast(Settings, config.settings)

    def score_candidates(self, request: Request) -> Sequence[float]:
        features = feature_matrix(require_task(request), request.candidates, load_vectors())
        return [float(value) for value in gold_probability(features, self.settings)]

    def decoding(self) -> Mapping[str, Any]:
        return {**describe_vectors(), "trained_with_vectors": self.settings.vectors}

    def versions(self) -> Mapping[str, str]:
        return {**library_versions("spacy", "numpy"), "pipeline": lemmatizer_id()}


def make_system(config: SystemConfig) -> LogisticRanker:
    return LogisticRanker(config)

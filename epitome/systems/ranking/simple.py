"""`rank-random`, `rank-frequency` and `rank-feature`: the baselines without training.

Source: Jumel, Louis, Cheung, TESA, EMNLP 2020, sections "Baselines" and appendix C.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import Follows, Request
from epitome.systems.provenance import library_versions
from epitome.systems.ranking.features import EMBEDDINGS, FEATURES, feature_matrix
from epitome.systems.ranking.ranker import CandidateRanker, require_task
from epitome.systems.ranking.vectors import NONE, load_vectors
from epitome.systems.ranking.words import lemmatizer_id


@dataclass(frozen=True)
class Settings:
    """feature: of `rank-feature`; "" for the others."""

    feature: str = ""


def parse_options(table: Table) -> Settings:
    """`feature`, which only the kind rank-feature reads. Raises SchemaError."""
    table.only(("feature",))
    return Settings(table.choice("feature", FEATURES) if "feature" in table.data else "")


def followed_attributes(settings: Settings) -> Follows:
    return {}


class RandomRanker(CandidateRanker):
    """All candidates are alike."""

    def score_candidates(self, request: Request) -> Sequence[float]:
        return [0.0] * len(request.candidates)


class FrequencyRanker(CandidateRanker):
    """For how many instances of the train split a candidate is gold."""

    def score_candidates(self, request: Request) -> Sequence[float]:
        counts = require_task(request).train_counts
        return [float(count) for count in counts] or [0.0] * len(request.candidates)


class FeatureRanker(CandidateRanker):
    """One of the 15 features alone."""

    def __init__(self, config: SystemConfig) -> None:
        super().__init__(config)
        self.feature = cast(Settings, config.settings).feature or FEATURES[0]

    def score_candidates(self, request: Request) -> Sequence[float]:
        matrix = feature_matrix(require_task(request), request.candidates, load_vectors())
        return [float(value) for value in matrix[:, FEATURES.index(self.feature)]]

    def decoding(self) -> Mapping[str, Any]:
        return (
            {"feature": self.feature, **describe_vectors()} if self.feature in EMBEDDINGS else {"feature": self.feature}
        )

    def versions(self) -> Mapping[str, str]:
        return {**library_versions("spacy", "numpy"), "pipeline": lemmatizer_id()}


def describe_vectors() -> dict[str, str]:
    """Which word vectors are in use; without any, the features that need them are 0."""
    vectors = load_vectors()
    return {"vectors": vectors.name if vectors is not None else NONE}


def make_random(config: SystemConfig) -> RandomRanker:
    return RandomRanker(config)


def make_frequency(config: SystemConfig) -> FrequencyRanker:
    return FrequencyRanker(config)


def make_feature(config: SystemConfig) -> FeatureRanker:
    return FeatureRanker(config)

"""Expected measures of a reference summary for a request: linear models with the distribution of their residuals.

The coefficients are fitted on MACSum's dev files by `benchmarks/extract_tuning.py`. They hold means and spreads only,
no text. A cost is the expected control error rate: the mean of |x - y| / (y + epsilon) over the spread of y, so
its minimum is below the mean, as the asymmetric error requires.
"""

import math
import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from statistics import fmean, median
from typing import Any

from epitome.systems.controlled_extract.relevance import Material, Relevance, topic_stems
from epitome.systems.controlled_extract.request_targets import GRADES, Range, RequestTargets

Models = Mapping[str, Mapping[str, "Model"]]
"""By case (`select_case`) and measure."""
EPSILON: Mapping[str, float] = {"length": 0.0, "specificity": 0.0, "extractiveness": 0.1, "speaker": 0.1}
LONG_AIM: float = 1.0
"""What the longest value aims at least at, of the expected mean. The cheapest value is far below it, because errors
above cost more than errors below, and "long" would not be long."""
FILE = Path(__file__).with_name("coefficients.toml")


@dataclass(frozen=True)
class Cost:
    """The mean of |x - y| / (y + epsilon) over equally likely values y: convex, linear between them."""

    values: tuple[float, ...]
    weights: tuple[float, ...]
    sums: tuple[float, ...]
    moments: tuple[float, ...]

    @classmethod
    def of(cls, values: Sequence[float], epsilon: float = 0.0) -> "Cost":
        """Raises ValueError without values."""
        ordered = sorted(max(0.0, value) for value in values)
        if not ordered:
            raise ValueError("a cost needs values")
        weights = [1 / (max(value + epsilon, 1e-3) * len(ordered)) for value in ordered]
        return cls(
            tuple(ordered),
            tuple(weights),
            (0.0, *accumulate(weights)),
            (0.0, *accumulate(weight * value for weight, value in zip(weights, ordered, strict=True))),
        )

    def __call__(self, x: float) -> float:
        at = bisect_right(self.values, x)
        below = x * self.sums[at] - self.moments[at]
        return below + (self.moments[-1] - self.moments[at]) - x * (self.sums[-1] - self.sums[at])

    @property
    def best(self) -> float:
        """The value with the lowest cost: the weighted median."""
        half = self.sums[-1] / 2
        return next(value for value, reached in zip(self.values, self.sums[1:], strict=True) if reached >= half)


@dataclass(frozen=True)
class Model:
    """log(y + shift) = intercept + coefficients * features + one of the residuals, all equally likely."""

    shift: float
    intercept: float
    coefficients: Mapping[str, float]
    residuals: tuple[float, ...]

    def values(self, features: Mapping[str, float]) -> list[float]:
        """The equally likely values of y."""
        mean = self.intercept + sum(weight * features.get(name, 0.0) for name, weight in self.coefficients.items())
        return [max(0.0, math.exp(min(12.0, mean + residual)) - self.shift) for residual in self.residuals]


@cache
def load_models() -> Models:
    """The shipped models, from FILE."""
    return parse_models(tomllib.loads(FILE.read_text(encoding="utf-8")))


def parse_models(data: Mapping[str, Any]) -> dict[str, dict[str, Model]]:
    return {
        case: {
            measure: Model(
                float(fields["shift"]),
                float(fields["intercept"]),
                {name: float(value) for name, value in fields["coefficients"].items()},
                tuple(float(residual) for residual in fields["residuals"]),
            )
            for measure, fields in by_measure.items()
        }
        for case, by_measure in data["models"].items()
    }


def select_case(material: Material, targets: RequestTargets) -> str:
    """The case of the models to use: dialogue, document (without a topic) or document-topic."""
    if material.dialogue:
        return "dialogue"
    return "document-topic" if targets.topics or targets.keywords else "document"


def features_of(material: Material, relevance: Relevance, targets: RequestTargets) -> dict[str, float]:
    """The features that predict a reference's measures: of the request and of the source."""
    share = math.log(targets.share / 0.1)
    total, relevant = math.log(max(1, sum(material.words))), math.log(max(1, relevance.words))
    extract, specific = targets.levels.get("extractiveness", 0.0), targets.levels.get("specificity", 0.0)
    sizes = [len(stems) for stems in material.sentence_stems if len(stems) > 2] or [8]
    return {
        "share": share,
        "share_squared": share * share,
        "total": total,
        "relevant": relevant,
        "hits": math.log(20 + relevance.hits),
        "all_hits": math.log(20 + relevance.all_hits),
        "spoken": math.log(20 + relevance.spoken) if targets.speakers else 0.0,
        "speakers": min(4.0, float(len(targets.speakers))),
        "has_speakers": float(bool(targets.speakers)),
        "topics": min(5.0, float(len(targets.topics))),
        "topic_words": min(8.0, float(len(topic_stems(targets.topics)))),
        "extract": extract,
        "extract_full": float(extract > 0.9),
        "specific": specific,
        "density": math.log(median(sizes)),
    }


def costs_of(material: Material, relevance: Relevance, targets: RequestTargets, known: Models) -> dict[str, Cost]:
    """The cost of each measure that the request controls. A range of the schema overrides a model."""
    case_models = known.get(select_case(material, targets), {})
    features = features_of(material, relevance, targets)
    measures = [*targets.levels, *(["speaker"] if targets.speakers else [])]
    costs = {
        name: Cost.of(case_models[name].values(features), EPSILON[name])
        for name in measures
        if name in case_models and name not in targets.ranges
    }
    if targets.levels.get("length", 0.0) >= 1.0 and "length" in costs and "length" not in targets.ranges:
        mean = fmean(costs["length"].values)
        if costs["length"].best < LONG_AIM * mean:
            costs["length"] = _cost_of_range(Range(LONG_AIM * mean * 0.95, LONG_AIM * mean * 1.05))
    for name, value_range in targets.ranges.items():
        costs[name] = _cost_of_range(value_range, EPSILON.get(name, 0.0))
    if "readability" in targets.levels and "readability" not in costs:
        grade = GRADES[0] + (GRADES[1] - GRADES[0]) * targets.levels["readability"]
        costs["readability"] = Cost.of([grade * factor for factor in (0.8, 0.9, 1.0, 1.1, 1.2)])
    if targets.words is not None:
        costs["length"] = _cost_of_range(targets.words)
    elif "length" not in costs:
        costs["length"] = Cost.of([targets.share * max(10, relevance.words)])
    return costs


def _cost_of_range(value_range: Range, epsilon: float = 0.0) -> Cost:
    """The cost of a range: lowest in its middle, lower inside than outside."""
    width = value_range.high - value_range.low
    return Cost.of([value_range.low + width * step for step in (0.3, 0.4, 0.5, 0.6, 0.7)], epsilon)

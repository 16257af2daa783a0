"""Statistics of a sampling plan, before any sample is stored."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice, pairwise, product
from statistics import median_low
from typing import Any, Literal

from epitome.sampling.asked_lengths import AskedLength, list_asked_lengths
from epitome.sampling.options import SamplerError, SamplerOptions
from epitome.sampling.overlap import count_writers
from epitome.sampling.plans import GroupPlan, SourcePlan
from epitome.sampling.samplers import resolve_marginals
from epitome.schema import Schema

MAX_LISTED = 500
MIN_PAIRS = 30
"""Below this many pairs the control correlation of an attribute says little."""
MAX_NO_TOPIC_SHARE = 0.6
"""Above this share of samples without a topic, topics are hardly measured."""


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's test of one attribute's counts against `against`. statistic, df and p are None, with a reason, where
    the test is undefined. Samples of a group are drawn without duplicates, so p is slightly too large."""

    statistic: float | None
    df: int
    p: float | None
    against: str
    undefined: str = ""


@dataclass(frozen=True)
class DrawWarning:
    """What a draw is too small or too uneven for. kind: "few-pairs" (of `attribute`, n pairs), "no-topic" (n samples
    without a topic) or "short-length" (`value` of `attribute` asks for n words at most)."""

    kind: Literal["few-pairs", "no-topic", "short-length"]
    n: int
    attribute: str = ""
    value: str = ""

    @property
    def lacks_topics(self) -> bool:
        return self.kind == "no-topic"

    @property
    def asks_too_little(self) -> bool:
        return self.kind == "short-length"


@dataclass(frozen=True)
class DryRun:
    """values: attribute -> value -> samples. combinations: code -> samples, also those with 0 (at most 500 codes).
    pairs: attribute -> neighbours of one group that differ in it, which is what control correlation is measured on.
    no_topic: samples that ask for no topic; 0 where the schema has none. samples_by_writers: how many people write a
    sample -> such samples. hours: writing time of all summaries at minutes_per_summary. sources_by_samples: samples of
    a source -> such sources. most_samples: the limit, None for none; left_sources, left_samples: what it leaves for a
    later draw. pay: of all hours, in `currency`; None where no rate is given. median_words, segment_words: of the
    drawn sources, 0 where unknown; asked_lengths: what values ask for on such texts."""

    sampler: str
    seed: int
    sources: int
    groups: int
    samples: int
    overlap: int
    summaries: int
    minutes_per_summary: float
    hours: float
    values: Mapping[str, Mapping[str, int]]
    combinations: Mapping[str, int]
    chi_square: Mapping[str, ChiSquare]
    pairs: Mapping[str, int]
    no_topic: int = 0
    sources_by_samples: Mapping[int, int] = field(default_factory=dict)
    most_samples: int | None = None
    left_sources: int = 0
    left_samples: int = 0
    pay: float | None = None
    currency: str = ""
    samples_by_writers: Mapping[int, int] = field(default_factory=dict)
    median_words: int = 0
    segment_words: float = 0.0
    asked_lengths: Sequence[AskedLength] = ()

    @property
    def warnings(self) -> list[DrawWarning]:
        """What should be read before anybody is hired; [] for an empty draw."""
        if not self.samples:
            return []
        warnings = [DrawWarning("few-pairs", n, key) for key, n in self.pairs.items() if n < MIN_PAIRS]
        if self.no_topic > MAX_NO_TOPIC_SHARE * self.samples:
            warnings.append(DrawWarning("no-topic", self.no_topic))
        for asked_length in self.asked_lengths:
            fewest = asked_length.fewest(self.median_words)
            if fewest is not None:
                warnings.append(DrawWarning("short-length", fewest, asked_length.attribute, asked_length.value))
        return warnings

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"warnings": [asdict(warning) for warning in self.warnings]}

    def as_text(self) -> str:
        """Aligned tables for a terminal."""
        from epitome.sampling.printing import as_text

        return as_text(self)


def dry_run(
    plans: Sequence[SourcePlan],
    schema: Schema,
    pace: float,
    options: SamplerOptions | None = None,
    *,
    left_plans: Sequence[SourcePlan] = (),
    most_samples: int | None = None,
    pay_per_hour: float | None = None,
    currency: str = "",
    segment_words: float = 0.0,
) -> DryRun:
    """Count samples, values and pairs of the plans. pace: minutes per summary. options: those of the plans, for the
    overlap and the weights that `weighted` is tested against; without options, overlap is 1. Raises SamplerError.

    most_samples: the limit of the draw, if any; left_plans: those that it leaves for a later draw. segment_words: mean
    words of the sources' segments, 0 where unknown.
    """
    if not (math.isfinite(pace) and pace > 0):
        raise SamplerError("pace", f"must be above 0 minutes per summary, is {pace!r}")
    groups = [group for plan in plans for group in plan.groups]
    counts, combinations, pairs = _count_groups(groups, schema)
    samples = sum(len(group.samples) for group in groups)
    has_topics = any(attribute.traits.picks_topics for attribute in schema.chosen)
    chosen = options or SamplerOptions()
    writers = Counter(
        count_writers(chosen, plan.external_id, sample.position) for plan in plans for sample in plan.samples
    )
    summaries = sum(n_writers * n for n_writers, n in writers.items())
    hours = summaries * pace / 60
    return DryRun(
        sampler=plans[0].sampler if plans else "",
        seed=plans[0].seed if plans else 0,
        sources=len(plans),
        groups=len(groups),
        samples=samples,
        overlap=chosen.overlap,
        summaries=summaries,
        minutes_per_summary=pace,
        hours=hours,
        values={key: dict(counter) for key, counter in counts.items()},
        combinations=combinations,
        chi_square=_chi_squares(counts, schema, options),
        pairs=pairs,
        no_topic=sum(len(group.samples) for group in groups if not group.asks_topic) if has_topics else 0,
        sources_by_samples=dict(sorted(Counter(len(plan.samples) for plan in plans).items())),
        most_samples=most_samples,
        left_sources=len(left_plans),
        left_samples=sum(len(plan.samples) for plan in left_plans),
        pay=None if pay_per_hour is None else hours * pay_per_hour,
        currency=currency,
        samples_by_writers=dict(sorted(writers.items())),
        **_describe_lengths(plans, groups, schema, segment_words),
    )


def _count_groups(
    groups: Sequence[GroupPlan], schema: Schema
) -> tuple[dict[str, Counter[str]], dict[str, int], dict[str, int]]:
    """Samples by attribute and value, samples by combination, and pairs by attribute."""
    counts = {attribute.key: Counter(dict.fromkeys(attribute.values, 0)) for attribute in schema.sampled}
    combinations = Counter(dict.fromkeys(_list_codes(schema), 0))
    pairs = {attribute.key: 0 for attribute in schema.sampled if attribute.has_distance}
    for group in groups:
        combinations.update(sample.combination for sample in group.samples)
        for key, counter in counts.items():
            counter.update(sample.values[key] for sample in group.samples)
        for first, second in pairwise(group.samples):
            for key in pairs:
                pairs[key] += first.values[key] != second.values[key]
    return counts, dict(combinations), pairs


def _describe_lengths(
    plans: Sequence[SourcePlan], groups: Sequence[GroupPlan], schema: Schema, segment_words: float
) -> dict[str, Any]:
    """The fields about the texts and what lengths ask for on them; {} for no text."""
    if not plans:
        return {}
    median_words, has_asks = median_low(plan.n_words for plan in plans), any(group.asks for group in groups)
    asked_lengths = list_asked_lengths(schema, median_words, segment_words, has_topics=has_asks)
    return {"median_words": median_words, "segment_words": segment_words, "asked_lengths": tuple(asked_lengths)}


def _list_codes(schema: Schema) -> list[str]:
    """The combination codes in schema order, the first 500 of them."""
    keys = [attribute.key for attribute in schema.sampled]
    combinations = product(*(attribute.values for attribute in schema.sampled))
    return [
        schema.combination_code(dict(zip(keys, values, strict=True))) for values in islice(combinations, MAX_LISTED)
    ]


def _chi_squares(
    counts: Mapping[str, Counter[str]], schema: Schema, options: SamplerOptions | None
) -> dict[str, ChiSquare]:
    resolved = options.resolved(schema) if options else None
    if resolved is not None and resolved.grouping.algorithm == "weighted":
        weights, against = resolve_marginals(schema, resolved), "the weights"
    else:
        weights, against = (
            {attribute.key: dict.fromkeys(attribute.values, 1.0) for attribute in schema.sampled},
            "uniform",
        )
    return {key: chi_square(counter, weights[key], against) for key, counter in counts.items()}


def chi_square(observed: Mapping[str, int], weights: Mapping[str, float], against: str = "uniform") -> ChiSquare:
    """Pearson's chi-square of counts against shares that are relative to `weights`; df = values with a weight - 1.

    60, 50, 40 against equal weights give 4.0 with df 2 and p = exp(-2) = .135.
    """
    shares = {value: weight for value, weight in weights.items() if weight > 0}
    total = sum(observed.values())
    df = len(shares) - 1
    if any(count and value not in shares for value, count in observed.items()):
        return ChiSquare(None, df, None, against, "a value without weight was drawn")
    if not total or df < 1:
        return ChiSquare(None, df, None, against, "no sample" if not total else "fewer than two values")
    scale = total / sum(shares.values())
    statistic = sum((observed.get(value, 0) - share * scale) ** 2 / (share * scale) for value, share in shares.items())
    return ChiSquare(statistic, df, chi_square_tail(statistic, df), against)


def chi_square_tail(statistic: float, df: int) -> float:
    """P(X >= statistic) of a chi-square with df >= 1: a finite sum for whole degrees of freedom.

    Source: Abramowitz and Stegun (1964), 26.4.4 and 26.4.5.
    """
    half = statistic / 2
    if half <= 0:
        return 1.0
    odd = df % 2
    powers = [term + odd / 2 for term in range(df // 2)]
    terms = [math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers]
    return min(1.0, math.fsum(terms) + (math.erfc(math.sqrt(half)) if odd else 0.0))

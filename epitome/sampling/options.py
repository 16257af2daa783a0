"""Options of a draw: algorithm, seed, sizes, weights. None uses the default of the schema."""

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

from epitome.schema import MOST_PER_SOURCE, Grouping, Schema, Weights

# Increment a version when the same seed would give another draw; it is stored with every sample.
VERSIONS = {"uniform": 1, "one-step": 1, "macsum-release": 1, "weighted": 1, "balanced": 1}
MAX_SEED = 2**63 - 1
MORE_BY = ("sample", "source")
"""What is chosen to have more writers."""


class SamplerError(ValueError):
    """Invalid options; `field` names the option."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(f"{field}: {message}")


@dataclass(frozen=True)
class SamplerOptions:
    """group_size: samples that share topics and speakers. no_topic_group: the first group of a source asks for no
    topic and has no_topic_size samples. whole_groups: no group is cut short, and at least one follows it.
    per_2000_words: samples per 2,000 words; per_source: of every source instead, however long; not both. overlap:
    writers per sample. more_writers: how many write those samples (more_by "source": all samples of those sources) that
    the seed chooses, more_share per cent of them; None: all have `overlap`. weights: for `weighted` and
    `macsum-release`; None uses those of the schema. Raises SamplerError."""

    algorithm: str | None = None
    seed: int = 0
    group_size: int | None = None
    no_topic_group: bool | None = None
    no_topic_size: int | None = None
    whole_groups: bool | None = None
    per_2000_words: float | None = None
    per_source: int | None = None
    overlap: int = 1
    weights: Weights | None = None
    more_writers: int | None = None
    more_share: float = 0.0
    more_by: str = "sample"

    def __post_init__(self) -> None:
        if self.algorithm is not None and self.algorithm not in VERSIONS:
            raise SamplerError("algorithm", f'there is no sampler "{self.algorithm}"; there are {", ".join(VERSIONS)}')
        if not _is_int(self.seed) or not 0 <= self.seed <= MAX_SEED:
            raise SamplerError("seed", f"must be a whole number from 0 to {MAX_SEED}, is {self.seed!r}")
        for name in ("group_size", "no_topic_size", "overlap", "more_writers"):
            size = getattr(self, name)
            if size is not None and not (_is_int(size) and 1 <= size <= 100):
                raise SamplerError(name, f"must be a whole number from 1 to 100, is {size!r}")
        rate = self.per_2000_words
        if rate is not None and not (math.isfinite(rate) and 0 < rate <= 2000):
            raise SamplerError("per_2000_words", f"must be above 0 and at most 2000, is {rate!r}")
        if self.per_source is not None:
            self._check_per_source(self.per_source)
        self._check_more_writers()

    def _check_per_source(self, n_samples: int) -> None:
        if not (_is_int(n_samples) and 1 <= n_samples <= MOST_PER_SOURCE):
            raise SamplerError("per_source", f"must be a whole number from 1 to {MOST_PER_SOURCE}, is {n_samples!r}")
        if self.per_2000_words is not None:
            raise SamplerError("per_source", "give samples per source or per 2,000 words, not both")

    def _check_more_writers(self) -> None:
        share = self.more_share
        if self.more_by not in MORE_BY:
            raise SamplerError("more_by", f"must be one of {', '.join(MORE_BY)}, is {self.more_by!r}")
        if not (math.isfinite(share) and 0 <= share <= 100):
            raise SamplerError("more_share", f"must be a percentage from 0 to 100, is {share!r}")
        if (self.more_writers is None) != (share == 0):
            field = "more_share" if share == 0 else "more_writers"
            raise SamplerError(field, "give both more_writers and more_share, or neither")

    def resolved(self, schema: Schema) -> "ResolvedOptions":
        """The options with the schema's defaults filled in."""
        defaults = schema.sampling
        grouping = Grouping(
            algorithm=_or_default(self.algorithm, defaults.algorithm),
            group_size=_or_default(self.group_size, defaults.group_size),
            no_topic_group=_or_default(self.no_topic_group, defaults.no_topic_group),
            no_topic_size=_or_default(self.no_topic_size, defaults.no_topic_size),
            whole_groups=_or_default(self.whole_groups, defaults.whole_groups),
            per_2000_words=float(_or_default(self.per_2000_words, defaults.per_2000_words)),
            weights=defaults.weights,
            per_source=None if self.per_2000_words is not None else _or_default(self.per_source, defaults.per_source),
        )
        return ResolvedOptions(
            self.seed, self.overlap, grouping, self.weights, self.more_writers, self.more_share, self.more_by
        )


@dataclass(frozen=True)
class ResolvedOptions:
    """Options with all defaults filled in; see SamplerOptions."""

    seed: int
    overlap: int
    grouping: Grouping
    weights: Weights | None
    more_writers: int | None = None
    more_share: float = 0.0
    more_by: str = "sample"

    @property
    def sampler(self) -> str:
        """algorithm@version, as stored with every sample."""
        return sampler_name(self.grouping.algorithm)

    def as_dict(self) -> dict[str, Any]:
        """Everything that determines the draw besides schema and sources, as JSON values for the record."""
        grouping = asdict(replace(self.grouping, weights="given" if self.weights else self.grouping.weights))
        del grouping["per_source" if self.grouping.per_source is None else "per_2000_words"]
        record = {"sampler": self.sampler, "seed": self.seed, "overlap": self.overlap, **grouping}
        if self.more_writers is not None:
            record |= {"more_writers": self.more_writers, "more_share": self.more_share, "more_by": self.more_by}
        return {**record, "given_weights": asdict(self.weights)} if self.weights else record


def sampler_name(algorithm: str) -> str:
    return f"{algorithm}@{VERSIONS[algorithm]}"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _or_default(value: Any, default: Any) -> Any:
    return default if value is None else value

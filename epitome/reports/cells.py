"""Table cells from estimates, and the signature of a round's table."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import numpy as np

from epitome.agreement.design_effect import estimate_share
from epitome.agreement.intervals import Estimate, Statistic, estimate_statistics, ratio_or_nan
from epitome.agreement.scales import Floats, Ints
from epitome.figures.tables import Cell
from epitome.measures import Signature, Value
from epitome.metrics.aggregate import Aggregate
from epitome.reports.answers import Answers, Frame

VERSION = "3"
SHARE_NOTE = "95 % intervals: Wilson's, on n over the design effect where several answers are about one source."
"""Of tables of shares."""
MEAN_NOTE = "95 % intervals by a bootstrap that draws whole sources."
FEW_SOURCES = 20
"""Below this many sources a table says that its intervals are rough."""


def estimate_cell(estimate: Estimate, n: int | None = None) -> Cell:
    """A cell with interval and n, or with the reason why there is no value."""
    if not estimate.value.defined:
        return Cell(None, estimate.value.undefined, n=n)
    return Cell(estimate.value.value, low=estimate.interval.low, high=estimate.interval.high, n=n)


def value_cell(value: Value, n: int | None = None) -> Cell:
    return Cell(value.value, n=n) if value.defined else Cell(None, value.undefined, n=n)


def share_cell(flags: Sequence[bool], sources: Sequence[str], why: str) -> Cell:
    """The share of true flags with n, and Wilson's interval on the effective number of flags. sources: of each flag.
    why: the reason shown if there are no flags."""
    if not flags:
        return Cell(None, why, n=0)
    return estimate_cell(estimate_share(flags, sources), len(flags))


def aggregate_cell(aggregate: Aggregate) -> Cell:
    if not aggregate.value.defined:
        return Cell(None, aggregate.value.undefined, n=aggregate.n)
    return Cell(aggregate.value.value, low=aggregate.interval.low, high=aggregate.interval.high, n=aggregate.n)


def few_sources_notes(sources: Collection[Hashable]) -> tuple[str, ...]:
    """A warning to show under a table of so few distinct sources, or nothing."""
    return _few_sources_note(len(sources))


def few_clusters_notes(aggregates: Iterable[Aggregate]) -> tuple[str, ...]:
    """The same for a table of aggregates, by the one whose interval was drawn from the fewest sources."""
    counts = [one.interval.clusters for one in aggregates if one.interval.defined]
    return _few_sources_note(min(counts)) if counts else ()


def _few_sources_note(n: int) -> tuple[str, ...]:
    if n >= FEW_SOURCES:
        return ()
    noun = "source" if n == 1 else "sources"
    return (
        f"Only {n} {noun}: below {FEW_SOURCES}, intervals are rough and can be too narrow, above all near 0 and 1.",
    )


def table_signature(name: str, frame: Frame, answers: Answers, **options: object) -> str:
    """The signature that makes a table reproducible: name, version, options, seed, replicates and n."""
    base = Signature(f"round-{name}", VERSION, tuple((key, str(value)) for key, value in options.items()))
    return str(
        base.with_(
            n=len(answers),
            items=answers.distinct("item"),
            sources=answers.distinct("source"),
            bootstrap=frame.replicates,
            clusters="sources",
            seed=frame.seed,
        )
    )


def source_codes(sources: Sequence[str]) -> Ints:
    """Integer code of each source from 0, in order of first occurrence."""
    code_by_source: dict[str, int] = {}
    return np.array([code_by_source.setdefault(source, len(code_by_source)) for source in sources], dtype=np.int64)


def estimate_shares(values: Mapping[str, Sequence[float]], sources: Sequence[str]) -> dict[str, Estimate]:
    """The share that each list makes of the answers, numbers from 0 to 1, with Wilson's interval on the effective
    number of answers: near 0 and 1 a bootstrap's interval is too narrow."""
    return {name: estimate_share(flags, sources) for name, flags in values.items()}


def estimate_means(frame: Frame, values: Mapping[str, Sequence[float]], sources: Sequence[str]) -> dict[str, Estimate]:
    """The mean of each non-empty list, one number per answer, with intervals that resample whole sources."""
    ones = np.ones(len(sources))
    ratios = {
        name: Statistic(np.column_stack([np.array(numbers, float), ones]), _ratio_of_sums)
        for name, numbers in values.items()
    }
    return estimate_statistics(ratios, source_codes(sources), replicates=frame.replicates, seed=frame.seed)


def estimate_mean(frame: Frame, values: Sequence[float], sources: Sequence[str]) -> Estimate:
    """The mean of one list, see `estimate_means`."""
    return estimate_means(frame, {"mean": values}, sources)["mean"]


def _ratio_of_sums(sums: Floats) -> Floats:
    return ratio_or_nan(sums[..., 0], sums[..., 1])

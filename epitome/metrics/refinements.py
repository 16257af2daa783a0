"""What refining brought: who meets the request after which draft, what it took, and what else moved.

The failure rate and the number of iterations are those of GTE (arXiv 2411.12460); a step that changes one attribute at
a time is PACO's (arXiv 2509.26435). Movement is measured as by the dependency study (MACSum, Figure 6): the CER of the
new draft against the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epitome.measures import Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.analyses import ChangedSample, dependency_table
from epitome.metrics.bootstrap import Number, ratio_bootstrap
from epitome.metrics.control_error_rate import EpsPolicy
from epitome.metrics.draws import Draws, mean_of, result_of

VERSION = "1"
NO_RANGE = "no requested attribute has a range"
ASKED, NOT_ASKED, LEFT = "asked", "not asked", "left its range"
"""Rows of the table of movement that take all steps together."""


@dataclass(frozen=True)
class MeasuredStep:
    """One draft. parent: the place of the draft that it changes, None for the first. measured: by attribute; distances:
    to the ranges, 0 inside, of the attributes that have one. tokens, cost: of this step, None where not counted."""

    parent: int | None
    asked_keys: tuple[str, ...]
    measured: Mapping[str, float | None]
    distances: Mapping[str, float]
    tokens: float | None = None
    cost: float | None = None

    @property
    def is_satisfied(self) -> bool | None:
        """Whether every attribute with a range is inside of it; None where none has one."""
        return all(distance == 0 for distance in self.distances.values()) if self.distances else None


@dataclass(frozen=True)
class RefinedSample:
    """The drafts of one sample. kept_index: the place of the one that is the output. values: what was requested, by
    attribute. calls: to the system that writes."""

    source: Hashable
    steps: tuple[MeasuredStep, ...]
    kept_index: int
    calls: int
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def first_step(self) -> MeasuredStep:
        return self.steps[0]

    @property
    def kept_step(self) -> MeasuredStep:
        return self.steps[self.kept_index]

    @property
    def tokens(self) -> float | None:
        return _add_known(step.tokens for step in self.steps)

    @property
    def cost(self) -> float | None:
        return _add_known(step.cost for step in self.steps)


def _add_known(numbers: Any) -> float | None:
    known = list(numbers)
    return None if None in known else float(sum(known))


def read_refined_sample(line: Mapping[str, Any], source: Hashable, told: Mapping[str, Any]) -> RefinedSample | None:
    """A sample from its stored steps (see `epitome.systems.refine.drafts.draft_as_json`) and the note about them in the
    output's decoding. line: has `steps`, `decoding` and `usage`. None where the output was not refined."""
    steps, note = line.get("steps") or (), line.get("decoding", {}).get("refine")
    if not steps or not note:
        return None
    requested = {key: value for key, value in told.items() if isinstance(value, str)}
    calls = int(line.get("usage", {}).get("calls", len(steps)))
    return RefinedSample(source, tuple(map(_read_step, steps)), note["kept_draft"] - 1, calls, requested)


def _read_step(step: Mapping[str, Any]) -> MeasuredStep:
    usage, measures = step["usage"], step["measures"]
    has_tokens = "prompt_tokens" in usage and "completion_tokens" in usage
    return MeasuredStep(
        parent=step["parent"] - 1 if step["parent"] else None,
        asked_keys=tuple(step["asked"]),
        measured={key: row.get("measured") for key, row in measures.items()},
        distances={key: row["distance"] for key, row in measures.items() if row.get("distance") is not None},
        tokens=usage["prompt_tokens"] + usage["completion_tokens"] if has_tokens else None,
        cost=usage.get("cost"),
    )


def summarize_refinement(
    samples: Sequence[RefinedSample], replicates: int = 1000, seed: int = 12345
) -> dict[str, Aggregate]:
    """failure_first, failure: share of samples with an attribute outside of its range, in the first draft and in the
    kept one; drafts, calls, tokens, cost: means per sample; cost_per_satisfied: the cost of all samples over the number
    of those that are satisfied. Samples without any range are left out of all but the means, and counted."""
    draws = Draws([sample.source for sample in samples], replicates, seed)
    per_sample: dict[str, Callable[[RefinedSample], Number]] = {
        "failure_first": lambda sample: _failure_of(sample.first_step),
        "failure": lambda sample: _failure_of(sample.kept_step),
        "drafts": lambda sample: float(len(sample.steps)),
        "calls": lambda sample: float(sample.calls),
        "tokens": lambda sample: _known_or_not(sample.tokens, "the system counts no tokens"),
        "cost": lambda sample: _known_or_not(sample.cost, "the system states no price"),
    }
    numbers = {
        name: mean_of(f"refine-{name}", VERSION, [number_of(sample) for sample in samples], draws)
        for name, number_of in per_sample.items()
    }
    return {**numbers, "cost_per_satisfied": _cost_per_satisfied(samples, draws)}


def _failure_of(step: MeasuredStep) -> Value:
    satisfied = step.is_satisfied
    return Value.none(NO_RANGE) if satisfied is None else Value.of(not satisfied)


def _known_or_not(number: float | None, reason: str) -> Value:
    return Value.none(reason) if number is None else Value.of(number)


def _cost_per_satisfied(samples: Sequence[RefinedSample], draws: Draws) -> Aggregate:
    """Only of samples with a range; undefined without a price and where nobody is satisfied."""
    indexes = [index for index, sample in enumerate(samples) if sample.kept_step.distances]
    chosen = [samples[index] for index in indexes]
    costs = [sample.cost for sample in chosen]
    satisfied = [float(bool(sample.kept_step.is_satisfied)) for sample in chosen]
    clusters = draws.of(indexes).clusters
    interval = ratio_bootstrap(costs, satisfied, clusters, draws.replicates, draws.seed)
    known = [cost for cost in costs if cost is not None]
    if not chosen:
        value = Value.none(NO_RANGE)
    elif len(known) < len(costs):
        value = Value.none("the system states no price")
    elif not any(satisfied):
        value = Value.none("no request is satisfied")
    else:
        value = Value.of(sum(known) / sum(satisfied))
    left_out = len(samples) - len(chosen)
    return result_of("refine-cost-per-satisfied", VERSION, value, interval, n=len(chosen), left_out=left_out)


@dataclass(frozen=True)
class Success:
    """How often the requests of one kind were met: in the first draft and in the kept one."""

    in_first: Aggregate
    in_output: Aggregate


def success_by_attribute(
    samples: Sequence[RefinedSample], keys: Sequence[str], replicates: int = 1000, seed: int = 12345
) -> dict[str, Success]:
    """Of each attribute: the share of samples whose draft is in its range, of those that have one."""
    draws = Draws([sample.source for sample in samples], replicates, seed)

    def share_of(key: str, steps: Sequence[MeasuredStep]) -> Aggregate:
        why = Value.none("it has no range here")
        values = [Value.of(step.distances[key] == 0) if key in step.distances else why for step in steps]
        return mean_of("refine-success", VERSION, values, draws, attribute=key)

    first_steps, kept_steps = [sample.first_step for sample in samples], [sample.kept_step for sample in samples]
    return {key: Success(share_of(key, first_steps), share_of(key, kept_steps)) for key in keys}


def success_by_combination(
    samples: Sequence[RefinedSample],
    name_of: Callable[[RefinedSample], str],
    replicates: int = 1000,
    seed: int = 12345,
) -> dict[str, Success]:
    """Of each combination of requested values: the share of samples that meet all ranges, most frequent first."""
    draws = Draws([sample.source for sample in samples], replicates, seed)
    indexes_by_name: dict[str, list[int]] = {}
    for index, sample in enumerate(samples):
        indexes_by_name.setdefault(name_of(sample), []).append(index)

    def share_of(name: str, indexes: Sequence[int], *, first: bool) -> Aggregate:
        steps = [samples[index].first_step if first else samples[index].kept_step for index in indexes]
        values = [_success_of(step.is_satisfied) for step in steps]
        return mean_of("refine-success", VERSION, values, draws.of(indexes), combination=name)

    return {
        name: Success(share_of(name, indexes, first=True), share_of(name, indexes, first=False))
        for name, indexes in sorted(indexes_by_name.items(), key=lambda item: (-len(item[1]), item[0]))
    }


def _success_of(satisfied: bool | None) -> Value:
    return Value.none(NO_RANGE) if satisfied is None else Value.of(satisfied)


def satisfied_by_draft(
    samples: Sequence[RefinedSample], replicates: int = 1000, seed: int = 12345
) -> list[tuple[int, Aggregate]]:
    """For each number of drafts, from 1 to the most that a sample has: the share of samples of which one of the first
    so many drafts meets all ranges."""
    draws = Draws([sample.source for sample in samples], replicates, seed)
    n_drafts = max((len(sample.steps) for sample in samples), default=0)

    def success_within(sample: RefinedSample, n: int) -> Value:
        reached = [step.is_satisfied for step in sample.steps[:n]]
        return _success_of(None if reached[0] is None else any(reached))

    return [
        (n, mean_of("refine-curve", VERSION, [success_within(sample, n) for sample in samples], draws, drafts=str(n)))
        for n in range(1, n_drafts + 1)
    ]


def measure_movement(
    samples: Sequence[RefinedSample],
    keys: Sequence[str],
    eps_policy: EpsPolicy,
    replicates: int = 1000,
    seed: int = 12345,
) -> dict[str, dict[str, Aggregate]]:
    """How far each attribute moved in a step: the mean of |new - old| / (old + epsilon) over steps.

    keys: the measured attributes, which are the columns. Rows: each attribute for the steps that asked for it alone;
    ASKED, over all steps, those in which the column's attribute was asked for; NOT_ASKED, the collateral, those in
    which it was not; LEFT, of these the share in which it was inside of its range before and outside after.
    """
    changes, flags_by_key = list[ChangedSample](), {key: list[tuple[Hashable, bool]]() for key in keys}
    for sample in samples:
        for step in sample.steps:
            if step.parent is not None:
                old_step = sample.steps[step.parent]
                changes += _changes_of(sample.source, old_step, step, keys)
                for key in keys:
                    if key not in step.asked_keys and old_step.distances.get(key) == 0 and key in step.distances:
                        flags_by_key[key].append((sample.source, step.distances[key] > 0))
    rows = dependency_table(changes, keys, eps_policy, replicates, seed)
    order = [*(key for key in keys if key in rows), *(row for row in (ASKED, NOT_ASKED) if row in rows)]
    table = {row: rows[row] for row in order}
    if any(flags_by_key.values()):
        table[LEFT] = {key: _share_that_left(key, flags, replicates, seed) for key, flags in flags_by_key.items()}
    return table


def _changes_of(
    source: Hashable, before: MeasuredStep, after: MeasuredStep, keys: Sequence[str]
) -> list[ChangedSample]:
    """One step as rows of the table."""

    def values_of(step: MeasuredStep, chosen: Sequence[str]) -> dict[str, Number]:
        return {key: step.measured.get(key) for key in chosen}

    by_row = {
        ASKED: [key for key in keys if key in after.asked_keys],
        NOT_ASKED: [key for key in keys if key not in after.asked_keys],
    }
    if len(after.asked_keys) == 1:
        by_row[after.asked_keys[0]] = list(keys)
    return [
        ChangedSample(row, source, values_of(before, chosen), values_of(after, chosen))
        for row, chosen in by_row.items()
        if chosen
    ]


def _share_that_left(key: str, flags: Sequence[tuple[Hashable, bool]], replicates: int, seed: int) -> Aggregate:
    draws = Draws([source for source, _flag in flags], replicates, seed)
    return mean_of("refine-left", VERSION, [Value.of(flag) for _source, flag in flags], draws, attribute=key)

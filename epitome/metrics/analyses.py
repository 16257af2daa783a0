"""Where control is hard and which attributes disturb each other: difficulty, dependency, change amplitude, and how
often each combination was asked for.

Definitions: Zhang et al., "MACSum: Controllable Summarization with Mixed Attributes", TACL 2023 (difficulty per value,
dependency between attributes, distribution of combinations); CCSBench, arXiv 2410.12601 (change amplitude, training
on one attribute or on all).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

from epitome.measures import Signature, Value
from epitome.metrics.aggregate import Aggregate
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED, Number
from epitome.metrics.control_error_rate import EpsPolicy, checked_policy, sample_errors
from epitome.metrics.draws import BY_SAMPLE, Draws, check_same_length, mean_of

VERSION = "1"
COMBINED = ("length", "extractiveness", "specificity")


def difficulty_by_value(
    errors: Sequence[Number],
    requested: Sequence[str],
    values: Sequence[str] | None = None,
    draws: Draws = BY_SAMPLE,
    **options: str,
) -> dict[str, Aggregate]:
    """Mean CER of one system for each requested value of one attribute (lower is better), with n and interval.

    errors: relative error per sample (undefined ones are left out and counted); requested: the attribute's value per
    sample; values: the order of the rows, including values no sample requests (undefined, n 0); default: order of first
    occurrence.
    options: go into the signature (attribute, eps_policy, profile). Raises ValueError when the counts differ and for a
    requested value that is not among `values`. The paper draws bars without printing their numbers (Figure 5).
    """
    check_same_length(errors, requested, "errors", "requested values")
    draws.check(len(errors))
    rows = list(dict.fromkeys(requested)) if values is None else list(values)
    if unknown := set(requested).difference(rows):
        raise ValueError(f"requested value {min(unknown)!r} is none of {', '.join(rows)}")
    aggregates = {}
    for value in rows:
        indexes = [index for index, request in enumerate(requested) if request == value]
        value_errors = [errors[index] for index in indexes]
        aggregates[value] = mean_of("difficulty", VERSION, value_errors, draws.of(indexes), value=value, **options)
    return aggregates


@dataclass(frozen=True)
class ChangedSample:
    """One sample before and after a request was changed in one attribute: f_r of both summaries of one system.

    attribute: the one that changed; source: of the sample; before, after: measure key -> value. code: how tables name
    the attribute, where it is none of those that they measure.
    """

    attribute: str
    source: Hashable
    before: Mapping[str, Number]
    after: Mapping[str, Number]
    code: str = ""


def dependency_table(
    changes: Sequence[ChangedSample],
    measured: Sequence[str],
    eps_policy: EpsPolicy = "release",
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> dict[str, dict[str, Aggregate]]:
    """Cell (changed attribute, measured attribute): mean CER of the new summary against the old one, with n.

    The old summary takes the place of the reference, so a cell says how far the measured attribute moved, not
    whether it moved well; the diagonal is the effect of the request itself. Rows in order of first occurrence. A value
    missing before or after leaves the sample out of the cell. Raises ValueError for a policy unknown or without an
    epsilon for a measure. Source: MACSum, Figure 6 (200 random samples a row).
    """
    policy = checked_policy(eps_policy)
    table: dict[str, dict[str, Aggregate]] = {}
    for row in dict.fromkeys(change.attribute for change in changes):
        chosen = [change for change in changes if change.attribute == row]
        draws = Draws([change.source for change in chosen], replicates, seed)
        table[row] = {column: _dependency_cell(chosen, row, column, policy, draws) for column in measured}
    return table


def _dependency_cell(
    chosen: Sequence[ChangedSample], row: str, column: str, eps_policy: EpsPolicy, draws: Draws
) -> Aggregate:
    new_values = [_to_value(change.after.get(column)) for change in chosen]
    old_values = [_to_value(change.before.get(column)) for change in chosen]
    errors = sample_errors(column, new_values, old_values, eps_policy)
    return mean_of("dependency", VERSION, errors, draws, changed=row, measured=column, eps_policy=eps_policy)


def _to_value(item: Number) -> Value:
    if isinstance(item, Value):
        return item
    return Value.none("not measured") if item is None else Value.of(item)


def change_amplitude(old_number: Number, new_number: Number) -> Value:
    """CA = |new - old| / |old| of a metric when one attribute's requests change (0 = no effect).

    n/a for old = 0. The paper divides by the metric itself; for negative metrics (a correlation, a difference of
    grades) the size is what we divide by, so that an amplitude is never negative.
    """
    old, new = _to_value(old_number), _to_value(new_number)
    if not old.defined or not new.defined:
        return Value.none(f"{'after' if old.defined else 'before'}: {new.undefined if old.defined else old.undefined}")
    if not float(old):
        return Value.none("the metric is 0 before the change")
    return Value.of(abs(float(new) - float(old)) / abs(float(old)))


def change_amplitudes(
    old_metrics: Mapping[str, Number], new_metrics: Mapping[str, Number], **options: str
) -> dict[str, tuple[Value, Signature]]:
    """CA of every metric of `old_metrics`, with its signature; options (changed attribute, n, seed) go into that.

    The paper changes 300 samples per attribute.
    """
    signature = Signature("change-amplitude", VERSION, tuple(options.items()))
    missing = Value.none("not measured after the change")
    return {
        name: (change_amplitude(value, new_metrics.get(name, missing)), signature.with_(metric=name))
        for name, value in old_metrics.items()
    }


@dataclass(frozen=True)
class Combination:
    """How often one combination of values was requested; code: first letters, such as snh; share: 0 to 1."""

    code: str
    values: tuple[str, ...]
    count: int
    share: Value


def combination_distribution(
    requests: Sequence[Mapping[str, str]],
    attributes: Sequence[str] = COMBINED,
    values: Mapping[str, Sequence[str]] | None = None,
) -> list[Combination]:
    """Combinations by falling count, equal ones in the order of their values (as MACSum's Figure 3).

    requests: one per sample; values: each attribute's values in order, so that combinations without samples are
    listed too; default: those that occur. A code has the first letter of each value, more letters where two values of
    one attribute begin alike. Raises ValueError for a request without the attribute or with another value.
    """
    for index, request in enumerate(requests):
        for attribute in attributes:
            allowed = None if values is None else values[attribute]
            if attribute not in request or (allowed is not None and request[attribute] not in allowed):
                raise ValueError(f"request {index}: {attribute} is {request.get(attribute)!r}, not one of {allowed}")
    counts = Counter(tuple(request[attribute] for attribute in attributes) for request in requests)
    columns = [
        list(values[attribute]) if values else list(dict.fromkeys(request[attribute] for request in requests))
        for attribute in attributes
    ]
    letters = [_shortest_prefixes(column) for column in columns]
    candidates = (
        list(product(*columns))
        if values
        else sorted(counts, key=lambda combination: _value_positions(columns, combination))
    )
    combinations = []
    for combination in sorted(candidates, key=lambda combination: -counts[combination]):
        code = "".join(letter[value] for letter, value in zip(letters, combination, strict=True))
        share = Value.of(counts[combination] / len(requests)) if requests else Value.none("no samples")
        combinations.append(Combination(code, combination, counts[combination], share))
    return combinations


def _value_positions(columns: Sequence[Sequence[str]], values: Sequence[str]) -> list[int]:
    return [column.index(value) for column, value in zip(columns, values, strict=True)]


def _shortest_prefixes(values: Sequence[str]) -> dict[str, str]:
    """value -> its prefix, all of the smallest length that distinguishes every value."""
    longest = max((len(value) for value in values), default=1)
    for size in range(1, longest + 1):
        prefixes = {value: value[:size] for value in values}
        if len(set(prefixes.values())) == len(prefixes):
            return prefixes
    return {value: value for value in values}


@dataclass(frozen=True)
class Composition:
    """A metric of a model trained on that attribute alone and of one trained on all at once."""

    single: Value
    compositional: Value
    difference: Value
    worse: bool | None


def single_vs_compositional(
    single: Mapping[str, Number],
    compositional: Mapping[str, Number],
    better: Mapping[str, Literal["higher", "lower"]],
) -> dict[str, Composition]:
    """Compositional minus single for every metric of `better`, which says in what direction it improves.

    A difference is undefined where either value is. Source: CCSBench, Table 4.
    """
    compositions = {}
    for name, direction in better.items():
        alone, together = _to_value(single.get(name)), _to_value(compositional.get(name))
        if alone.defined and together.defined:
            gap = float(together) - float(alone)
            compositions[name] = Composition(
                alone, together, Value.of(gap), gap < 0 if direction == "higher" else gap > 0
            )
            continue
        side, why = ("single", alone.undefined) if not alone.defined else ("compositional", together.undefined)
        compositions[name] = Composition(alone, together, Value.none(f"{side}: {why}"), None)
    return compositions

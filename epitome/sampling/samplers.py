"""The samplers: each fills one group with attribute values. `balanced`, which deals over all sources of a project,
is in planning.py."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from epitome.sampling.generator import Generator
from epitome.sampling.options import ResolvedOptions, SamplerError
from epitome.schema import Attribute, Schema, Weights, load_weights

Values = dict[str, str]
REDRAWS = 10
_BELOW_ONE = 1 - 2**-53


class GroupSampler(Protocol):
    def __call__(self, generator: Generator, size: int, *, no_topic: bool) -> list[Values]:
        """Values for each sample of one group."""


def fill_distinct(start: Sequence[Values], size: int, draw: Callable[[], Values]) -> list[Values]:
    """`start` extended to `size` by draws; a duplicate is redrawn up to 10 times, then accepted: a schema with few
    combinations cannot fill a large group without duplicates."""
    group = list(start[:size])
    while len(group) < size:
        values = draw()
        for _ in range(REDRAWS):
            if values not in group:
                break
            values = draw()
        group.append(values)
    return group


def _draw_uniform(generator: Generator, attributes: Sequence[Attribute]) -> Values:
    return {attribute.key: generator.pick(attribute.values) for attribute in attributes}


def uniform_sampler(schema: Schema, options: ResolvedOptions) -> GroupSampler:
    """Every attribute independent and uniform. Without replacement inside a group, so the marginals stay uniform."""

    def sample(generator: Generator, size: int, *, no_topic: bool) -> list[Values]:
        return fill_distinct([], size, lambda: _draw_uniform(generator, schema.sampled))

    return sample


def one_step_sampler(schema: Schema, options: ResolvedOptions) -> GroupSampler:
    """The group's first sample is drawn uniformly; each other differs from it in one attribute, drawn uniformly
    among those with more than one value, as is the new value."""
    movable = [attribute for attribute in schema.sampled if len(attribute.values) > 1]
    if not movable:
        raise SamplerError("algorithm", "one-step needs an attribute with at least two values")

    def step(generator: Generator, anchor: Values) -> Values:
        attribute = generator.pick(movable)
        others = [value for value in attribute.values if value != anchor[attribute.key]]
        return {**anchor, attribute.key: generator.pick(others)}

    def sample(generator: Generator, size: int, *, no_topic: bool) -> list[Values]:
        anchor = _draw_uniform(generator, schema.sampled)
        return fill_distinct([anchor], size, lambda: step(generator, anchor))

    return sample


def weighted_sampler(schema: Schema, options: ResolvedOptions) -> GroupSampler:
    """Every combination in proportion to the product of its values' weights: those of the options, else of the schema.

    A group is a systematic draw: equal steps from a random start along all combinations, arranged by their shares
    in a random order. So the weights hold exactly on average, unlike with redrawn duplicates, and a group has a
    duplicate only where a combination's share times the group's size is above 1.
    """
    weights = resolve_marginals(schema, options)

    def sample(generator: Generator, size: int, *, no_topic: bool) -> list[Values]:
        lots = [(attribute, generator.shuffled(attribute.values)) for attribute in generator.shuffled(schema.sampled)]
        start = generator.unit()
        points = generator.shuffled([(start + number) / size for number in range(size)])
        return [_combination_at(point, lots, weights, schema) for point in points]

    return sample


def _combination_at(
    point: float,
    lots: Sequence[tuple[Attribute, Sequence[str]]],
    weights: Mapping[str, Mapping[str, float]],
    schema: Schema,
) -> Values:
    """The combination at a point of [0, 1): the share the point falls into, attribute by attribute."""
    values: Values = {}
    for attribute, order in lots:
        shares = [weights[attribute.key][value] for value in order]
        total, low = sum(shares), 0.0
        for value, share in zip(order, shares, strict=True):
            width = share / total
            if width and (point < low + width or value == _last_weighted_value(order, shares)):
                values[attribute.key] = value
                point = min((point - low) / width, _BELOW_ONE)
                break
            low += width
    return {attribute.key: values[attribute.key] for attribute in schema.sampled}


def _last_weighted_value(order: Sequence[str], shares: Sequence[float]) -> str:
    """The last value with a weight: rounding may leave a point just above the sum of the shares."""
    return [value for value, share in zip(order, shares, strict=True) if share][-1]


def resolve_marginals(schema: Schema, options: ResolvedOptions) -> Mapping[str, Mapping[str, float]]:
    """attribute -> value -> weight that `weighted` draws by. Raises SamplerError when there are no weights."""
    option_weights = options.weights.marginals if options.weights else {}
    if not option_weights and not any(attribute.weights for attribute in schema.sampled):
        raise SamplerError("weights", "weighted needs weights: give a weights file, or weights in the schema")
    resolved = {}
    for sampled_attribute in schema.sampled:
        weights = (
            option_weights.get(sampled_attribute.key)
            or sampled_attribute.weights
            or dict.fromkeys(sampled_attribute.values, 1.0)
        )
        resolved[sampled_attribute.key] = {value: weights.get(value, 0.0) for value in sampled_attribute.values}
    return resolved


def macsum_release_sampler(schema: Schema, options: ResolvedOptions) -> GroupSampler:
    """The design of the released dataset: a group without topic has the opening samples of the weights file; every
    other group has the anchor and then variants, drawn by weight. The anchor of values without an order is drawn anew
    for each group."""
    weights = _release_weights(schema, options)
    shares = [variant.weight for variant in weights.variants]

    def variant(generator: Generator) -> Values:
        drawn = generator.pick_weighted(weights.variants, shares).values
        return {
            attribute.key: drawn.get(attribute.key) or generator.pick(attribute.values) for attribute in schema.sampled
        }

    def sample(generator: Generator, size: int, *, no_topic: bool) -> list[Values]:
        anchors = {attribute.key: attribute.anchor or generator.pick(attribute.values) for attribute in schema.sampled}
        starts = weights.opening if no_topic and weights.opening else [weights.anchor]
        return fill_distinct([{**anchors, **values} for values in starts], size, lambda: variant(generator))

    return sample


def _release_weights(schema: Schema, options: ResolvedOptions) -> Weights:
    weights = options.weights
    if weights is None and options.grouping.weights:
        weights = load_weights(options.grouping.weights, schema)
    if weights is None or not weights.variants:
        raise SamplerError("weights", "macsum-release needs a weights file with [release] variants")
    return weights


SAMPLERS: Mapping[str, Callable[[Schema, ResolvedOptions], GroupSampler]] = {
    "uniform": uniform_sampler,
    "one-step": one_step_sampler,
    "macsum-release": macsum_release_sampler,
    "weighted": weighted_sampler,
}

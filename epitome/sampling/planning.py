"""Draws the samples of one source, or of all sources of a project."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from epitome.sampling.generator import Generator, order_key
from epitome.sampling.options import ResolvedOptions, SamplerError, SamplerOptions
from epitome.sampling.plans import GroupShape, SourcePlan, Values, assemble_plan, layout_groups
from epitome.sampling.samplers import SAMPLERS, GroupSampler
from epitome.schema import Schema

MAX_COMBINATIONS = 100_000


def plan_source(external_id: str, n_words: int, schema: Schema, options: SamplerOptions) -> SourcePlan:
    """The groups and samples of one source: determined by seed, algorithm, version and external id, independent
    of other sources. Raises SamplerError for `balanced`, which needs the whole project."""
    resolved = options.resolved(schema)
    if resolved.grouping.algorithm not in SAMPLERS:
        raise SamplerError("algorithm", f"{resolved.grouping.algorithm} deals over all sources; use plan_project")
    sampler = SAMPLERS[resolved.grouping.algorithm](schema, resolved)
    return _build_source_plan(external_id, n_words, schema, resolved, sampler)


def plan_project(sources: Iterable[tuple[str, int]], schema: Schema, options: SamplerOptions) -> list[SourcePlan]:
    """A plan for every (external id, words), in the given order; it does not affect the draws. Raises SamplerError."""
    sources = list(sources)
    ids = {external_id for external_id, _ in sources}
    if len(ids) != len(sources):
        raise SamplerError("sources", "an external id stands twice")
    resolved = options.resolved(schema)
    if resolved.grouping.algorithm == "balanced":
        return _plan_balanced(sources, schema, resolved)
    sampler = SAMPLERS[resolved.grouping.algorithm](schema, resolved)
    return [_build_source_plan(external_id, n_words, schema, resolved, sampler) for external_id, n_words in sources]


def draw_order(external_ids: Iterable[str], schema: Schema, options: SamplerOptions) -> list[str]:
    """The order in which a limited draw takes the sources: seeded, whatever order they come in. Raises SamplerError.

    `balanced` deals in this order, so that each beginning of it is balanced too. Otherwise the place of a source
    depends on seed, sampler and its id alone: a later draw continues where this one ended, also with more sources.
    """
    resolved = options.resolved(schema)
    if resolved.grouping.algorithm == "balanced":
        return Generator(resolved.seed, resolved.sampler).shuffled(sorted(external_ids))
    return sorted(external_ids, key=lambda external_id: order_key(resolved.seed, resolved.sampler, external_id))


def take_within(plans: Iterable[SourcePlan], most: int) -> Iterator[SourcePlan]:
    """The first plans that have at most `most` samples together. Ends at the first source that does not fit: to look
    for a smaller one behind it would prefer short sources."""
    remaining = most
    for plan in plans:
        remaining -= len(plan.samples)
        if remaining < 0:
            return
        yield plan


def _build_source_plan(
    external_id: str, n_words: int, schema: Schema, options: ResolvedOptions, sampler: GroupSampler
) -> SourcePlan:
    generator = Generator(options.seed, options.sampler, external_id)
    shapes = layout_groups(n_words, schema, options)
    drawn = [(shape, sampler(generator, shape.size, no_topic=shape.no_topic)) for shape in shapes]
    return assemble_plan(external_id, n_words, schema, options, drawn)


def _plan_balanced(sources: Sequence[tuple[str, int]], schema: Schema, options: ResolvedOptions) -> list[SourcePlan]:
    """Every combination equally often over these sources: counts differ by at most one. The sources are processed
    in a seeded permutation of their sorted ids."""
    words = dict(sources)
    generator = Generator(options.seed, options.sampler)
    deck = Deck(schema, generator)
    plans: dict[str, SourcePlan] = {}
    for external_id in generator.shuffled(sorted(words)):
        shapes = layout_groups(words[external_id], schema, options)
        drawn = [(shape, deck.deal(shape)) for shape in shapes]
        plans[external_id] = assemble_plan(external_id, words[external_id], schema, options, drawn)
    return [plans[external_id] for external_id, _ in sources]


class Deck:
    """All combinations, reshuffled each time they have all been dealt."""

    def __init__(self, schema: Schema, generator: Generator) -> None:
        keys = [attribute.key for attribute in schema.sampled]
        size = 1
        for attribute in schema.sampled:
            size *= len(attribute.values)
        if size > MAX_COMBINATIONS:
            raise SamplerError("algorithm", f"balanced cannot deal {size} combinations; the most is {MAX_COMBINATIONS}")
        values = product(*(attribute.values for attribute in schema.sampled))
        self._all = [dict(zip(keys, combination, strict=True)) for combination in values]
        self._generator = generator
        self._left: list[Values] = []

    def deal(self, shape: GroupShape) -> list[Values]:
        """The next combinations, without duplicates in a group as long as there are enough. Skipped ones stay on top:
        they are skipped only right after a shuffle, so no combination falls behind by more than one."""
        group: list[Values] = []
        while len(group) < shape.size:
            if not self._left:
                self._left = self._generator.shuffled(self._all)
            index = next((at for at, values in enumerate(self._left) if values not in group), 0)
            group.append(self._left.pop(index))
        return group

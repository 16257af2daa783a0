"""Sampling plans of a source: groups of samples with their values, before anything is stored."""

from dataclasses import dataclass

from epitome.sampling.options import ResolvedOptions
from epitome.schema import Grouping, Schema

Values = dict[str, str]


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """One sample. position: from 0 over the whole source."""

    position: int
    values: Values
    combination: str


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """Samples that share topics and speakers. position: from 0 in the source. asks: the attributes a person chooses
    for the group, in schema order. asks_topic: whether topics are among them."""

    position: int
    asks: tuple[str, ...]
    asks_topic: bool
    samples: list[SamplePlan]


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """The groups of one source. sampler: algorithm@version."""

    external_id: str
    n_words: int
    sampler: str
    seed: int
    groups: list[GroupPlan]

    @property
    def samples(self) -> list[SamplePlan]:
        return [sample for group in self.groups for sample in group.samples]


@dataclass(frozen=True, slots=True)
class GroupShape:
    """A group before its values are drawn."""

    asks: tuple[str, ...]
    size: int
    no_topic: bool


def sample_budget(n_words: int, per_2000_words: float = 8.0) -> int:
    """How many samples a source of n_words white-space words gets: max(1, round(8 words / 2000)).

    round() is Python's: a half goes to the even neighbour, so 625 words (2.5) give 2 samples and 875 (3.5) give 4.
    """
    return max(1, round(Grouping(per_2000_words=per_2000_words).budget(n_words)))


def layout_groups(n_words: int, schema: Schema, options: ResolvedOptions) -> list[GroupShape]:
    """The groups of a source of n_words white-space words.

    Without whole groups their sizes add up to the source's budget (`sample_budget`), so the last may be shorter; the
    no-topic group, if any, comes first, and a source with few samples may have no other. With whole groups no group is
    cut: the no-topic group has all its samples, and max(1, round((budget - its size) / group_size)) groups follow, of
    the budget before rounding (a half to the even neighbour). A number of samples per source is exact: its last group
    may be cut. A schema without keywords has no no-topic group.
    """
    grouping = options.grouping
    whole_groups = grouping.whole_groups and grouping.per_source is None
    budget = grouping.budget(n_words)
    remaining = max(1, round(budget))
    all_keys = tuple(attribute.key for attribute in schema.chosen)
    without_topic = tuple(attribute.key for attribute in schema.chosen if not attribute.traits.picks_topics)
    shapes: list[GroupShape] = []
    if grouping.no_topic_group and without_topic != all_keys:
        size = grouping.no_topic_size if whole_groups else min(remaining, grouping.no_topic_size)
        shapes.append(GroupShape(without_topic, size, no_topic=True))
        remaining -= size
    if whole_groups:
        left = budget - sum(shape.size for shape in shapes)
        remaining = max(1, round(left / grouping.group_size)) * grouping.group_size
    while remaining > 0:
        size = min(remaining, grouping.group_size)
        shapes.append(GroupShape(all_keys, size, no_topic=False))
        remaining -= size
    return shapes


def assemble_plan(
    external_id: str,
    n_words: int,
    schema: Schema,
    options: ResolvedOptions,
    drawn: list[tuple[GroupShape, list[Values]]],
) -> SourcePlan:
    """Number the groups and samples of a source and give them their codes."""
    topics = {attribute.key for attribute in schema.chosen if attribute.traits.picks_topics}
    groups: list[GroupPlan] = []
    position = 0
    for shape, members in drawn:
        samples = []
        for values in members:
            samples.append(SamplePlan(position, values, schema.combination_code(values)))
            position += 1
        groups.append(GroupPlan(len(groups), shape.asks, bool(topics.intersection(shape.asks)), samples))
    return SourcePlan(external_id, n_words, options.sampler, options.seed, groups)

"""Which items people see: all, those of samples drawn at random, or those of the first sources of a fixed order."""

from collections.abc import Sequence
from dataclasses import dataclass

from epitome.rounds.config import RoundConfig
from epitome.rounds.plans import PlannedItem
from epitome.sampling.generator import Generator


@dataclass(frozen=True)
class PeopleItems:
    """numbers: of the items that people see, in order. chance: with which each real item was drawn.

    sources: of rounds that may stop, all sources in the order in which results are looked at; else empty.
    """

    numbers: tuple[int, ...]
    chance: float
    sources: tuple[str, ...] = ()


def list_units(items: Sequence[PlannedItem]) -> list[str]:
    """The samples of the real items, sorted: items of one sample are shown to people together, or not at all."""
    return sorted({item.sample for item in items if item.is_real})


def draw_people_items(config: RoundConfig, items: Sequence[PlannedItem]) -> PeopleItems:
    """From the seed alone, all samples (or sources) equally likely. items: the real ones."""
    if config.stopping.looks:
        return _take_sources(config, items)
    units = list_units(items)
    n = config.selection.for_people.count_of(len(units))
    chosen = frozenset(Generator(config.seed, "people@1").shuffled(units)[:n])
    return PeopleItems(tuple(index for index, item in enumerate(items) if item.sample in chosen), n / len(units))


def _take_sources(config: RoundConfig, items: Sequence[PlannedItem]) -> PeopleItems:
    """Whole sources in random order, as many as the round may take at most."""
    order = Generator(config.seed, "looks@1").shuffled(sorted({item.source for item in items}))
    n = min(config.stopping.maximum or len(order), len(order))
    first = frozenset(order[:n])
    numbers = tuple(index for index, item in enumerate(items) if item.source in first)
    return PeopleItems(numbers, n / len(order), tuple(order))

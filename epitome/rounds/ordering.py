"""Orders the items of one rater: items of a source far apart, every target equally often early and late."""

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from typing import TypeVar

from epitome.sampling.generator import Generator

Source = TypeVar("Source", bound=Hashable)
Thing = TypeVar("Thing", bound=Hashable)


def reachable_distance(sources: Sequence[Source], apart: int) -> int:
    """The greatest distance, up to `apart`, at which the items of every source can be kept.

    With m items of the busiest source and k sources that have as many, a distance of d needs (m - 1) * d + k places.
    """
    counts: defaultdict[Source, int] = defaultdict(int)
    for source in sources:
        counts[source] += 1
    top_count = max(counts.values(), default=1)
    if top_count <= 1:
        return apart
    as_many = sum(1 for count in counts.values() if count == top_count)
    return max(1, min(apart, (len(sources) - as_many) // (top_count - 1)))


def spaced_order(sources: Sequence[Source], apart: int, generator: Generator) -> list[int]:
    """Positions of `sources` in a random order in which equal sources are at least `apart` positions apart.

    Where that is impossible, the least recently used source comes next. Otherwise the source with the most remaining
    items goes first, ties are broken at random.
    """
    remaining: dict[Source, deque[int]] = {}
    for index in generator.shuffled(range(len(sources))):
        remaining.setdefault(sources[index], deque()).append(index)
    last: dict[Source, int] = {}
    order: list[int] = []
    by_count: defaultdict[int, list[Source]] = defaultdict(list)
    for source, places in remaining.items():
        by_count[len(places)].append(source)
    while len(order) < len(sources):
        source = _next_source(by_count, last, len(order), apart, generator)
        by_count[len(remaining[source])].remove(source)
        order.append(remaining[source].popleft())
        last[source] = len(order) - 1
        if remaining[source]:
            by_count[len(remaining[source])].append(source)
    return order


def _next_source(
    by_count: dict[int, list[Source]], last: dict[Source, int], now: int, apart: int, generator: Generator
) -> Source:
    for count in sorted((count for count, rows in by_count.items() if rows), reverse=True):
        rows = by_count[count]
        # Try a few random picks first: in a large round nearly all are far enough apart.
        for _try in range(8):
            source = generator.pick(rows)
            if now - last.get(source, -apart) >= apart:
                return source
        eligible = [source for source in rows if now - last.get(source, -apart) >= apart]
        if eligible:
            return generator.pick(eligible)
    waiting = [source for rows in by_count.values() for source in rows]
    return min(waiting, key=lambda source: last.get(source, -apart))


def latin_square(things: Sequence[Thing], generator: Generator) -> list[list[Thing]]:
    """A Latin square: every thing once in each row and in each column; rows, columns and names in random order."""
    names = generator.shuffled(things)
    size = len(names)
    rows = generator.shuffled(range(size))
    columns = generator.shuffled(range(size))
    return [[names[(row + column) % size] for column in columns] for row in rows]


def balanced_rows(count: int, things: Sequence[Thing], generator: Generator) -> list[list[Thing]]:
    """`count` orders of the things: in every len(things) of them each thing is once first, once second, and so on."""
    orders: list[list[Thing]] = []
    while len(orders) < count:
        orders += latin_square(things, generator)
    return orders[:count]


def random_halves(count: int, generator: Generator) -> list[int]:
    """`count` ones and twos in random order, as balanced as possible."""
    return generator.shuffled([1 + index % 2 for index in range(count)])

"""The orders of items that raters follow: one lane for each rating of an item."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from epitome.rounds.answer_texts import order_number
from epitome.rounds.config import RoundConfig
from epitome.rounds.ordering import balanced_rows, random_halves, reachable_distance, spaced_order
from epitome.rounds.plans import Lane, PlannedItem
from epitome.sampling.generator import Generator


def build_lanes(
    config: RoundConfig, items: Sequence[PlannedItem], numbers: Sequence[int], sources: Sequence[str] = ()
) -> tuple[tuple[Lane, ...], int]:
    """The lanes over the items with these numbers, and how far items of one source are apart in them.

    sources: the order in which sources are to be complete, of rounds that may stop; else empty.
    """
    place_of = {number: index for index, number in enumerate(numbers)}
    shown_items = [replace(items[number], repeats=place_of.get(items[number].repeats)) for number in numbers]  # type: ignore[arg-type]
    lane_numbers = range(1, config.raters_per_item + 1)
    if sources:
        lanes = [_build_source_lane(config, shown_items, number, sources) for number in lane_numbers]
        apart = min(config.apart, *(_measure_distance(shown_items, lane) for lane in lanes))
    else:
        apart = reachable_distance([item.source for item in shown_items], config.apart)
        lanes = [_build_lane(config, shown_items, number, apart) for number in lane_numbers]
    return tuple(_renumber_lane(lane, numbers, len(items)) for lane in lanes), apart


def _renumber_lane(lane: Lane, numbers: Sequence[int], n_items: int) -> Lane:
    """The lane in terms of all items; those that people do not see have no place."""
    repeats_left = [1] * n_items
    for index, number in enumerate(numbers):
        repeats_left[number] = lane.left[index]
    return Lane(tuple(numbers[position] for position in lane.order), tuple(repeats_left))


def _build_source_lane(config: RoundConfig, items: Sequence[PlannedItem], number: int, sources: Sequence[str]) -> Lane:
    """An order in which one source after the other becomes complete.

    Sources are taken in blocks; a block's sources come in turn, each with one item, until all its items are placed: so
    items of a source are a block apart. Foils and repeats are strewn in, repeats well after their originals.
    """
    generator = Generator(config.seed, "source-lane@1", number)
    real = [position for position, item in enumerate(items) if item.is_real]
    in_sources = _order_in_sources([items[position] for position in real], generator)
    order: list[int] = []
    for block in _cut_blocks([source for source in sources if source in in_sources], config.apart):
        for turn in range(max(len(in_sources[source]) for source in block)):
            order += [real[in_sources[source][turn]] for source in block if turn < len(in_sources[source])]
    extra = [position for position, item in enumerate(items) if not (item.is_real or item.is_repeat)]
    for index in (*extra, *(position for position, item in enumerate(items) if item.is_repeat)):
        original = items[index].repeats
        lowest = 0 if original is None else min(len(order), order.index(original) + config.apart)
        order.insert(lowest + generator.below(len(order) - lowest + 1), index)
    return Lane(tuple(order), tuple(_left_texts(config, items, number)))


def _cut_blocks(sources: Sequence[str], size: int) -> list[Sequence[str]]:
    """The sources in blocks of `size`, the last one larger rather than smaller."""
    n_blocks = max(1, len(sources) // size)
    ends = [size * number for number in range(n_blocks)] + [len(sources)]
    return [sources[start:end] for start, end in pairwise(ends)]


def _measure_distance(items: Sequence[PlannedItem], lane: Lane) -> int:
    """The least distance of two items of one source."""
    last: dict[str, int] = {}
    nearest = len(items)
    for position, index in enumerate(lane.order):
        source = items[index].source
        if source in last:
            nearest = min(nearest, position - last[source])
        last[source] = position
    return max(1, nearest)


def _build_lane(config: RoundConfig, items: Sequence[PlannedItem], number: int, apart: int) -> Lane:
    """An order of all items, and the sides of pairs, which are swapped in even lanes."""
    generator = Generator(config.seed, "lane@1", number)
    places = spaced_order([item.source for item in items], apart, generator)
    places_by_source = _order_in_sources(items, generator)
    n_placed: defaultdict[str, int] = defaultdict(int)
    order = []
    for index in places:
        source = items[index].source
        order.append(places_by_source[source][n_placed[source]])
        n_placed[source] += 1
    return Lane(tuple(order), tuple(_left_texts(config, items, number)))


def _order_in_sources(items: Sequence[PlannedItem], generator: Generator) -> dict[str, list[int]]:
    """Source -> places of its items in the order in which they come: targets by a Latin square over sources."""
    cells = sorted({item.cell for item in items})
    sources = generator.shuffled(sorted({item.source for item in items}))
    rows = dict(zip(sources, balanced_rows(len(sources), cells, generator), strict=True))
    places_by_source: defaultdict[str, list[int]] = defaultdict(list)
    for index in sorted(range(len(items)), key=lambda place: _rank_in_source(items[place], rows, generator.unit())):
        places_by_source[items[index].source].append(index)
    return places_by_source


def _rank_in_source(item: PlannedItem, rows: Mapping[str, Sequence[str]], chance: float) -> tuple[float, float]:
    """Sort key of an item among those of its source: by its target's position in a Latin square, foils at random
    positions, repeats last."""
    row = rows[item.source]
    if item.is_real:
        return row.index(item.cell), chance
    return (len(row), chance) if item.is_repeat else (chance * len(row) - 0.5, chance)


def _left_texts(config: RoundConfig, items: Sequence[PlannedItem], number: int) -> list[int]:
    """How the texts of every item are ordered, see `questions.text_order`; of two, which is on the left."""
    if config.form == "single":
        return [1] * len(items)
    if config.form == "list":
        return _list_orders(config, items, number)
    return _left_sides(config, items, number)


def _list_orders(config: RoundConfig, items: Sequence[PlannedItem], number: int) -> list[int]:
    """Orders of the texts of lists: every target equally often in every place, and in another one in the next lane. A
    repeat has the order of its original reversed."""
    texts = range(1, config.n_texts + 1)
    rows = iter(balanced_rows(len(items), texts, Generator(config.seed, "orders@1")))
    orders: list[tuple[int, ...]] = []
    for item in items:
        row = next(rows)
        turn = (number - 1) % len(row)
        orders.append(tuple(row[turn:] + row[:turn]))
        if item.repeats is not None:
            orders[-1] = orders[item.repeats][::-1]
    return [order_number(order) for order in orders]


def _left_sides(config: RoundConfig, items: Sequence[PlannedItem], number: int) -> list[int]:
    """Which of two texts is on the left: each half of the time, within every pair of targets. A repeat has the sides of
    its original swapped, which reveals a preference for one side."""
    left_texts = [1] * len(items)
    by_cell: defaultdict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if not item.is_repeat:
            by_cell[item.cell].append(index)
    for cell in sorted(by_cell):
        sides = random_halves(len(by_cell[cell]), Generator(config.seed, "sides@1", cell))
        for index, side in zip(by_cell[cell], sides, strict=True):
            left_texts[index] = side if number % 2 else 3 - side
    for index, item in enumerate(items):
        if item.repeats is not None:
            left_texts[index] = 3 - left_texts[item.repeats]
    return left_texts

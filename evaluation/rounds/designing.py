"""From a configuration and the samples there are to the list of items and the order in which raters meet them.

Only the seed and the samples decide: the same in every process and under every hash seed. Nothing here reads a text;
what must be known of texts is asked of `Facts`.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from typing import Any, Literal, Protocol

from annotation.sampling.generator import Generator
from evaluation.rounds.config import RoundConfig, Target
from evaluation.rounds.ordering import balanced_rows, halves, reachable, spaced
from evaluation.rounds.selecting import Candidate, NotEnough, is_empty, select

ItemKind = Literal["real", "other-source", "paraphrase", "absent", "repeat"]
FOILS: tuple[ItemKind, ...] = ("other-source", "paraphrase", "absent")
TRIES = 400
"""How many combinations are looked at for one foil before it is given up."""


class Facts(Protocol):
    """What is known of texts. target: a target's key, sample: a candidate's key."""

    def copied(self, target: str, sample: str) -> float:
        """The share of the summary's n-grams that stand in the source, 0 to 1."""
        ...

    def mentions(self, target: str, sample: str, words: Sequence[str], *, source: str | None = None) -> bool:
        """Whether one of the words stands in a target's summary of a sample, or in the source of sample `source`."""
        ...


@dataclass(frozen=True)
class Shown:
    """A text to show: what a target wrote for a sample."""

    target: str
    sample: str


@dataclass(frozen=True)
class PlannedItem:
    """One thing to be shown. sample: whose source is shown. request: what the page says was asked for. texts: one or
    two; the first is called 1, the second 2, wherever they stand. expected: of foils, question -> the right answer.
    repeats: the number of the item that this one repeats. labelled: of pairs by value, which text was asked for more.
    """

    kind: ItemKind
    sample: str
    source: str
    domain: str
    request: Mapping[str, object]
    texts: tuple[Shown, ...]
    questions: tuple[str, ...]
    expected: Mapping[str, str] = field(default_factory=dict)
    repeats: int | None = None
    labelled: int = 0

    @property
    def cell(self) -> str:
        """What is balanced over positions: the target, or both of a pair."""
        return " / ".join(each.target for each in self.texts)


@dataclass(frozen=True)
class Lane:
    """What one rater at a time goes through. order: numbers of items; left: of each item, which text stands left."""

    order: tuple[int, ...]
    left: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """apart: how far the items of one source lie from each other in every lane; less than asked for in small rounds."""

    items: tuple[PlannedItem, ...]
    lanes: tuple[Lane, ...]
    apart: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "items": [asdict(one) for one in self.items],
            "lanes": [asdict(lane) for lane in self.lanes],
            "apart": self.apart,
        }

    def hash(self, text_hashes: Mapping[tuple[str, str], str] | None = None) -> str:
        """SHA-256 over items, orders and (where given) the hashes of the texts by (target, sample)."""
        told = self.as_dict()
        if text_hashes is not None:
            told["texts"] = [[text_hashes[each.target, each.sample] for each in one.texts] for one in self.items]
        return hashlib.sha256(json.dumps(told, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def plan(config: RoundConfig, pools: Mapping[str, Sequence[Candidate]], facts: Facts) -> Plan:
    """The items and lanes of a round. pools: target key -> the samples it has a text for. Raises NotEnough."""
    drawn = _draw(config, pools)
    items = _real(config, drawn)
    if not items:
        raise NotEnough("no item comes about", found=0, wanted=1)
    items += _foils(config, pools, drawn, facts)
    items += _repeats(config, items)
    apart = reachable([one.source for one in items], config.apart)
    lanes = tuple(_lane(config, items, number, apart) for number in range(1, config.raters_per_item + 1))
    return Plan(tuple(items), lanes, apart)


def _draw(config: RoundConfig, pools: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Candidate]]:
    """target key -> its samples."""
    attributes = config.asked_attributes
    keys = [target.key for target in config.targets]
    if config.pairs.by == "value" and config.form == "pair":
        return {key: list(pools[key]) for key in keys}
    if config.selection.draw == "independent":
        return {
            key: select(pools[key], config.selection, seed=config.seed, attributes=attributes, label=key)
            for key in keys
        }
    common = set.intersection(*({one.key for one in pools[key]} for key in keys))
    pool = [one for one in pools[keys[0]] if one.key in common]
    drawn = select(pool, config.selection, seed=config.seed, attributes=attributes)
    return dict.fromkeys(keys, drawn)


def asked(config: RoundConfig, request: Mapping[str, object]) -> tuple[str, ...]:
    """The questions of an item: an attribute that asks for nothing is not asked about."""
    return tuple(one.key for one in config.questions if not one.attribute or not is_empty(request.get(one.attribute)))


def _real(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    if config.form == "pair":
        return _pairs_by_value(config, drawn) if config.pairs.by == "value" else _pairs_by_target(config, drawn)
    found = []
    for target in config.targets:
        samples = drawn[target.key]
        requests = _exchanged(config, target, samples)
        for one, request in zip(samples, requests, strict=True):
            found.append(_item(config, one, request, (Shown(target.key, one.key),)))
    return found


def _item(
    config: RoundConfig, one: Candidate, request: Mapping[str, object], texts: tuple[Shown, ...], **more: Any
) -> PlannedItem:
    return PlannedItem(
        kind=more.pop("kind", "real"),
        sample=one.key,
        source=one.source,
        domain=one.domain,
        request=dict(request),
        texts=texts,
        questions=asked(config, request),
        **more,
    )


def _exchanged(config: RoundConfig, target: Target, samples: Sequence[Candidate]) -> list[Mapping[str, object]]:
    """The request shown with each sample: its own, or for a baseline without control that of another sample. The
    exchange is a round dance within each domain, so that every request is shown exactly once."""
    if not target.no_control:
        return [one.request for one in samples]
    found: dict[str, Mapping[str, object]] = {}
    for domain in sorted({one.domain for one in samples}):
        own = [one for one in samples if one.domain == domain]
        if len(own) < 2:
            raise NotEnough(f"a baseline without control needs 2 samples in {domain}", found=len(own), wanted=2)
        dance = Generator(config.seed, "no-control@1", domain).shuffled(own)
        for one, other in zip(dance, [*dance[1:], dance[0]], strict=True):
            found[one.key] = other.request
    return [found[one.key] for one in samples]


def _pairs_by_target(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    found = []
    for first, second in combinations([target.key for target in config.targets], 2):
        both = {one.key for one in drawn[second]}
        for one in drawn[first]:
            if one.key in both:
                found.append(_item(config, one, one.request, (Shown(first, one.key), Shown(second, one.key))))
    return found


def _pairs_by_value(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    """For each target, n sources per domain with two samples that were asked for different values."""
    key = config.pairs.attribute
    found: list[PlannedItem] = []
    for target in config.targets:
        by_source: defaultdict[str, list[Candidate]] = defaultdict(list)
        for one in sorted(drawn[target.key], key=lambda one: one.key):
            by_source[one.source].append(one)
        couples = [
            couple
            for source in sorted(by_source)
            if (couple := _couple(by_source[source], key, Generator(config.seed, "pairs@1", source))) is not None
        ]
        for domain in sorted({first.domain for first, _second in couples}) or [""]:
            own = [each for each in couples if each[0].domain == domain]
            order = Generator(config.seed, "couples@1", domain).shuffled(own)[: config.selection.n]
            if len(order) < config.selection.n:
                raise NotEnough(
                    f"{len(order)} sources of {target.key} have two values of {key}, {config.selection.n} are needed",
                    found=len(order),
                    wanted=config.selection.n,
                )
            for first, second in order:
                texts = (Shown(target.key, first.key), Shown(target.key, second.key))
                found.append(_item(config, first, {}, texts, labelled=2))
    return found


def _couple(own: Sequence[Candidate], key: str, generator: Generator) -> tuple[Candidate, Candidate] | None:
    """Two samples of one source with different values, the usual value first where names tell ("normal" < "high")."""
    order = generator.shuffled(own)
    for first, second in combinations(order, 2):
        one, other = str(first.request.get(key)), str(second.request.get(key))
        if one != other and not is_empty(first.request.get(key)) and not is_empty(second.request.get(key)):
            return (first, second) if one == "normal" or (other != "normal" and one < other) else (second, first)
    return None


def _foils(
    config: RoundConfig,
    pools: Mapping[str, Sequence[Candidate]],
    drawn: Mapping[str, Sequence[Candidate]],
    facts: Facts,
) -> list[PlannedItem]:
    """Items to which only one answer can be right."""
    if not config.quality.foils:
        return []
    targets = [target.key for target in config.targets if not target.no_control]
    if not targets:
        raise NotEnough("foils need a target that is shown with its own request", found=0, wanted=1)
    shown = {one.key for rows in drawn.values() for one in rows}
    pool = {key: sorted(pools[key], key=lambda one: (one.key in shown, one.key)) for key in targets}
    used: set[str] = set()
    found = [_other_source(config, pool, facts, number, used) for number in range(config.quality.other_source)]
    found += [_paraphrase(config, pool, facts, number, used) for number in range(config.quality.paraphrase)]
    return found + [_absent(config, pool, facts, number) for number in range(len(config.quality.absent))]


def _picked(config: RoundConfig, request: Mapping[str, object]) -> dict[str, list[str]]:
    """question -> what it asks the summary to be about, of attributes that people pick."""
    found = {}
    for one in config.questions:
        value = request.get(one.attribute) if one.attribute and one.type == "yes-no" else None
        if isinstance(value, list | tuple) and value:
            found[one.key] = [str(each) for each in value]
    return found


def _other_source(
    config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int, used: set[str]
) -> PlannedItem:
    """A summary of another source, which names nothing of what is asked for."""
    generator = Generator(config.seed, "foil@1", "other-source", number)
    for _try in range(TRIES):
        target = generator.pick(sorted(pool))
        one, other = generator.pick(pool[target]), generator.pick(pool[target])
        wanted = _picked(config, one.request)
        if not wanted or one.source == other.source or one.key in used or one.domain != other.domain:
            continue
        if any(facts.mentions(target, other.key, words) for words in wanted.values()):
            continue
        used.add(one.key)
        return _item(
            config,
            one,
            one.request,
            (Shown(target, other.key),),
            kind="other-source",
            expected=dict.fromkeys(wanted, "no"),
        )
    raise NotEnough("no foil of another source comes about: samples that ask for topics are needed", found=0, wanted=1)


def _paraphrase(
    config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int, used: set[str]
) -> PlannedItem:
    """A summary with almost nothing copied, under the request to copy everything."""
    generator = Generator(config.seed, "foil@1", "paraphrase", number)
    keys = [one.key for one in config.questions if one.attribute == "extractiveness" and one.type == "yes-no"]
    if not keys:
        raise NotEnough("a paraphrase needs the yes/no question about extractiveness", found=0, wanted=1)
    for _try in range(TRIES):
        target = generator.pick(sorted(pool))
        one = generator.pick(pool[target])
        if one.key in used or facts.copied(target, one.key) > config.quality.copied:
            continue
        used.add(one.key)
        request = {**one.request, "extractiveness": "full"}
        return _item(config, one, request, (Shown(target, one.key),), kind="paraphrase", expected={keys[0]: "no"})
    raise NotEnough(f"no summary copies as little as {config.quality.copied:g}", found=0, wanted=1)


def _absent(config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int) -> PlannedItem:
    """A topic or speaker that stands neither in source nor summary, as two members of the staff confirmed."""
    foil = config.quality.absent[number]
    keys = [one.key for one in config.questions if one.attribute == foil.attribute and one.type == "yes-no"]
    target = Generator(config.seed, "foil@1", "absent", number).pick(sorted(pool))
    one = next((each for each in pool[target] if each.key == foil.sample), None)
    if not keys or one is None:
        raise NotEnough(f"the foil on {foil.sample} has no sample or no question", found=0, wanted=1)
    if facts.mentions(target, one.key, foil.values, source=one.key):
        raise NotEnough(f"{', '.join(foil.values)} is not absent from {foil.sample}", found=0, wanted=1)
    request = {**one.request, foil.attribute: list(foil.values)}
    return _item(config, one, request, (Shown(target, one.key),), kind="absent", expected={keys[0]: "no"})


def _repeats(config: RoundConfig, items: Sequence[PlannedItem]) -> list[PlannedItem]:
    """Real items that come a second time to the same rater."""
    real = [number for number, one in enumerate(items) if one.kind == "real"]
    chosen = Generator(config.seed, "repeats@1").shuffled(real)[: config.quality.repeats]
    if len(chosen) < config.quality.repeats:
        raise NotEnough(
            f"{len(real)} items cannot be repeated so often", found=len(real), wanted=config.quality.repeats
        )
    found = []
    for number in chosen:
        one = items[number]
        found.append(
            PlannedItem(
                "repeat",
                one.sample,
                one.source,
                one.domain,
                one.request,
                one.texts,
                one.questions,
                repeats=number,
                labelled=one.labelled,
            )
        )
    return found


def _lane(config: RoundConfig, items: Sequence[PlannedItem], number: int, apart: int) -> Lane:
    """An order of all items, and the sides of pairs: those of even lanes are the other way round."""
    generator = Generator(config.seed, "lane@1", number)
    places = spaced([one.source for one in items], apart, generator)
    cells = sorted({one.cell for one in items})
    sources = generator.shuffled(sorted({one.source for one in items}))
    rows = dict(zip(sources, balanced_rows(len(sources), cells, generator), strict=True))
    own: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(items)), key=lambda place: _rank(items[place], rows, generator.unit())):
        own[items[place].source].append(place)
    met: defaultdict[str, int] = defaultdict(int)
    order = []
    for place in places:
        source = items[place].source
        order.append(own[source][met[source]])
        met[source] += 1
    return Lane(tuple(order), tuple(_left(config, items, number)))


def _rank(one: PlannedItem, rows: Mapping[str, Sequence[str]], chance: float) -> tuple[float, float]:
    """Where an item stands among those of its source: by its target's place in a Latin square, foils anywhere, and a
    repeat last, after what it repeats."""
    row = rows[one.source]
    if one.kind == "real":
        return row.index(one.cell), chance
    return (len(row), chance) if one.kind == "repeat" else (chance * len(row) - 0.5, chance)


def _left(config: RoundConfig, items: Sequence[PlannedItem], number: int) -> list[int]:
    """Which of two texts stands left: each half of the time, within every pair of targets. A repeat is the other way
    round than what it repeats, so that a preference for a side shows."""
    if config.form != "pair":
        return [1] * len(items)
    found = [1] * len(items)
    by_cell: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(items):
        if one.kind != "repeat":
            by_cell[one.cell].append(place)
    for cell in sorted(by_cell):
        sides = halves(len(by_cell[cell]), Generator(config.seed, "sides@1", cell))
        for place, side in zip(by_cell[cell], sides, strict=True):
            found[place] = side if number % 2 else 3 - side
    for place, one in enumerate(items):
        if one.repeats is not None:
            found[place] = 3 - found[one.repeats]
    return found

"""Builds the items of a round and the order in which raters see them, from the configuration and the samples.

The plan depends only on the seed and the samples, not on the process or its hash seed. Nothing here reads a text;
`Facts` provides what must be known about texts.
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
from evaluation.rounds.ordering import balanced_rows, random_halves, reachable_distance, spaced_order
from evaluation.rounds.selecting import Candidate, NotEnough, is_empty, select_samples

ItemKind = Literal["real", "other-source", "paraphrase", "absent", "repeat"]
FOILS: tuple[ItemKind, ...] = ("other-source", "paraphrase", "absent")
MAX_TRIES = 400
"""Combinations tried for one foil before giving up."""


class Facts(Protocol):
    """Facts about texts. target: a target's key, sample: a candidate's key."""

    def copied(self, target: str, sample: str) -> float:
        """The share of the summary's n-grams that stand in the source, 0 to 1."""
        ...

    def mentions(self, target: str, sample: str, words: Sequence[str], *, source: str | None = None) -> bool:
        """Whether one of the words stands in a target's summary of a sample, or in the source of sample `source`."""
        ...


@dataclass(frozen=True)
class ShownText:
    """A text to show: what a target wrote for a sample."""

    target: str
    sample: str


@dataclass(frozen=True)
class PlannedItem:
    """One item to be shown. sample: whose source is shown. request: as displayed on the page. texts: one or
    two, numbered 1 and 2 whichever side they are on. expected: of foils, question -> the right answer.
    repeats: the number of the item that this one repeats. labelled: of pairs by value, which text was asked for more.
    """

    kind: ItemKind
    sample: str
    source: str
    domain: str
    request: Mapping[str, object]
    texts: tuple[ShownText, ...]
    questions: tuple[str, ...]
    expected: Mapping[str, str] = field(default_factory=dict)
    repeats: int | None = None
    labelled: int = 0

    @property
    def cell(self) -> str:
        """What is balanced over positions: the target, or both of a pair."""
        return " / ".join(text.target for text in self.texts)


@dataclass(frozen=True)
class Lane:
    """The sequence of items for one rater. order: numbers of items; left: for each item, which text is on the left."""

    order: tuple[int, ...]
    left: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """apart: distance between the items of one source in every lane; less than configured in small rounds."""

    items: tuple[PlannedItem, ...]
    lanes: tuple[Lane, ...]
    apart: int

    def as_dict(self) -> dict[str, Any]:
        return {
            "items": [asdict(item) for item in self.items],
            "lanes": [asdict(lane) for lane in self.lanes],
            "apart": self.apart,
        }

    def hash(self, text_hashes: Mapping[tuple[str, str], str] | None = None) -> str:
        """SHA-256 over items, orders and (where given) the hashes of the texts by (target, sample)."""
        content = self.as_dict()
        if text_hashes is not None:
            content["texts"] = [[text_hashes[text.target, text.sample] for text in item.texts] for item in self.items]
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def plan_round(config: RoundConfig, pools: Mapping[str, Sequence[Candidate]], facts: Facts) -> Plan:
    """The items and lanes of a round. pools: target key -> the samples it has a text for. Raises NotEnough."""
    drawn = _draw_samples(config, pools)
    items = _build_real_items(config, drawn)
    if not items:
        raise NotEnough("no item comes about", found=0, wanted=1)
    items += _build_foils(config, pools, drawn, facts)
    items += _build_repeats(config, items)
    apart = reachable_distance([item.source for item in items], config.apart)
    lanes = tuple(_build_lane(config, items, number, apart) for number in range(1, config.raters_per_item + 1))
    return Plan(tuple(items), lanes, apart)


def _draw_samples(config: RoundConfig, pools: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Candidate]]:
    """target key -> its samples."""
    attributes = config.asked_attributes
    keys = [target.key for target in config.targets]
    if config.pairs.by == "value" and config.form == "pair":
        return {key: list(pools[key]) for key in keys}
    if config.selection.draw == "independent":
        return {
            key: select_samples(pools[key], config.selection, seed=config.seed, attributes=attributes, label=key)
            for key in keys
        }
    common = set.intersection(*({candidate.key for candidate in pools[key]} for key in keys))
    pool = [candidate for candidate in pools[keys[0]] if candidate.key in common]
    drawn = select_samples(pool, config.selection, seed=config.seed, attributes=attributes)
    return dict.fromkeys(keys, drawn)


def questions_for(config: RoundConfig, request: Mapping[str, object]) -> tuple[str, ...]:
    """Keys of an item's questions; an attribute whose request is empty gets none."""
    return tuple(
        question.key
        for question in config.questions
        if not question.attribute or not is_empty(request.get(question.attribute))
    )


def _build_real_items(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    if config.form == "pair":
        return _pair_by_value(config, drawn) if config.pairs.by == "value" else _pair_by_target(config, drawn)
    items = []
    for target in config.targets:
        samples = drawn[target.key]
        requests = _shown_requests(config, target, samples)
        for candidate, request in zip(samples, requests, strict=True):
            items.append(_build_item(config, candidate, request, (ShownText(target.key, candidate.key),)))
    return items


def _build_item(
    config: RoundConfig, candidate: Candidate, request: Mapping[str, object], texts: tuple[ShownText, ...], **more: Any
) -> PlannedItem:
    return PlannedItem(
        kind=more.pop("kind", "real"),
        sample=candidate.key,
        source=candidate.source,
        domain=candidate.domain,
        request=dict(request),
        texts=texts,
        questions=questions_for(config, request),
        **more,
    )


def _shown_requests(config: RoundConfig, target: Target, samples: Sequence[Candidate]) -> list[Mapping[str, object]]:
    """The request shown with each sample: its own, or for a baseline without control that of another sample. Requests
    are rotated within each domain, so that every request is shown exactly once."""
    if not target.no_control:
        return [candidate.request for candidate in samples]
    request_by_key: dict[str, Mapping[str, object]] = {}
    for domain in sorted({candidate.domain for candidate in samples}):
        domain_samples = [candidate for candidate in samples if candidate.domain == domain]
        if len(domain_samples) < 2:
            raise NotEnough(
                f"a baseline without control needs 2 samples in {domain}", found=len(domain_samples), wanted=2
            )
        cycle = Generator(config.seed, "no-control@1", domain).shuffled(domain_samples)
        for candidate, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            request_by_key[candidate.key] = other.request
    return [request_by_key[candidate.key] for candidate in samples]


def _pair_by_target(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    items = []
    for first, second in combinations([target.key for target in config.targets], 2):
        both = {candidate.key for candidate in drawn[second]}
        for candidate in drawn[first]:
            if candidate.key in both:
                items.append(
                    _build_item(
                        config,
                        candidate,
                        candidate.request,
                        (ShownText(first, candidate.key), ShownText(second, candidate.key)),
                    )
                )
    return items


def _pair_by_value(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    """For each target, n sources per domain with two samples that were asked for different values."""
    key = config.pairs.attribute
    items: list[PlannedItem] = []
    for target in config.targets:
        by_source: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in sorted(drawn[target.key], key=lambda candidate: candidate.key):
            by_source[candidate.source].append(candidate)
        couples = [
            couple
            for source in sorted(by_source)
            if (couple := _find_couple(by_source[source], key, Generator(config.seed, "pairs@1", source))) is not None
        ]
        for domain in sorted({first.domain for first, _second in couples}) or [""]:
            domain_couples = [pair for pair in couples if pair[0].domain == domain]
            order = Generator(config.seed, "couples@1", domain).shuffled(domain_couples)[: config.selection.n]
            if len(order) < config.selection.n:
                raise NotEnough(
                    f"{len(order)} sources of {target.key} have two values of {key}, {config.selection.n} are needed",
                    found=len(order),
                    wanted=config.selection.n,
                )
            for first, second in order:
                texts = (ShownText(target.key, first.key), ShownText(target.key, second.key))
                items.append(_build_item(config, first, {}, texts, labelled=2))
    return items


def _find_couple(candidates: Sequence[Candidate], key: str, generator: Generator) -> tuple[Candidate, Candidate] | None:
    """Two samples of one source with different values, "normal" first, else in alphabetical order."""
    order = generator.shuffled(candidates)
    for first, second in combinations(order, 2):
        first_value, second_value = str(first.request.get(key)), str(second.request.get(key))
        if (
            first_value != second_value
            and not is_empty(first.request.get(key))
            and not is_empty(second.request.get(key))
        ):
            return (
                (first, second)
                if first_value == "normal" or (second_value != "normal" and first_value < second_value)
                else (second, first)
            )
    return None


def _build_foils(
    config: RoundConfig,
    pools: Mapping[str, Sequence[Candidate]],
    drawn: Mapping[str, Sequence[Candidate]],
    facts: Facts,
) -> list[PlannedItem]:
    """Quality-control items with exactly one right answer."""
    if not config.quality.foils:
        return []
    targets = [target.key for target in config.targets if not target.no_control]
    if not targets:
        raise NotEnough("foils need a target that is shown with its own request", found=0, wanted=1)
    shown_keys = {candidate.key for rows in drawn.values() for candidate in rows}
    pool = {
        key: sorted(pools[key], key=lambda candidate: (candidate.key in shown_keys, candidate.key)) for key in targets
    }
    used: set[str] = set()
    foils = [_other_source_foil(config, pool, facts, number, used) for number in range(config.quality.other_source)]
    foils += [_paraphrase_foil(config, pool, facts, number, used) for number in range(config.quality.paraphrase)]
    return foils + [_absent_foil(config, pool, facts, number) for number in range(len(config.quality.absent))]


def _picked_values(config: RoundConfig, request: Mapping[str, object]) -> dict[str, list[str]]:
    """Key of a yes/no question -> requested values (topics, speakers) of its attribute; only list-valued attributes."""
    values_by_question = {}
    for question in config.questions:
        value = request.get(question.attribute) if question.attribute and question.type == "yes-no" else None
        if isinstance(value, list | tuple) and value:
            values_by_question[question.key] = [str(text) for text in value]
    return values_by_question


def _other_source_foil(
    config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int, used: set[str]
) -> PlannedItem:
    """A foil: a summary of another source that mentions none of the requested values."""
    generator = Generator(config.seed, "foil@1", "other-source", number)
    for _try in range(MAX_TRIES):
        target = generator.pick(sorted(pool))
        candidate, other = generator.pick(pool[target]), generator.pick(pool[target])
        picked = _picked_values(config, candidate.request)
        if not picked or candidate.source == other.source or candidate.key in used or candidate.domain != other.domain:
            continue
        if any(facts.mentions(target, other.key, words) for words in picked.values()):
            continue
        used.add(candidate.key)
        return _build_item(
            config,
            candidate,
            candidate.request,
            (ShownText(target, other.key),),
            kind="other-source",
            expected=dict.fromkeys(picked, "no"),
        )
    raise NotEnough("no foil of another source comes about: samples that ask for topics are needed", found=0, wanted=1)


def _paraphrase_foil(
    config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int, used: set[str]
) -> PlannedItem:
    """A foil: a summary with almost nothing copied, under a request to copy everything."""
    generator = Generator(config.seed, "foil@1", "paraphrase", number)
    keys = [
        question.key
        for question in config.questions
        if question.attribute == "extractiveness" and question.type == "yes-no"
    ]
    if not keys:
        raise NotEnough("a paraphrase needs the yes/no question about extractiveness", found=0, wanted=1)
    for _try in range(MAX_TRIES):
        target = generator.pick(sorted(pool))
        candidate = generator.pick(pool[target])
        if candidate.key in used or facts.copied(target, candidate.key) > config.quality.copied:
            continue
        used.add(candidate.key)
        request = {**candidate.request, "extractiveness": "full"}
        return _build_item(
            config, candidate, request, (ShownText(target, candidate.key),), kind="paraphrase", expected={keys[0]: "no"}
        )
    raise NotEnough(f"no summary copies as little as {config.quality.copied:g}", found=0, wanted=1)


def _absent_foil(
    config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int
) -> PlannedItem:
    """A foil: a topic or speaker that is in neither source nor summary, as confirmed by two members of the staff."""
    foil = config.quality.absent[number]
    keys = [
        question.key
        for question in config.questions
        if question.attribute == foil.attribute and question.type == "yes-no"
    ]
    target = Generator(config.seed, "foil@1", "absent", number).pick(sorted(pool))
    candidate = next((sample for sample in pool[target] if sample.key == foil.sample), None)
    if not keys or candidate is None:
        raise NotEnough(f"the foil on {foil.sample} has no sample or no question", found=0, wanted=1)
    if facts.mentions(target, candidate.key, foil.values, source=candidate.key):
        raise NotEnough(f"{', '.join(foil.values)} is not absent from {foil.sample}", found=0, wanted=1)
    request = {**candidate.request, foil.attribute: list(foil.values)}
    return _build_item(
        config, candidate, request, (ShownText(target, candidate.key),), kind="absent", expected={keys[0]: "no"}
    )


def _build_repeats(config: RoundConfig, items: Sequence[PlannedItem]) -> list[PlannedItem]:
    """Real items that are shown to the same rater a second time."""
    real = [number for number, item in enumerate(items) if item.kind == "real"]
    chosen = Generator(config.seed, "repeats@1").shuffled(real)[: config.quality.repeats]
    if len(chosen) < config.quality.repeats:
        raise NotEnough(
            f"{len(real)} items cannot be repeated so often", found=len(real), wanted=config.quality.repeats
        )
    repeat_items = []
    for number in chosen:
        item = items[number]
        repeat_items.append(
            PlannedItem(
                "repeat",
                item.sample,
                item.source,
                item.domain,
                item.request,
                item.texts,
                item.questions,
                repeats=number,
                labelled=item.labelled,
            )
        )
    return repeat_items


def _build_lane(config: RoundConfig, items: Sequence[PlannedItem], number: int, apart: int) -> Lane:
    """An order of all items, and the sides of pairs, which are swapped in even lanes."""
    generator = Generator(config.seed, "lane@1", number)
    places = spaced_order([item.source for item in items], apart, generator)
    cells = sorted({item.cell for item in items})
    sources = generator.shuffled(sorted({item.source for item in items}))
    rows = dict(zip(sources, balanced_rows(len(sources), cells, generator), strict=True))
    places_by_source: defaultdict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(items)), key=lambda place: _rank_in_source(items[place], rows, generator.unit())):
        places_by_source[items[place].source].append(place)
    n_placed: defaultdict[str, int] = defaultdict(int)
    order = []
    for place in places:
        source = items[place].source
        order.append(places_by_source[source][n_placed[source]])
        n_placed[source] += 1
    return Lane(tuple(order), tuple(_left_texts(config, items, number)))


def _rank_in_source(item: PlannedItem, rows: Mapping[str, Sequence[str]], chance: float) -> tuple[float, float]:
    """Sort key of an item among those of its source: by its target's position in a Latin square, foils at random
    positions, repeats last."""
    row = rows[item.source]
    if item.kind == "real":
        return row.index(item.cell), chance
    return (len(row), chance) if item.kind == "repeat" else (chance * len(row) - 0.5, chance)


def _left_texts(config: RoundConfig, items: Sequence[PlannedItem], number: int) -> list[int]:
    """Which of two texts is on the left: each half of the time, within every pair of targets. A repeat has the sides of
    its original swapped, which reveals a preference for one side."""
    if config.form != "pair":
        return [1] * len(items)
    left_texts = [1] * len(items)
    by_cell: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        if item.kind != "repeat":
            by_cell[item.cell].append(place)
    for cell in sorted(by_cell):
        sides = random_halves(len(by_cell[cell]), Generator(config.seed, "sides@1", cell))
        for place, side in zip(by_cell[cell], sides, strict=True):
            left_texts[place] = side if number % 2 else 3 - side
    for place, item in enumerate(items):
        if item.repeats is not None:
            left_texts[place] = 3 - left_texts[item.repeats]
    return left_texts

"""Builds the items of a round and the order in which raters see them, from the configuration and the samples.

The plan depends only on the seed and the samples, not on the process or its hash seed. Nothing here reads a text;
`Facts` provides what must be known about texts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from epitome.rounds.config import Pairs, RoundConfig, Target
from epitome.rounds.lanes import build_lanes
from epitome.rounds.people_items import draw_people_items
from epitome.rounds.plans import Facts, Plan, PlannedItem, ShownText, build_item, questions_for
from epitome.rounds.quality_items import build_foils, build_repeats
from epitome.rounds.selecting import Candidate, NotEnough, is_empty, select_samples
from epitome.sampling.generator import Generator


def plan_round(config: RoundConfig, pools: Mapping[str, Sequence[Candidate]], facts: Facts) -> Plan:
    """The items and lanes of a round. pools: target key -> the samples it has a text for. Raises NotEnough.

    Without lanes where the items for people are chosen later, by the judges' answers.
    """
    drawn = _draw_samples(config, pools)
    items = _build_real_items(config, drawn)
    if not items:
        raise NotEnough("no item comes about", found=0, wanted=1)
    if config.waits_for_judges:
        return Plan((*items, *build_foils(config, pools, drawn, facts)), (), config.apart)
    shown_items = draw_people_items(config, items)
    n_real = len(items)
    items += build_foils(config, pools, drawn, facts)
    items += build_repeats(config, items, shown_items.numbers)
    numbers = (*shown_items.numbers, *range(n_real, len(items)))
    lanes, apart = build_lanes(config, items, numbers, shown_items.sources)
    people = numbers if len(shown_items.numbers) < n_real else None
    return Plan(tuple(items), lanes, apart, people, shown_items.chance, shown_items.sources)


def _draw_samples(config: RoundConfig, pools: Mapping[str, Sequence[Candidate]]) -> dict[str, list[Candidate]]:
    """target key -> its samples; of those that ask for nothing that the round asks about, none."""
    attributes = config.asked_attributes
    keys = [target.key for target in config.targets]
    if config.is_contrastive or (config.pairs.by == "value" and config.form == "pair"):
        return {key: list(pools[key]) for key in keys}
    pools = {key: [candidate for candidate in pools[key] if questions_for(config, candidate.request)] for key in keys}
    if config.selection.draw == "independent":
        return {
            key: select_samples(pools[key], config.selection, seed=config.seed, attributes=attributes, label=key)
            for key in keys
        }
    common = set.intersection(*({candidate.key for candidate in pools[key]} for key in keys))
    pool = [candidate for candidate in pools[keys[0]] if candidate.key in common]
    drawn = select_samples(pool, config.selection, seed=config.seed, attributes=attributes)
    return dict.fromkeys(keys, drawn)


def _build_real_items(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    if config.form == "pair":
        return _pair_by_value(config, drawn) if config.pairs.by == "value" else _pair_by_target(config, drawn)
    if config.form == "list":
        return _list_all_targets(config, drawn)
    items = []
    for target in config.targets:
        samples = drawn[target.key]
        requests = _shown_requests(config, target, samples)
        for candidate, request in zip(samples, requests, strict=True):
            items.append(build_item(config, candidate, request, (ShownText(target.key, candidate.key),)))
    return items


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


def _list_all_targets(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    """One item per sample that shows the summaries of all targets."""
    keys = [target.key for target in config.targets]
    return [
        build_item(config, candidate, candidate.request, tuple(ShownText(key, candidate.key) for key in keys))
        for candidate in drawn[keys[0]]
    ]


def _pair_by_target(config: RoundConfig, drawn: Mapping[str, Sequence[Candidate]]) -> list[PlannedItem]:
    items = []
    for first, second in combinations([target.key for target in config.targets], 2):
        both = {candidate.key for candidate in drawn[second]}
        for candidate in drawn[first]:
            if candidate.key in both:
                items.append(
                    build_item(
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
            if (couple := _find_couple(by_source[source], config.pairs, Generator(config.seed, "pairs@1", source)))
            is not None
        ]
        for domain in sorted({first.domain for first, _second in couples}) or [""]:
            domain_couples = [pair for pair in couples if pair[0].domain == domain]
            order = Generator(config.seed, "couples@1", domain).shuffled(domain_couples)[: config.selection.n]
            if len(order) < config.selection.n:
                raise NotEnough(
                    f"{len(order)} sources of {target.key} have two values of {key}, {config.selection.n} are needed",
                    found=len(order),
                    wanted=config.selection.n,
                    too_large="n",
                    nearest=len(order) or None,
                )
            for first, second in order:
                texts = (ShownText(target.key, first.key), ShownText(target.key, second.key))
                items.append(build_item(config, first, {}, texts, labelled=2))
    return items


def _find_couple(
    candidates: Sequence[Candidate], pairs: Pairs, generator: Generator
) -> tuple[Candidate, Candidate] | None:
    """Two samples of one source with different values, the lower in the schema's order first."""
    order = generator.shuffled(candidates)
    for couple in combinations(order, 2):
        values = [candidate.request.get(pairs.attribute) for candidate in couple]
        if any(is_empty(value) for value in values) or str(values[0]) == str(values[1]):
            continue
        first, second = sorted(couple, key=lambda candidate: _rank_value(candidate, pairs))
        return first, second
    return None


def _rank_value(candidate: Candidate, pairs: Pairs) -> tuple[int, str]:
    value = str(candidate.request.get(pairs.attribute))
    return (pairs.values.index(value) if value in pairs.values else len(pairs.values)), value

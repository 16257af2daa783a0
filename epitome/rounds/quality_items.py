"""Builds the quality-control items of a round: foils with one right answer, and repeats of real items."""

from collections.abc import Mapping, Sequence

from epitome.rounds.config import RoundConfig
from epitome.rounds.plans import Facts, PlannedItem, ShownText, build_item
from epitome.rounds.selecting import Candidate, NotEnough
from epitome.sampling.generator import Generator

MAX_TRIES = 400
"""Combinations tried for one foil before giving up."""


def build_foils(
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
        value = request.get(question.attribute) if question.attribute and question.asks.is_yes_no else None
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
        return build_item(
            config,
            candidate,
            candidate.request,
            (ShownText(target, other.key),),
            kind="other-source",
            expected=dict.fromkeys(picked, "no"),
        )
    raise NotEnough(
        "no foil of another source comes about: samples that ask for topics are needed",
        found=number,
        wanted=config.quality.other_source,
        too_large="other_source",
        nearest=number,
    )


def _paraphrase_foil(
    config: RoundConfig, pool: Mapping[str, Sequence[Candidate]], facts: Facts, number: int, used: set[str]
) -> PlannedItem:
    """A foil: a summary with almost nothing copied, under a request to copy everything."""
    generator = Generator(config.seed, "foil@1", "paraphrase", number)
    keys = [
        question.key
        for question in config.questions
        if question.attribute == "extractiveness" and question.asks.is_yes_no
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
        return build_item(
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
        if question.attribute == foil.attribute and question.asks.is_yes_no
    ]
    target = Generator(config.seed, "foil@1", "absent", number).pick(sorted(pool))
    candidate = next((sample for sample in pool[target] if sample.key == foil.sample), None)
    if not keys or candidate is None:
        raise NotEnough(f"the foil on {foil.sample} has no sample or no question", found=0, wanted=1)
    if facts.mentions(target, candidate.key, foil.values, source=candidate.key):
        raise NotEnough(f"{', '.join(foil.values)} is not absent from {foil.sample}", found=0, wanted=1)
    request = {**candidate.request, foil.attribute: list(foil.values)}
    return build_item(
        config, candidate, request, (ShownText(target, candidate.key),), kind="absent", expected={keys[0]: "no"}
    )


def build_repeats(config: RoundConfig, items: Sequence[PlannedItem], real: Sequence[int]) -> list[PlannedItem]:
    """Real items that are shown to the same rater a second time. real: the numbers of those that people see."""
    chosen = Generator(config.seed, "repeats@1").shuffled(real)[: config.quality.repeats]
    if len(chosen) < config.quality.repeats:
        raise NotEnough(
            f"{len(real)} items cannot be repeated so often",
            found=len(real),
            wanted=config.quality.repeats,
            too_large="repeats",
            nearest=len(real),
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

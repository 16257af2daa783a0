"""The examples of one gold summary: every choice of every rule, filtered, and a seeded draw within the quotas."""

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from epitome.contrastives.edits import Edit, apply_edits
from epitome.contrastives.inflection import Inflector
from epitome.contrastives.pairs import DRAWN, STEPS, Choice, Filters, list_gold_choices, list_source_choices
from epitome.contrastives.quotas import GOLD, RULES, set_quotas, split_noun_quota
from epitome.contrastives.words import CLASSES, PROPER, Token, Word, list_words

DEFAULT_SEED = 496
PER_GOLD = 50


@dataclass(frozen=True)
class MakerOptions:
    """What determines the examples of a gold besides its text and source. quotas: of each rule. without_relations: the
    parser gives none, so that rules about prepositions are left out."""

    seed: int = DEFAULT_SEED
    rules: tuple[str, ...] = RULES
    quotas: Mapping[str, int] = field(default_factory=lambda: set_quotas(PER_GOLD))
    inflect: Inflector | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One contrastive example. from_source: segment, start and end of the word that a source rule took."""

    rule: str
    text: str
    edits: tuple[Edit, ...]
    from_source: dict[str, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        edits = [edit.as_dict() for edit in self.edits]
        return {"rule": self.rule, "text": self.text, "edits": edits, "from_source": self.from_source}


@dataclass(frozen=True, slots=True)
class MadeTuple:
    """The examples of one gold, and for each rule how many pairs each step had (see STEPS)."""

    examples: list[Example]
    counts: dict[str, dict[str, int]]


def make_examples(
    *,
    key: str,
    gold: str,
    gold_tokens: Sequence[Token],
    source_tokens: Sequence[Sequence[Token]],
    options: MakerOptions | None = None,
) -> MadeTuple:
    """Examples of one (source, gold) tuple. key: names the tuple, for the seed. source_tokens: of each segment."""
    options = options or MakerOptions()
    seen: set[str] = set()
    gold_words = _by_class(list_words(gold_tokens))
    source_words = _by_class(word for index, tokens in enumerate(source_tokens) for word in list_words(tokens, index))
    examples: list[Example] = []
    counts: dict[str, dict[str, int]] = {}
    for rule in options.rules:
        origin, kind = rule.split("-")
        filters = Filters(gold, seen, options.inflect)
        if origin == GOLD:
            choices = list(list_gold_choices(gold_words[kind], gold_tokens, filters))
        else:
            choices = list(list_source_choices(gold_words[kind], source_words[kind], filters))
        drawn = _draw_choices(choices, options.quotas[rule], _seeded(options.seed, key, rule))
        examples += [_build_example(rule, gold, choice) for choice in drawn]
        filters.counts[DRAWN] = len(drawn)
        counts[rule] = {step: filters.counts[step] for step in STEPS}
    return MadeTuple(examples, counts)


def _by_class(words: Any) -> dict[str, list[Word]]:
    listed: dict[str, list[Word]] = {kind: [] for kind in CLASSES}
    for word in words:
        listed[word.kind].append(word)
    return listed


def _seeded(seed: int, key: str, rule: str) -> random.Random:
    digest = hashlib.sha256(f"{seed}|{key}|{rule}".encode()).digest()
    return random.Random(int.from_bytes(digest[:8], "big"))


def _draw_choices(choices: list[Choice], quota: int, generator: random.Random) -> list[Choice]:
    """Draw without replacement, all where there are fewer; in the order of the text."""
    proper = [index for index, choice in enumerate(choices) if choice.group == PROPER]
    others = [index for index, choice in enumerate(choices) if choice.group != PROPER]
    n_others, n_proper = split_noun_quota(quota, len(others), len(proper))
    drawn = generator.sample(others, n_others) + generator.sample(proper, n_proper)
    return [choices[number] for number in sorted(drawn)]


def _build_example(rule: str, gold: str, choice: Choice) -> Example:
    origin = choice.origin
    from_source = None
    if origin is not None:
        from_source = {"segment": origin.segment, "start": origin.start, "end": origin.end}
    edits = choice.build_edits(gold)
    return Example(rule, apply_edits(gold, edits), edits, from_source)

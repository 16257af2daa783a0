"""Makes the examples of batches of golds: their sources are read, both are parsed, the rules applied."""

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any

from annotation.models import SourceText
from annotation.services.contrastives.golds import Gold
from annotation.services.contrastives.maker_processes import make_batches
from annotation.services.contrastives.set_options import SetOptions
from epitome.contrastives import MadeTuple
from epitome.contrastives.batches import BatchRequest, TupleText
from epitome.contrastives.pairs import AVAILABLE
from epitome.contrastives.quotas import RULES, Shares, count_shares
from epitome.contrastives.words import SOURCE_WORDS, cut_segments
from epitome.formats.encoded_json import parse_stored_segments

BATCH = 40
"""Golds whose examples are stored in one transaction: some 2,000 rows."""


def split_batches(golds: Sequence[Gold]) -> Iterator[list[Gold]]:
    """Batches of golds in which those of one source are together, so that it is parsed once."""
    batch: list[Gold] = []
    for _document, members in groupby(golds, key=lambda gold: gold.document_id):
        batch += members
        while len(batch) >= BATCH:
            yield batch[:BATCH]
            batch = batch[BATCH:]
    if batch:
        yield batch


def make_tuples(
    golds: Sequence[Gold], options: SetOptions, quotas: Mapping[str, int]
) -> Generator[tuple[list[Gold], list[MadeTuple]], None, None]:
    """Batches of golds with their examples, in the order of the golds."""
    requests = ((batch, build_request(batch, options, quotas)) for batch in split_batches(golds))
    return make_batches(requests, len(golds))


def build_request(golds: Sequence[Gold], options: SetOptions, quotas: Mapping[str, int]) -> BatchRequest:
    """The texts of some golds and of their sources; one query."""
    documents = list(dict.fromkeys(gold.document_id for gold in golds))
    numbers = {document: index for index, document in enumerate(documents)}
    rows = SourceText.objects.filter(pk__in=documents).values_list("pk", "segments_json")
    segments_of = {pk: [str(segment["text"]) for segment in parse_stored_segments(text)] for pk, text in rows}
    return BatchRequest(
        tuples=[TupleText(gold.key, gold.text, numbers[gold.document_id]) for gold in golds],
        sources=[cut_segments(segments_of.get(document, []), SOURCE_WORDS) for document in documents],
        seed=options.seed,
        rules=options.rules,
        quotas=quotas,
        inflect=options.inflect,
    )


def estimate_shares(golds: Sequence[Gold], options: SetOptions) -> Shares:
    """Shares of all rules by what they have for these golds. Raises ValueError where one origin has nothing."""
    available: Counter[str] = Counter()
    for _batch, made_tuples in make_tuples(golds, replace(options, rules=RULES), dict.fromkeys(RULES, 0)):
        for made_tuple in made_tuples:
            available.update({rule: counts[AVAILABLE] for rule, counts in made_tuple.counts.items()})
    return count_shares(available)


@dataclass
class SetCounts:
    """Totals over golds. rules: rule -> step -> pairs. per_gold: number of examples -> number of golds."""

    rules: dict[str, Counter[str]] = field(default_factory=dict)
    per_gold: Counter[int] = field(default_factory=Counter)

    @classmethod
    def from_dict(cls, counts: Mapping[str, Any]) -> "SetCounts":
        rules = {rule: Counter(steps) for rule, steps in counts.get("rules", {}).items()}
        per_gold = Counter({int(number): golds for number, golds in counts.get("per_gold", {}).items()})
        return cls(rules, per_gold)

    def add(self, made: MadeTuple) -> None:
        for rule, steps in made.counts.items():
            self.rules.setdefault(rule, Counter()).update(steps)
        self.per_gold[len(made.examples)] += 1

    def as_dict(self) -> dict[str, Any]:
        per_gold = {str(number): self.per_gold[number] for number in sorted(self.per_gold)}
        return {"rules": {rule: dict(steps) for rule, steps in self.rules.items()}, "per_gold": per_gold}

    @property
    def golds(self) -> int:
        return self.per_gold.total()

    @property
    def examples(self) -> int:
        return sum(number * golds for number, golds in self.per_gold.items())

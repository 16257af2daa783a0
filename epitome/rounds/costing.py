"""The cost of a round: judgements and minutes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from epitome.rounds.config import Pay
from epitome.rounds.plans import PlannedItem

WORDS_PER_MINUTE = 200.0
"""Words read in a minute."""
SECONDS_PER_ANSWER = 8.0
"""Seconds for one answer."""


@dataclass(frozen=True)
class Cost:
    """items: shown to each complete set of raters. judgements: answers in all. minutes: in all, an estimate; the
    source is read at its first item in full and at later ones for a quarter."""

    items: int
    judgements: int
    minutes: float


def estimate_cost(
    items: Sequence[PlannedItem],
    raters_per_item: int,
    *,
    source_words: Mapping[str, int],
    summary_words: int,
    shows_source: bool,
) -> Cost:
    """The cost of a round. summary_words: length of a usual summary. source_words: source -> words."""
    read_sources: set[str] = set()
    minutes = 0.0
    for item in items:
        words = float(summary_words * len(item.texts))
        if shows_source:
            words += source_words.get(item.source, 0) * (0.25 if item.source in read_sources else 1.0)
            read_sources.add(item.source)
        minutes += words / WORDS_PER_MINUTE + len(item.questions) * SECONDS_PER_ANSWER / 60
    answers = sum(len(item.questions) for item in items)
    return Cost(len(items), answers * raters_per_item, minutes * raters_per_item)


@dataclass(frozen=True)
class PayEstimate:
    """What a round costs. total, per_item, per_hour: amounts of the currency; per_hour: by the estimated time, None
    where it is 0."""

    currency: str
    total: float
    per_item: float
    per_hour: float | None


def estimate_pay(pay: Pay, cost: Cost, raters_per_item: int) -> PayEstimate | None:
    """The pay of all ratings: per item times items, or per hour times hours. None where no pay is stated."""
    ratings = cost.items * raters_per_item
    if not pay.amount or not ratings:
        return None
    hours = cost.minutes / 60
    total = pay.amount * (ratings if pay.per == "item" else hours)
    return PayEstimate(pay.currency, total, total / ratings, total / hours if hours else None)

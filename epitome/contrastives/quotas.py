"""How many examples each rule gives for one gold summary, and the shares that this rests on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import floor
from typing import Final

from epitome.contrastives.words import CLASSES

GOLD, SOURCE = "G", "S"
RULES: Final = tuple(f"{origin}-{kind}" for origin in (GOLD, SOURCE) for kind in CLASSES)
"""G: two words of the gold exchanged; S: a word replaced by one of the source. N, P, V, A: the class."""
GOLD_SHARES: Final = {"N": 0.69, "P": 0.07, "V": 0.18, "A": 0.06}
SOURCE_SHARES: Final = {"N": 0.63, "P": 0.08, "V": 0.19, "A": 0.10}


@dataclass(frozen=True)
class Shares:
    """Share of each class within the gold rules and within the source rules; each adds up to 1.

    The default numbers were read from public logs of the authors' code.
    """

    gold: Mapping[str, float] = field(default_factory=lambda: dict(GOLD_SHARES))
    source: Mapping[str, float] = field(default_factory=lambda: dict(SOURCE_SHARES))

    def as_dict(self) -> dict[str, dict[str, float]]:
        return {"gold": dict(self.gold), "source": dict(self.source)}


def parse_rules(rules: Sequence[str]) -> tuple[str, ...]:
    """Names of rules as written, in the order of RULES; none for all. Raises ValueError naming an unknown one."""
    chosen = {rule.strip().upper() for rule in rules if rule.strip()}
    if unknown := sorted(chosen.difference(RULES)):
        raise ValueError(f"{unknown[0][:20]!r} is no rule: choose from {', '.join(RULES)}")
    return tuple(rule for rule in RULES if rule in chosen or not chosen)


def set_quotas(per_gold: int, shares: Shares | None = None) -> dict[str, int]:
    """Rule -> examples for one gold: half for the gold rules (the larger half of an odd number), half for the others.

    Within a half, prepositions, verbs and adjectives get their share rounded half up, nouns the rest. With 50 and the
    default shares: 16, 2, 5, 2 and 15, 2, 5, 3.
    """
    shares = shares or Shares()
    halves = {GOLD: (per_gold + 1) // 2, SOURCE: per_gold // 2}
    quotas: dict[str, int] = {}
    for origin, share_by_class in ((GOLD, shares.gold), (SOURCE, shares.source)):
        for kind, quota in _divide(halves[origin], share_by_class).items():
            quotas[f"{origin}-{kind}"] = quota
    return quotas


def _divide(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    quotas = {kind: floor(total * shares[kind] + 0.5 + 1e-9) for kind in CLASSES[1:]}
    while sum(quotas.values()) > total:  # only of small numbers: take back where most was rounded up
        rounded_up = max(quotas, key=lambda kind: quotas[kind] - total * shares[kind])
        quotas[rounded_up] -= 1
    return {CLASSES[0]: total - sum(quotas.values()), **quotas}


def count_shares(available: Mapping[str, int]) -> Shares:
    """The shares of what is available by rule, over some golds. Raises ValueError where one origin has nothing."""
    halves = []
    for origin, words in ((GOLD, "swap words within"), (SOURCE, "take a word of the source for")):
        counts = {kind: available.get(f"{origin}-{kind}", 0) for kind in CLASSES}
        total = sum(counts.values())
        if not total:
            raise ValueError(f"no rule can {words} any of these gold summaries")
        halves.append({kind: round(number / total, 4) for kind, number in counts.items()})
    return Shares(*halves)


def split_noun_quota(quota: int, n_common: int, n_proper: int) -> tuple[int, int]:
    """The quota of nouns, for common and for proper ones: by the number of pairs, rounded up for the larger."""
    total = n_common + n_proper
    if total <= quota:
        return n_common, n_proper
    larger = -(-quota * max(n_common, n_proper) // total)
    return (larger, quota - larger) if n_common >= n_proper else (quota - larger, larger)

"""What a design says about certainty: models that judge beside people, items that people see, when it may stop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Combine = Literal["none", "ppi"]
Choice = Literal["random", "active"]
Rule = Literal["fixed", "width", "decided"]
Look = Literal["after every source"]
LEAST_CHANCE = 0.05
CORRELATION = 0.6


@dataclass(frozen=True)
class Judging:
    """Models that answer every item. systems: keys of systems of the role judge.

    combine: whether estimates are made from people and judges together ("ppi"). pilot: the name of an earlier round
    with people's and judges' answers, from which the judges' errors are learnt. correlation: of people and judge,
    assumed by the design check where there is no pilot.
    """

    systems: tuple[str, ...] = ()
    combine: Combine = "none"
    pilot: str = ""
    correlation: float = CORRELATION


@dataclass(frozen=True)
class ForPeople:
    """Which samples people see. choice: all equally likely, or rather those on which the judges are in doubt.

    n: how many samples in all, or share: of them; neither: all. least_chance: of any sample, above 0; without a pilot
    no chance is below half the mean one either.
    """

    choice: Choice = "random"
    n: int = 0
    share: float = 0.0
    least_chance: float = LEAST_CHANCE

    @property
    def is_part(self) -> bool:
        """Whether people see some of the samples only."""
        return bool(self.n or self.share)

    def count_of(self, total: int) -> int:
        """How many of `total` samples, at least one and at most all."""
        return min(total, self.n or max(1, round(self.share * total))) if self.is_part else total


@dataclass(frozen=True)
class Stopping:
    """When the round may end before all is rated; fixed before the first answer.

    rule: never ("fixed"); when the interval of every comparison is at most `width` wide ("width"); or when every
    comparison is decided ("decided"). questions: compared ones, all that can be if empty. maximum: sources that people
    judge at most, 0 for all.
    """

    rule: Rule = "fixed"
    look: Look = "after every source"
    width: float = 0.0
    questions: tuple[str, ...] = ()
    maximum: int = 0

    @property
    def looks(self) -> bool:
        """Whether results are looked at while the round runs."""
        return self.rule != "fixed"


def read_frozen_judging(values: Mapping[str, Any]) -> Judging:
    """As `RoundConfig.as_dict` gave it; {} for a design made before there was any."""
    return Judging(**{**values, "systems": tuple(values.get("systems", ()))})


def read_frozen_stopping(values: Mapping[str, Any]) -> Stopping:
    return Stopping(**{**values, "questions": tuple(values.get("questions", ()))})

"""Options of a set of contrastive examples: what a person chooses, checked, and as the set's row keeps it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.utils.translation import gettext as _

from annotation.services.core.errors import BadInput
from epitome.contrastives import RULES, Shares, parse_rules

MOST_GOLDS = 1_000_000
MOST_PER_GOLD = 1000
MAX_SEED = 2**63 - 1
MOST_WITHOUT = 1000
SHARES = "shares"
"""Key of the stored options that is computed, not chosen."""


@dataclass(frozen=True, slots=True)
class SetOptions:
    """n: the most golds, drawn by the seed. estimate: from how many golds the shares of the rules are estimated; 0
    for the default shares. inflect: words take the form that their new place asks for. without: ids of sources whose
    golds are left out."""

    split: str = ""
    n: int = 10_000
    seed: int = 496
    per_gold: int = 50
    rules: tuple[str, ...] = RULES
    estimate: int = 0
    inflect: bool = False
    without: tuple[str, ...] = ()

    def check(self) -> None:
        """Raises BadInput naming the option."""
        limits = {
            "n": (1, MOST_GOLDS),
            "seed": (0, MAX_SEED),
            "per_gold": (1, MOST_PER_GOLD),
            "estimate": (0, MOST_GOLDS),
        }
        for name, (low, high) in limits.items():
            if not low <= getattr(self, name) <= high:
                message = _("Give a whole number from %(low)d to %(high)d.")
                raise BadInput(message % {"low": low, "high": high}, field=name)
        if len(self.without) > MOST_WITHOUT:
            raise BadInput(_("Leave out at most %(n)d sources.") % {"n": MOST_WITHOUT}, field="without")
        try:
            parse_rules(self.rules)
        except ValueError as error:
            raise BadInput(str(error), field="rules") from error

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "rules": list(self.rules), "without": sorted(set(self.without))}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> "SetOptions":
        """From stored options; what is not chosen is skipped."""
        names = {item.name for item in fields(cls)}
        known = {name: value for name, value in options.items() if name in names}
        return cls(**{**known, "rules": tuple(known.get("rules", RULES)), "without": tuple(known.get("without", ()))})


def read_shares(options: Mapping[str, Any]) -> Shares:
    """The shares that a set was made with."""
    stored = options.get(SHARES)
    return Shares(stored["gold"], stored["source"]) if stored else Shares()

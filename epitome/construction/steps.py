"""The steps from papers to the benchmark, in order, with the sizes of the paper. Source: CCSBench, section 3.3."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

StepKey = Literal["readability", "focus", "keywords", "length", "splits", "compositional"]


@dataclass(frozen=True)
class StepPlan:
    """asks: whether it needs a chat model. needs: steps that must be done. sizes: option -> the paper's number."""

    key: StepKey
    asks: bool = False
    needs: tuple[StepKey, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)


STEPS: Mapping[str, StepPlan] = {
    plan.key: plan
    for plan in (
        StepPlan("readability", asks=True, sizes={"n": 2000}),
        StepPlan("focus", asks=True, sizes={"n": 2000}),
        StepPlan("keywords"),
        StepPlan("length", needs=("readability", "focus"), sizes={"n": 4000}),
        StepPlan("splits"),
        StepPlan(
            "compositional",
            asks=True,
            needs=("readability", "focus", "splits"),
            sizes={"train": 2400, "dev": 800, "test": 400},
        ),
    )
}
SETS = ("length", "keywords", "readability", "focus", "compositional")
"""The sets of the benchmark, in the paper's order."""
FEW = 0.02
"""A length bin with a smaller share is flagged."""
KEYWORD_SHARE = 0.5
"""Share of the compositional train and dev samples that keep the keywords found in their summary."""


def default_options(plan: StepPlan) -> dict[str, Any]:
    """The options of a step: its sizes (the paper's), `exact` and `keyword_share` where keywords are looked for."""
    options: dict[str, Any] = dict(plan.sizes)
    if plan.key in ("keywords", "compositional"):
        options["exact"] = False
    if plan.key == "compositional":
        options["keyword_share"] = KEYWORD_SHARE
    return options


def set_of_attributes(keys: frozenset[str]) -> str:
    """The set a summary belongs to, by the attributes it was asked for: a single one names its set, several are
    compositional, none is a plain summary ("")."""
    if len(keys) == 1:
        return next(iter(keys)) if keys <= set(SETS) else ""
    return "compositional" if keys else ""

"""What certainty costs with judges: the planner's curve of a design, from a pilot or from stated assumptions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import ceil, sqrt
from typing import Any

import numpy as np

from annotation.models import Project
from epitome.combined import advice
from epitome.combined.judged_items import TooFew
from epitome.combined.planner import WAYS, Assumptions, Need, Way, assume_from, find_need, squared_error_of
from epitome.combined.rows import CombinedRow, group_rows, match_samples, pair_items
from epitome.rounds.config import RoundConfig
from epitome.rounds.people_items import list_units
from epitome.rounds.plans import Plan
from epitome.rounds.power import Z
from evaluation.services.rounds.pilots import load_pilot

RATE, BETWEEN_SYSTEMS, ICC, ERROR_RATIO = 0.5, 0.3, 0.1, 0.8
"""Assumed: share of yes, at worst; correlation of two systems on a sample; of items of a source; how evenly a
judge errs."""
DIFFERENCES = (0.05, 0.1, 0.15, 0.2)
STEPS = 10


@dataclass(frozen=True)
class PlanPoint:
    """n: samples that people judge. half_widths: way -> half the width of the 95 % interval of a difference."""

    n: int
    half_widths: dict[Way, float]


@dataclass(frozen=True)
class CertaintyPlan:
    """total: samples that the judges score. chosen: samples that people judge by the design. needs: difference -> how
    many samples each way needs to find it. pilot: the name of the round that `about` is from, "" for assumptions.
    correlation: of people and judge as the design assumes it, in answers; of a pilot in differences, as in `about`."""

    about: Assumptions
    correlation: float
    pilot: str
    total: int
    chosen: int
    points: list[PlanPoint]
    needs: dict[float, list[Need]]

    def as_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "pilot": self.pilot,
            "assumptions": asdict(self.about),
            "samples": self.total,
            "for_people": self.chosen,
            "half_widths": [{"n": point.n, **point.half_widths} for point in self.points],
            "needed": {
                f"{difference:g}": {need.way: need.n_human for need in needs}
                for difference, needs in self.needs.items()
            },
        }


def plan_certainty(project: Project, config: RoundConfig, plan: Plan) -> CertaintyPlan | None:
    """None for a round without judges. Raises BadInput for a pilot that is not there, TooFew for one too small."""
    if not config.judging.systems:
        return None
    units = list_units(plan.items)
    n_sources = len({item.source for item in plan.items if item.is_real})
    pilot = config.judging.pilot
    if pilot:
        about = assume_from_rows(load_pilot(project, pilot), config.judging.systems)
    else:
        about = state_assumptions(config.judging.correlation, len(units) / n_sources, len(config.targets))
    total = len(units)
    counts = sorted({max(2, ceil(total * step / STEPS)) for step in range(1, STEPS + 1)} - {1})
    points = [PlanPoint(n, _half_widths(about, n, total)) for n in counts if n <= total]
    needs = {difference: [find_need(way, about, difference, total) for way in WAYS] for difference in DIFFERENCES}
    shown = about.correlation if pilot else config.judging.correlation
    return CertaintyPlan(about, shown, pilot, total, config.selection.for_people.count_of(total), points, needs)


def _half_widths(about: Assumptions, n: int, total: int) -> dict[Way, float]:
    return {way: Z * sqrt(squared_error_of(way, about, n, total)) for way in WAYS}


def state_assumptions(correlation: float, per_source: float, n_targets: int) -> Assumptions:
    """Of the difference of two systems in yes-or-no answers, or of the rate of the only one."""
    about = advice.state_assumptions(
        RATE, correlation, between=BETWEEN_SYSTEMS if n_targets > 1 else None, icc=ICC, per_source=per_source
    )
    return replace(about, error_ratio=ERROR_RATIO)


def assume_from_rows(rows: Sequence[CombinedRow], judges: Sequence[str]) -> Assumptions:
    """From a pilot: of the comparison that is hardest to decide with its judge. judges: keys of the systems; where the
    pilot had none of them, all its judges. Raises TooFew."""
    named = [row for row in rows if row.judge.partition(",")[0] in judges] or rows
    groups = group_rows(named)
    assumptions: list[Assumptions] = []
    reasons: list[str] = []
    for one, two in combinations(groups, 2):
        if (one.question, one.judge) == (two.question, two.judge) and not (one.other or two.other):
            try:
                assumptions.append(_assume_pair(groups[one], groups[two]))
            except TooFew as error:
                reasons.append(str(error))
    if not assumptions:
        raise TooFew(reasons[0] if reasons else "it compares no two systems under one question")
    return max(assumptions, key=lambda about: about.variance * (1 - max(0.0, about.correlation) ** 2))


def _assume_pair(first: Sequence[CombinedRow], second: Sequence[CombinedRow]) -> Assumptions:
    pairs = match_samples(first, second)
    values = [(_known(one.judged), _known(two.judged)) for one, two in pairs]
    features = np.array([(g * (1 - g) + h * (1 - h), abs(g - h)) for g, h in values])
    return assume_from(pair_items(first, second), features)


def _known(value: float | None) -> float:
    return 0.5 if value is None else value

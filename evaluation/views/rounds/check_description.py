"""The check of a design as template data."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from annotation.models import Project
from epitome.rounds import power
from evaluation.services.rounds.design_check import DesignCheck
from evaluation.views.rounds.certainty_page import describe_certainty


def describe_check(result: DesignCheck | None) -> dict[str, Any] | None:
    """The template data of a check: questions as columns, targets as rows. faults: those that belong to no field."""
    if result is None:
        return None
    questions = [
        question for question in result.config.questions if any(cell.question == question.key for cell in result.cells)
    ]
    domain_labels = dict(Project.Domain.choices)
    rows: dict[tuple[str, str], dict[str, int]] = {}
    for cell in result.cells:
        rows.setdefault((cell.target, cell.domain), {})[cell.question] = cell.n
    at_fields = {remedy.message for remedy in result.remedies}
    return {
        "found": result,
        "faults": [fault for fault in result.faults if fault not in at_fields],
        "questions": [question.attribute or question.key for question in questions],
        "rows": [
            (target, domain_labels.get(domain, domain), [n.get(question.key, 0) for question in questions])
            for (target, domain), n in rows.items()
        ],
        "power": [_describe_power(estimate) for estimate in result.power],
        "preferences": [(estimate.n, _percentages(estimate.differences)) for estimate in result.preference_power],
        "needed": [(100 * rate, list(row.values())) for rate, row in power.needed_by_rate().items()],
        "needed_pairs": [
            (100 * difference, [row[difference] for row in power.needed_by_ties().values()])
            for difference in power.DIFFERENCES
        ],
        "kappas": power.KAPPAS,
        "differences": [100 * difference for difference in power.DIFFERENCES],
        "ties": [100 * ties for ties in power.TIE_SHARES],
        "items_per_person": result.config.items_per_person,
        "hours": result.cost.minutes / 60 if result.cost else 0,
        "certainty": describe_certainty(result),
    }


class RateRow(NamedTuple):
    """What n items can show at one base rate. rate, half: the rate and its half width in percent; kappas: half widths
    of kappa; difference: the smallest that is found, in percent."""

    rate: float
    half: float
    kappas: list[float]
    difference: float | None


def _describe_power(estimate: power.Power) -> tuple[int, list[RateRow]]:
    """n, and a row for each base rate."""
    return estimate.n, [
        RateRow(
            rate=100 * rate_power.rate,
            half=100 * rate_power.half,
            kappas=list(rate_power.kappas.values()),
            difference=None if rate_power.difference is None else 100 * rate_power.difference,
        )
        for rate_power in estimate.rates
    ]


def _percentages(shares: Mapping[float, float | None]) -> list[float | None]:
    return [None if value is None else 100 * value for value in shares.values()]

"""The part of the design check that is about judges, items for people, and stopping."""

from collections.abc import Callable, Sequence
from math import ceil

from django.utils.translation import ngettext

from epitome.figures.numbers import format_measure
from epitome.rounds.config import RoundConfig
from epitome.rounds.people_items import draw_people_items, list_units
from epitome.rounds.plans import Plan, PlannedItem

FEW_FOR_LOOKS = 50
"""Below this many sources a sequence seldom ends a round early."""


def list_people_items(config: RoundConfig, plan: Plan) -> Sequence[PlannedItem]:
    """The items that people see; where these are chosen later, as many drawn at random represent them."""
    if not config.waits_for_judges:
        return plan.people_items
    real = [item for item in plan.items if item.is_real]
    chosen_items = draw_people_items(config, real)
    return [*(real[number] for number in chosen_items.numbers), *(item for item in plan.items if not item.is_real)]


def check_certainty(
    config: RoundConfig, plan: Plan, add_fault: Callable[[str, str, int | None], None], warnings: list[str]
) -> None:
    """Add what cannot work, and what will not do much. add_fault: takes the message, a field of the form of a design
    and its nearest right value."""
    units = list_units(plan.items)
    chosen = config.selection.for_people
    n = chosen.count_of(len(units))
    if config.waits_for_judges and chosen.least_chance * len(units) > n:
        message = ngettext(
            "With a chance of at least %(chance)s each, people need to judge %(least)d of %(total)d sample.",
            "With a chance of at least %(chance)s each, people need to judge %(least)d of the %(total)d samples.",
            len(units),
        )
        least = ceil(chosen.least_chance * len(units))
        values = {"chance": format_measure(chosen.least_chance), "least": least, "total": len(units)}
        add_fault(message % values, "people_share", ceil(100 * least / len(units)))
    if chosen.n > len(units):
        message = ngettext(
            "There is %(total)d sample, so people judge it.",
            "There are %(total)d samples, so people judge all of them.",
            len(units),
        )
        warnings.append(message % {"total": len(units)})
    if config.stopping.looks:
        _check_looks(config, plan, warnings)


def _check_looks(config: RoundConfig, plan: Plan, warnings: list[str]) -> None:
    total = len(plan.sources)
    n = min(config.stopping.maximum or total, total)
    if n < FEW_FOR_LOOKS:
        warnings.append(
            ngettext(
                "The round may look at %(n)d source at most. Below %(few)d sources it will hardly stop early.",
                "The round may look at %(n)d sources at most. Below %(few)d sources it will hardly stop early.",
                n,
            )
            % {"n": n, "few": FEW_FOR_LOOKS}
        )

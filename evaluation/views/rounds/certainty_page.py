"""The planner's curve on the page of a design: what people alone, people and judge, and chosen items show."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.services.core.word_patterns import join_clauses, name_value
from epitome.combined.planner import WAYS
from epitome.figures.curves import Curve, Curves
from epitome.figures.numbers import format_decimal, format_half_width
from evaluation.services.rounds.certainty_plan import CertaintyPlan
from evaluation.services.rounds.design_check import DesignCheck


def describe_certainty(result: DesignCheck) -> dict[str, Any] | None:
    """Figure and table; None for a round without judges."""
    plan = result.certainty
    if plan is None:
        return None
    n_people = plan.chosen or 1
    hours = result.cost.minutes / 60 / n_people if result.cost else 0.0
    pay = result.pay.total / n_people if result.pay else None
    return {
        "plan": plan,
        "labels": list(name_ways().values()),
        "figure": _draw_plan(plan),
        "rows": [
            {
                "n": point.n,
                "hours": hours * point.n,
                "pay": None if pay is None else pay * point.n,
                "widths": [100 * point.half_widths[way] for way in WAYS],
                "is_chosen": point.n == plan.chosen,
            }
            for point in plan.points
        ],
        "currency": result.pay.currency if result.pay else "",
        "needs": [
            (100 * difference, [need.n_human for need in needs], min(100 * need.found for need in needs))
            for difference, needs in plan.needs.items()
        ],
        "assumed": _describe_basis(plan),
        "out_of_reach": _describe_limit(plan),
    }


def name_ways() -> dict[str, str]:
    return {"people": _("people only"), "combined": _("with judge"), "active": _("chosen items")}


def _describe_basis(plan: CertaintyPlan) -> str:
    return _(
        "correlation of judge and people %(r)s, variance of a difference %(v)s, likeness of items of a source %(icc)s."
    ) % {
        "r": format_decimal(plan.correlation, 2),
        "v": format_decimal(plan.about.variance, 2),
        "icc": format_decimal(plan.about.icc, 2),
    }


def _describe_limit(plan: CertaintyPlan) -> str:
    """Which differences no number of the samples finds; "" where the largest asked about can be found."""
    needs = plan.needs[max(plan.needs)]
    if any(need.n_human is not None for need in needs):
        return ""
    return _(
        "These samples find no difference below %(found)s (percentage points), even if people judge all of them: "
        "ask for more samples."
    ) % {"found": format_decimal(min(100 * need.found for need in needs), 0)}


def _draw_plan(plan: CertaintyPlan) -> Any:
    names = name_ways()
    curves = [Curve(names[way], [(point.n, 100 * point.half_widths[way]) for point in plan.points]) for way in WAYS]
    last = join_clauses(
        name_value(names[way], format_half_width(100 * plan.points[0].half_widths[way], 1)) for way in WAYS
    )
    n = plan.points[0].n
    described = ngettext(
        "With %(n)d sample for people: %(widths)s points.", "With %(n)d samples for people: %(widths)s points.", n
    )
    return Curves(
        key="certainty",
        title=_("± points of a difference"),
        curves=curves,
        label_x=_("samples that people judge"),
        description=described % {"n": n, "widths": last},
    ).draw()

"""The page of a running round that declared a stopping rule: what is known so far, and whether it may be closed."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.views.core.decorators import current_user, project_page
from epitome.combined.sequences import Look
from epitome.combined.stopping import Followed
from epitome.figures.curves import Curve, Curves
from epitome.figures.numbers import format_decimal, format_measure
from epitome.figures.svg import Svg
from epitome.rounds.questions import Question
from evaluation.models import Round, RoundState
from evaluation.services.reports import interim
from evaluation.services.reports.interim import Interim
from evaluation.views.reports.reports import find_launched_round

MOST_ROWS = 12
"""Looks in the table under a figure; the last is always there."""


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def show_interim(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Show the looks; POST closes the round where its rule is met."""
    round_ = find_launched_round(project, public_id)
    if request.method == "POST":
        try:
            interim.close_by_rule(round_=round_, by=current_user(request))
        except ServiceError as error:
            messages.error(request, error.message)
            return redirect("round-interim", project.slug, public_id)
        messages.success(request, _("Round closed by its stopping rule."))
        return redirect("round", project.slug, public_id)
    context: dict[str, Any] = {"project": project, "round": round_, "found": None}
    if round_.rules.stopping.looks:
        analysis = interim.analyse_interim(round_)
        context |= {
            "found": analysis,
            "rule": describe_rule(analysis),
            "may_close": analysis.met_at is not None and round_.state in RoundState.RUNNING,
            "comparisons": [
                _describe_comparison(round_, analysis, one, n) for n, one in enumerate(analysis.followed, 1)
            ],
        }
    return render(request, "evaluation/rounds/round_interim.html", context)


def describe_rule(found: Interim) -> str:
    if found.rule == "width":
        return _("The round may stop when the interval of every comparison is at most %(width)s wide.") % {
            "width": format_measure(found.width)
        }
    return _("The round may stop when every comparison is decided.")


def _describe_comparison(round_: Round, found: Interim, followed: Followed, number: int) -> dict[str, Any]:
    comparison = followed.comparison
    question = next(one for one in round_.rules.questions if one.shared_key == comparison.question)
    first, second = found.names[comparison.first], found.names[comparison.second]
    title = (
        _("%(one)s preferred to %(other)s") % {"one": first, "other": second}
        if comparison.by_choice
        else _("%(one)s − %(other)s") % {"one": first, "other": second}
    )
    return {
        "title": title,
        "question": question.text,
        "label": _label_question(round_, question),
        "figure": _draw_looks(followed, title, number),
        "rows": [(place, found.count_ratings(place), look) for place, look in _pick_rows(followed)],
        "last": followed.last,
        "met_at": followed.find_met(found.rule, found.width),
        "level": 100 * followed.level,
    }


def _label_question(round_: Round, question: Question) -> str:
    attribute = round_.project.schema_version.schema.find(question.attribute) if question.attribute else None
    return attribute.label if attribute else question.shared_key.replace("-", " ").capitalize()


def _draw_looks(followed: Followed, title: str, number: int) -> Svg | None:
    """The interval at every look around the mean, with a line at no difference; None before the first look."""
    if not followed.looks:
        return None
    pairs = list(zip(followed.places, followed.looks, strict=True))
    return Curves(
        key=f"looks-{number}",
        title=title,
        curves=[Curve(title, [(place, look.mean) for place, look in pairs])],
        label_x=_("sources judged"),
        description=describe_last(followed.places[-1], followed.looks[-1]),
        band=[(place, look.low, look.high) for place, look in pairs],
        goals=[followed.comparison.null],
    ).draw()


def describe_last(place: int, look: Look) -> str:
    text = ngettext(
        "After %(n)d source the mean is %(mean)s, its interval %(low)s to %(high)s.",
        "After %(n)d sources the mean is %(mean)s, its interval %(low)s to %(high)s.",
        place,
    )
    return text % {
        "n": place,
        "mean": format_decimal(look.mean, 2),
        "low": format_decimal(look.low, 2),
        "high": format_decimal(look.high, 2),
    }


def _pick_rows(followed: Followed) -> list[tuple[int, Look]]:
    """Looks at even distances, the newest first."""
    pairs = list(zip(followed.places, followed.looks, strict=True))[::-1]
    every = -(-len(pairs) // MOST_ROWS) or 1
    return pairs[::every]

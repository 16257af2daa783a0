"""The page of a grid of trainings: dev curves side by side, and the winner."""

import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.word_patterns import join_clauses, name_value
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from epitome.figures.curves import Curve, Curves
from epitome.figures.numbers import UNKNOWN, format_count, format_measure
from epitome.figures.svg import Svg
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Cell, Column, Table
from modelbridge.models import TrainingState
from modelbridge.services.training import groups
from modelbridge.services.training.groups import GroupMember

CURVES_PER_FIGURE = 3
MAX_ROWS = 60


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_group(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One grid. Posting do=cancel stops its trainings."""
    group = groups.group_of(project, public_id)
    if request.method == "POST":
        if request.POST.get("do") == "cancel":
            n = groups.cancel_group(group=group, by=current_user(request))
            text = ngettext("%(n)s training cancelled.", "%(n)s trainings cancelled.", n)
            messages.success(request, text % {"n": format_count(n)})
        return redirect("training-group", project.slug, group.public_id)
    members = groups.list_members(group)
    winner = groups.find_winner(members)
    waiting = next((member.training for member in members if member.training.state == TrainingState.QUEUED), None)
    context = {
        "project": project,
        "group": group,
        "members": [_describe_member(member, winner) for member in members],
        "winner": winner,
        "winner_score": format_measure(winner.best, 4) if winner and winner.best is not None else "",
        "ended": all(member.training.state not in TrainingState.UNDER_WAY for member in members),
        "missing_worker": find_missing_worker(waiting.job) if waiting is not None else None,
        "figures": draw_curves(members),
        "curves": _render_curves(members),
    }
    return render(request, "modelbridge/training/group.html", context)


def _describe_member(member: GroupMember, winner: GroupMember | None) -> dict[str, Any]:
    best = member.training.best
    return {
        "training": member.training,
        "label": member.label,
        "is_winner": member is winner,
        "best": UNKNOWN if member.best is None else format_measure(member.best, 4),
        "step": UNKNOWN if "step" not in best else format_count(best["step"]),
        "error": member.training.error,
    }


def draw_curves(members: Sequence[GroupMember]) -> list[Svg]:
    """The dev scores by update, three trainings in each figure."""
    drawn = [member for member in members if len(member.curve) > 1]
    figures = []
    for start in range(0, len(drawn), CURVES_PER_FIGURE):
        part = drawn[start : start + CURVES_PER_FIGURE]
        lines = [Curve(member.label, [(float(step), score) for step, score in member.curve]) for member in part]
        described = join_clauses(name_value(member.label, format_measure(member.best or 0.0, 4)) for member in part)
        title = _("Score on dev (lower is better)")
        figures.append(Curves(f"dev-{start}", title, lines, _("updates"), described).draw())
    return figures


def _render_curves(members: Sequence[GroupMember]) -> RenderedTable | None:
    """One row per update, one column per training; at most MAX_ROWS rows, evenly spread, with the last one."""
    curves = [dict(member.curve) for member in members]
    steps = sorted({step for curve in curves for step in curve})
    if not steps:
        return None
    if len(steps) > MAX_ROWS:
        steps = [steps[number * (len(steps) - 1) // (MAX_ROWS - 1)] for number in range(MAX_ROWS)]
    heads = [Column(_("Update"), digits=0), *(Column(member.label, digits=4) for member in members)]
    rows = [
        [Cell(step), *(Cell(curve[step]) if step in curve else Cell(undefined=_("not evaluated")) for curve in curves)]
        for step in steps
    ]
    return render_table(Table("curves", _("Score on dev by update"), heads, rows), gettext=_)

"""The progress of a project over time: burn-up, days, weeks, and the hours and the pay so far and to come."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.staff.counts_cache import Counts, counts_of, recorded_work_of
from annotation.services.staff.progress_weeks import Week, sum_weeks
from annotation.services.staff.recorded_work import RecordedWork
from annotation.services.staff.written_by_day import read_days
from annotation.views.core.decorators import project_page
from annotation.views.staff.burn_up import build_burn_up, project_today
from annotation.views.staff.progress_tables import build_days_table, build_effort_table, build_weeks_table
from annotation.views.staff.week_figures import build_week_figures
from epitome.figures.svg import Svg
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Table


@project_page(access.STAFF)
def progress_page(request: HttpRequest, project: Project) -> HttpResponse:
    counts = counts_of(project)
    context: dict[str, Any] = {"project": project, "burn_up": build_burn_up(project, counts)}
    if context["burn_up"] is not None:
        sees_pay = bool(access.roles_of(request.user, project) & {role.value for role in access.MAKERS})
        context.update(_build_sections(project, counts, recorded_work_of(project), sees_pay))
    return render(request, "annotation/staff/progress.html", context)


def _build_sections(project: Project, counts: Counts, work: RecordedWork, sees_pay: bool) -> dict[str, Any]:
    """Hours and pay are for those who see the ledger."""
    today = project_today(project)
    weeks = sum_weeks(dict(read_days(counts.by_day.written)), work.verdicts, work.minutes, today)
    return {
        "days": _render(build_days_table(counts, today)),
        "weeks": _render(build_weeks_table(weeks, with_hours=sees_pay)),
        "figures": _draw_weeks(weeks),
        "effort": _render(build_effort_table(project, counts.pipeline, work.time)) if sees_pay else None,
    }


def _draw_weeks(weeks: list[Week]) -> list[Svg]:
    return [chart.draw() for chart in build_week_figures(weeks)]


def _render(table: Table) -> RenderedTable:
    return render_table(table, gettext=_)

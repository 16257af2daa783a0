"""The project dashboard for staff: pipeline, coverage, annotators, alerts, recent events."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from annotation.figures.charts import Bar, Bars
from annotation.figures.svg import Svg
from annotation.models import JobState, Project
from annotation.services.core import access
from annotation.services.staff import dashboard
from annotation.services.staff.counts_cache import counts_of
from annotation.services.staff.pipeline_counts import Cell
from annotation.views.core.decorators import project_page
from annotation.views.jobs.jobs import describe_job
from annotation.views.jobs.missing_workers import describe_missing_worker
from annotation.views.people.projects import recent_events
from annotation.views.staff.coverage import build_coverage_table, sort_cells
from annotation.views.staff.next_steps import next_step
from annotation.views.staff.notices import list_notices

IN_FIGURE = 36


@project_page(access.STAFF)
def dashboard_page(request: HttpRequest, project: Project) -> HttpResponse:
    counts = counts_of(project)
    people = dashboard.list_people(project, counts)
    alerts = dashboard.find_alerts(project, counts, people)
    jobs = dashboard.newest_jobs(project)
    waiting = [job for job in jobs if job.state in JobState.UNDER_WAY and job.kind not in ("count_tokens", "score")]
    return render(
        request,
        "annotation/staff/project.html",
        {
            "project": project,
            "counts": counts.pipeline,
            "counted_at": counts.at,
            "stages": dashboard.count_stages(project),
            "alerts": alerts,
            "notices": list_notices(request, project),
            "missing_worker": describe_missing_worker(alerts.unserved),
            "people": people,
            "figure": draw_coverage(sort_cells(project, counts.coverage)),
            "tables": build_coverage_table(project, counts.coverage),
            "jobs": [describe_job(job) for job in jobs],
            "step": next_step(project, counts.pipeline, waiting),
            "recent": recent_events(project),
        },
    )


def draw_coverage(cells: Sequence[Cell]) -> Svg | None:
    """Bars of summaries written and wanted per combination; the dashed mark is their average progress."""
    rows = cells[:IN_FIGURE]
    total_wanted, total_written = sum(cell.wanted for cell in rows), sum(cell.written for cell in rows)
    if not total_wanted:
        return None
    label = _("%(written)d of %(wanted)d")
    bars = [
        Bar(
            cell.combination,
            cell.written,
            cell.wanted,
            label % {"written": cell.written, "wanted": cell.wanted},
            goal=total_written * cell.wanted / total_wanted,
            lead=cell.written >= dashboard.LOW * total_written * cell.wanted / total_wanted,
        )
        for cell in rows
    ]
    return Bars("coverage", _("Summaries written of those wanted"), bars).draw()

"""The project dashboard for staff: pipeline, coverage, annotators, alerts, recent events."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.models import JobState, Project
from annotation.services.core import access
from annotation.services.staff import dashboard
from annotation.services.staff.counts_cache import counts_of
from annotation.views.core.decorators import project_page
from annotation.views.core.navigation import get_roles
from annotation.views.jobs.jobs import describe_jobs
from annotation.views.jobs.missing_workers import describe_missing_worker
from annotation.views.people.project_templates import describe_project
from annotation.views.people.projects import recent_events
from annotation.views.staff.burn_up import build_burn_up, draw_recent_days
from annotation.views.staff.checklist import build_checklist
from annotation.views.staff.coverage import build_coverage_table
from annotation.views.staff.measuring_stages import list_measuring_stages
from annotation.views.staff.notices import list_notices
from annotation.views.staff.path_steps import Facts
from annotation.views.staff.person_lines import build_person_lines


@project_page(access.STAFF)
def dashboard_page(request: HttpRequest, project: Project) -> HttpResponse:
    counts = counts_of(project)
    people = dashboard.list_people(project, counts)
    alerts = dashboard.find_alerts(project, counts, people)
    jobs = dashboard.newest_jobs(project)
    stages = dashboard.count_stages(project)
    roles = get_roles(request)
    waiting = [job for job in jobs if job.state in JobState.UNDER_WAY and not job.is_measuring]
    return render(
        request,
        "annotation/staff/project.html",
        {
            "project": project,
            "subtitle": describe_project(project),
            "counts": counts.pipeline,
            "counted_at": counts.at,
            "stages": stages,
            "measuring": list_measuring_stages(project),
            "burn_up": build_burn_up(project, counts),
            "alerts": alerts,
            "notices": list_notices(request, project),
            "missing_worker": describe_missing_worker(alerts.unserved),
            "people": build_person_lines(project, people, draw_recent_days(project, counts, people)),
            "tables": build_coverage_table(project, counts.coverage),
            "jobs": describe_jobs(jobs),
            "checklist": build_checklist(request, project, Facts(counts.pipeline, stages), roles, waiting),
            "recent": recent_events(project),
        },
    )

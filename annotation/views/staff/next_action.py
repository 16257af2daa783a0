"""What comes next in a project, for the page of a job that has done a step of the overview's check list."""

from django.http import HttpRequest

from annotation.models import Job, JobState
from annotation.services.staff.counts_cache import counts_of
from annotation.services.staff.dashboard import count_stages
from annotation.views.core.navigation import get_roles
from annotation.views.staff.checklist import build_checklist
from annotation.views.staff.path_steps import Action, Facts

PREPARING_JOBS = ("import", "extract", "sample")
"""Kinds of jobs that do a step."""


def find_next_action(request: HttpRequest, job: Job) -> Action | None:
    """The button of the first step that can be done now; None where none can be, and for jobs of other kinds."""
    project = job.project
    if project is None or job.state != JobState.DONE or job.kind not in PREPARING_JOBS:
        return None
    facts = Facts(counts_of(project).pipeline, count_stages(project))
    current = build_checklist(request, project, facts, get_roles(request), ()).current
    return current.action if current is not None else None

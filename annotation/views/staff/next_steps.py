"""What comes next in a project, for the page of a job that has done a step of the overview's check list."""

from django.http import HttpRequest

from annotation.models import Job, JobState
from annotation.services.staff.counts_cache import counts_of
from annotation.services.staff.dashboard import count_stages
from annotation.views.core.navigation import get_roles
from annotation.views.staff.checklist import Checklist, build_checklist
from annotation.views.staff.path_steps import Facts

PREPARING_JOBS = ("import", "extract", "sample")
"""Kinds of jobs that do a step."""


def find_next_steps(request: HttpRequest, job: Job) -> Checklist | None:
    """The check list of the job's project, for the first step that can be done now; None for jobs of other kinds."""
    project = job.project
    if project is None or job.state != JobState.DONE or job.kind not in PREPARING_JOBS:
        return None
    facts = Facts(counts_of(project).pipeline, count_stages(project))
    return build_checklist(request, project, facts, get_roles(request), ())

"""The menu of jobs in the header: the latest ones of all of a person's projects, and that they were looked at."""

from typing import NamedTuple

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render, resolve_url
from django.template.defaultfilters import truncatechars
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from annotation.models import Job, JobState
from annotation.services.core.job_outlook import JobOutlook
from annotation.services.staff import header_counts
from annotation.views.core.decorators import current_user, signed_in
from annotation.views.jobs.jobs import describe_job
from epitome.figures.numbers import format_count

ERROR_SHOWN = 140
"""Characters of an error that the menu shows; the job's page has all of it."""


class LatestJob(NamedTuple):
    """A job in the menu: what it does and on what, how far it is and when it ends, and why it failed."""

    job: Job
    title: str
    subject: str
    outlook: JobOutlook | None
    progress: str
    is_under_way: bool
    error: str


@signed_in()
def show_latest_jobs(request: HttpRequest) -> HttpResponse:
    """The latest jobs as a part of a page. Not found for people who may see no project's jobs."""
    user: User = current_user(request)
    jobs = [_describe_latest(job) for job in header_counts.list_latest_jobs(user)]
    context = {"jobs": jobs, "is_under_way": any(entry.is_under_way for entry in jobs)}
    return render(request, "annotation/jobs/_latest_jobs.html", context)


def _describe_latest(job: Job) -> LatestJob:
    line = describe_job(job)
    is_under_way = job.state in JobState.UNDER_WAY
    progress = ""
    if is_under_way and job.progress_total:
        progress = _("%(done)s of %(total)s") % {
            "done": format_count(job.progress_done),
            "total": format_count(job.progress_total),
        }
    error = truncatechars(job.error.strip(), ERROR_SHOWN) if job.state in JobState.UNSUCCESSFUL else ""
    return LatestJob(job, line.title, line.subject, line.outlook, progress, is_under_way, error)


@signed_in(methods=("POST",))
def mark_jobs_seen(request: HttpRequest) -> HttpResponse:
    """Note that the person has looked at the jobs, and go back to the page in `next`."""
    header_counts.mark_jobs_seen(current_user(request))
    next_url = request.POST.get("next", "")
    is_safe = url_has_allowed_host_and_scheme(
        next_url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(next_url if is_safe else resolve_url("home"))

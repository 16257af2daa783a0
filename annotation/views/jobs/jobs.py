"""Jobs: the list, the page of one job, its state for the progress bar, its file."""

import time
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.jobs import HANDLERS, Queue, cancel_job
from annotation.models import Job, JobState, Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.job_outlook import JobOutlook, describe_kept, describe_outlook
from annotation.services.core.text_search import contains
from annotation.services.core.word_patterns import join_names
from annotation.services.exports.exporting import STORED_KINDS
from annotation.views.core.decorators import current_user, enter_project, project_page, signed_in, zone_override
from annotation.views.core.list_filters import list_active
from annotation.views.core.navigation import set_tab
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.jobs.forms import JobFilters
from annotation.views.jobs.missing_workers import find_missing_worker, find_missing_worker_of
from annotation.views.staff.next_steps import find_next_steps

TOLD = (JobState.DONE, *JobState.UNSUCCESSFUL)
"""States of which people are told wherever they are; who cancels a job knows it."""
MOST_TOLD = 5


@project_page(access.MAKERS)
def job_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, JobFilters, kinds=_list_kinds(project))
    rows = Job.objects.filter(project=project).select_related("requested_by").defer("faults", "result").order_by("-id")
    values = form.cleaned_data
    if values["q"]:
        rows = rows.filter(contains(values["q"], "arguments__file_name", "requested_by__username"))
    if values["kind"]:
        rows = rows.filter(kind=values["kind"])
    if values["state"]:
        rows = rows.filter(state=values["state"])
    page = paginate_rows(request, rows)
    context = {
        "project": project,
        "rows": page,
        "form": form,
        "active": list_active(request, form),
        "jobs": describe_jobs(page),
        "missing_worker": find_missing_worker_of(project),
    }
    return render(request, "annotation/jobs/jobs.html", context)


def _list_kinds(project: Project) -> list[tuple[str, str]]:
    """The kinds of the project's jobs, in words."""
    kinds = Job.objects.filter(project=project).order_by().values_list("kind", flat=True).distinct()
    return sorted(((kind, kind_name(kind)) for kind in kinds), key=lambda choice: choice[1])


class JobLine(NamedTuple):
    """A job with its kind in words, what it is about and, while it is under way, when it will be done."""

    job: Job
    title: str
    subject: str
    outlook: JobOutlook | None


def describe_jobs(jobs: Iterable[Job]) -> list[JobLine]:
    queue = Queue()
    return [describe_job(job, queue) for job in jobs]


def describe_job(job: Job, queue: Queue | None = None) -> JobLine:
    options = job.arguments.get("options") or {}
    details = [job.arguments.get("file_name"), options.get("release"), options.get("algorithm")]
    if job.is_export:
        details.append(options.get("format"))
    subject = join_names(str(detail) for detail in details if detail)
    outlook = describe_outlook(job, queue) if job.state in JobState.UNDER_WAY else None
    return JobLine(job, name_job(job), subject, outlook)


def name_job(job: Job) -> str:
    """What the job does, as in "Run lead"."""
    title = HANDLERS[job.kind].title(job) if job.kind in HANDLERS else ""
    return title or kind_name(job.kind)


def kind_name(kind: str) -> str:
    """A job's kind in words. The bare key only for a stored job whose kind is no longer registered."""
    return str(HANDLERS[kind].label) if kind in HANDLERS else kind


@signed_in()
def show_job(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    row = access.row_for(request.user, Job.objects.select_related("requested_by"), public_id, access.MAKERS)
    project = row.project
    assert project is not None  # row_for selects by project
    enter_project(request, project)
    if row.kind in HANDLERS:
        set_tab(request, HANDLERS[row.kind].page)
    line = describe_job(row)
    with zone_override(project):
        return render(
            request,
            "annotation/jobs/job.html",
            {
                "project": project,
                "job": row,
                "title": line.title,
                "subject": line.subject,
                "ended": row.state in JobState.ENDED,
                "kept": describe_kept(row),
                "missing_worker": find_missing_worker(row),
                "facts": result_facts(row.result),
                "faults": row.faults,
                "found": row.result.get("found", len(row.faults)),
                "dry_run": bool(row.result.get("dry_run")),
                "file": stored_file(row),
                "next_steps": find_next_steps(request, row),
            },
        )


@signed_in()
def job_state(request: HttpRequest, public_id: uuid.UUID) -> JsonResponse:
    """The job's progress as JSON, for the progress bar; with ?details the part of its page about who and when."""
    rows = Job.objects.select_related("requested_by").defer("faults")
    row = access.row_for(request.user, rows, public_id, access.MAKERS)
    missing_worker = find_missing_worker(row)
    details = {}
    if "details" in request.GET and row.project is not None:
        with zone_override(row.project):
            details["details"] = render_to_string("annotation/jobs/_job_details.html", {"job": row})
    return JsonResponse(
        {
            **details,
            "state": row.state,
            "label": row.shown_state,
            "outlook": describe_outlook(row).text,
            "ended": row.state in JobState.ENDED,
            "done": row.progress_done,
            "total": row.progress_total,
            "note": missing_worker.title if missing_worker else row.progress_note,
        }
    )


@signed_in(methods=("POST",))
def cancel(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Cancel a job; its page then says what became of its work."""
    row = access.row_for(request.user, Job.objects.select_related("project"), public_id, access.MAKERS)
    if not cancel_job(row, current_user(request)):
        messages.info(request, _("The job has ended already."))
    return redirect("job", public_id)


@signed_in()
def list_ended(request: HttpRequest) -> JsonResponse:
    """The person's own jobs that ended after `since` (seconds), for a short notice on whatever page they are, the time
    until which this is known, and whether any is still under way."""
    user = current_user(request)
    now = time.time()
    try:
        since = datetime.fromtimestamp(float(request.GET.get("since", now)), UTC)
    except (ValueError, OverflowError, OSError):
        raise BadInput(_("The time since when is a number of seconds."), field="since") from None
    own_jobs = Job.objects.filter(requested_by=user, project__isnull=False)
    ended = own_jobs.filter(finished_at__gt=since, state__in=TOLD).defer("faults", "result").order_by("pk")[:MOST_TOLD]
    return JsonResponse(
        {
            "ended": [tell_end(job) for job in ended],
            "until": now,
            "under_way": own_jobs.under_way().exists(),
        }
    )


def tell_end(job: Job) -> dict[str, Any]:
    """A notice that the job has ended."""
    words = {"job": name_job(job)}
    failed = job.state in JobState.UNSUCCESSFUL
    return {
        "id": str(job.public_id),
        "text": (_("%(job)s: failed") if failed else _("%(job)s: done")) % words,
        "failed": failed,
        "url": reverse("job", args=[job.public_id]),
    }


def stored_file(job: Job) -> str:
    """Storage name of an export's file; empty when there is no file."""
    if job.kind not in STORED_KINDS or job.state != JobState.DONE:
        return ""
    return str(job.result.get("file") or "")


@signed_in()
def download_file(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """The file of a finished export, always as an attachment. ?part=manifest gives its manifest."""
    from django.core.files.storage import default_storage

    row = access.row_for(request.user, Job.objects.all(), public_id, access.MAKERS)
    name, file_name = stored_file(row), str(row.result.get("file_name") or "export")
    if request.GET.get("part") == "manifest":
        name, file_name = str(row.result.get("manifest") or "") if name else "", f"{file_name}.manifest.json"
    if not name or not default_storage.exists(name):
        raise NotFound(_("This job has no file, or it was deleted. Export again."))
    stream = default_storage.open(name, "rb")
    return FileResponse(stream, as_attachment=True, filename=file_name, content_type="application/octet-stream")


def result_facts(result: dict[str, Any]) -> list[tuple[str, Any]]:
    """The counts of a job result, with translated labels for the known keys."""
    words = {
        "read": _("rows read"),
        "stored": _("imported"),
        "duplicate": _("duplicates"),
        "left_out": _("left out, too long"),
        "rejected": _("rejected"),
        "references": _("references"),
        "sources": _("sources"),
        "groups": _("groups"),
        "samples": _("samples"),
        "slots": _("summaries to write"),
        "passed_over": _("sources skipped"),
        "documents": _("documents"),
        "articles": _("articles"),
        "instances": _("instances"),
        "before": _("instances before"),
        "without_background": _("names without a background"),
        "topics": _("topics"),
        "speakers": _("speakers"),
        "parked": _("tasks on hold"),
        "rows": _("rows"),
        "skipped": _("skipped"),
        "text_left_out": _("texts left out"),
        "sources_without_text": _("sources exported without text"),
        "sources_without_licence": _("sources without a licence"),
        "summaries": _("summaries"),
        "annotations": _("summaries"),
        "bytes": _("bytes"),
        "format": _("format"),
        "split": _("split"),
        "tag": _("release"),
        "hits": _("places that look like personal data"),
        "address": _("address on the hub"),
    }
    hidden = {"found", "dry_run"}
    result = {**result, **(result.get("counts") or {})}
    return [
        (words.get(key, key.replace("_", " ")), value)
        for key, value in result.items()
        if isinstance(value, int | str)
        and value != ""
        and not isinstance(value, bool)
        and key not in hidden
        and (key in words or isinstance(value, int))
    ]

"""The result of one import: its progress, then what was stored, what was left out and what to do about it."""

import uuid
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Count, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Job, JobState, Project, SourceDocument
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.word_patterns import add_remark, name_value
from annotation.services.sources import import_retry
from annotation.services.sources.import_words import describe_counts
from annotation.views.core.decorators import current_user, project_page
from annotation.views.jobs.missing_workers import find_missing_worker
from annotation.views.staff.next_steps import find_next_steps
from epitome.figures.numbers import format_count
from epitome.figures.tables import csv_line
from epitome.site.file_language import writes_file


class RowLeftOut(NamedTuple):
    """A row that was not imported. line: in the file, None if it has none; public_id: of the source that is there."""

    line: int | None
    place: str
    external_id: str
    reason: str
    advice: str
    public_id: uuid.UUID | None = None


def _find_job(project: Project, public_id: uuid.UUID) -> Job:
    job = Job.objects.filter(project=project, kind="import", public_id=public_id).select_related("requested_by").first()
    if job is None:
        raise NotFound(_("There is no such import."))
    return job


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def show_import(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The result of an import. Posting imports what was too long, with a higher limit."""
    job = _find_job(project, public_id)
    if request.method == "POST":
        try:
            again = import_retry.import_left_out(job=job, by=current_user(request))
        except ServiceError as error:
            messages.error(request, error.message)
            again = job
        return redirect("import-result", project.slug, again.public_id)
    ended = job.state in JobState.ENDED
    sources = SourceDocument.objects.filter(project=project)
    rows = list_rows_left_out(project, job)
    result = job.result
    n_left_out = sum(int(result.get(name) or 0) for name in ("left_out", "duplicate", "rejected"))
    context = {
        "project": project,
        "job": job,
        "file_name": job.arguments.get("file_name", ""),
        "ended": ended,
        "refused": job.state in JobState.UNSUCCESSFUL,
        "missing_worker": find_missing_worker(job),
        "result": result,
        "rows": rows,
        "n_left_out": n_left_out,
        "answers": _describe_answers(result),
        "next_steps": find_next_steps(request, job),
        **_offer_higher_limit(job),
        **sources.aggregate(n_sources=Count("pk"), n_words=Sum("n_words", default=0)),
    }
    return render(request, "annotation/sources/import_result.html", context)


def _describe_answers(result: dict[str, Any]) -> str:
    """What became of the answers in the file; "" for a file in which nothing was left out and nobody is named."""
    left_out, authors = result.get("answers_left_out") or {}, int(result.get("n_authors") or 0)
    if not left_out and not authors:
        return ""
    return describe_counts(
        sources=int(result.get("stored") or 0),
        references=int(result.get("references") or 0),
        left_out=left_out,
        authors=authors,
    )


def _offer_higher_limit(job: Job) -> dict[str, Any]:
    """What the page needs to offer a higher limit of words."""
    limit = import_retry.propose_limit(job)
    return {
        "n_too_long": job.result.get("left_out", 0),
        "higher_limit": limit,
        "has_limit": limit is not None and limit < import_retry.NO_LIMIT,
        "has_upload": limit is not None and import_retry.has_upload(job),
    }


def list_rows_left_out(project: Project, job: Job) -> list[RowLeftOut]:
    """The rows of an import that were not stored, in the order of the file where it is known."""
    listed: list[dict[str, Any]] = job.result.get("rows_left_out") or []
    ids = [row["id"] for row in listed if row["reason"] == "duplicate"]
    stored = SourceDocument.objects.filter(project=project, external_id__in=ids)
    public_ids = dict(stored.values_list("external_id", "public_id").order_by())
    rows = [_describe_left_out(row, job, public_ids.get(row["id"])) for row in listed]
    rows += [_describe_fault(fault) for fault in job.faults]
    return sorted(rows, key=lambda row: (row.line is None, row.line or 0))


def _describe_left_out(row: dict[str, Any], job: Job, public_id: uuid.UUID | None) -> RowLeftOut:
    if row["reason"] == "duplicate":
        reason = _("Already in the project with the same text")
        return RowLeftOut(row["line"], row["place"], row["id"], reason, _("Nothing to do."), public_id)
    limit = (job.arguments.get("options") or {}).get("max_words")
    reason = _("Too long, words: %(n)s") % {"n": format_count(row["words"])}
    if limit:
        reason = _("Too long, words: %(n)s, limit: %(limit)s") % {
            "n": format_count(row["words"]),
            "limit": format_count(limit),
        }
    return RowLeftOut(row["line"], row["place"], row["id"], reason, _("Raise the limit of words (above)."))


def _describe_fault(fault: dict[str, Any]) -> RowLeftOut:
    reason = name_value(fault["field"], fault["message"]) if fault.get("field") else fault["message"]
    if fault.get("value"):
        reason = add_remark(reason, fault["value"])
    advice = {
        "doubled_id": _("Give each row an id of its own, or set no column to “ID”."),
        "changed_source": _("Give the row another id, or delete it from the file."),
        "missing": _("Fill in the cell, or set another column to this field."),
        "empty": _("Fill in the cell, or delete the row."),
        "encoding": _("Choose the encoding of the file, or save it as UTF-8."),
        "reference": _("Use a value of the project’s attributes, or set the column to “Metadata”."),
    }.get(fault.get("code", ""), _("Correct the row in the file and import it again."))
    place = "" if fault.get("line") else str(fault.get("file") or "")
    return RowLeftOut(fault.get("line"), place, "", reason, advice)


@writes_file
@project_page(access.MAKERS)
def download_left_out(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The rows left out as CSV."""
    job = _find_job(project, public_id)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="left-out.csv"'
    response.write(csv_line(["line", "id", "place", "reason", "what to do"]))
    for row in list_rows_left_out(project, job):
        response.write(csv_line([row.line or "", row.external_id, row.place, row.reason, row.advice]))
    return response

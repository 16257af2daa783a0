"""Pages of publications: the list, one publication with its checks, the places with personal data, the datasheet."""

import uuid
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import HitDecision, Job, JobState, Project, Publication, PublicationHit, Release
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.publications import publication_jobs, publications
from annotation.services.publications.dataset_facts import preview_facts
from annotation.services.publications.hit_excerpts import read_excerpts
from annotation.services.publications.hub_upload import is_set_up
from annotation.services.publications.report_sites import list_report_sites
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.jobs.jobs import stored_file
from annotation.views.jobs.missing_workers import find_missing_worker
from annotation.views.publications.forms import DatasheetForm, DescriptionForm, HitFilters, StartForm, UploadForm
from epitome.publication.datasheet import QUESTIONS, list_gaps

METHODS = ["GET", "HEAD", "POST"]


@project_page(access.MAKERS, methods=METHODS)
def list_publications(request: HttpRequest, project: Project) -> HttpResponse:
    """The publications of a project, a form that starts one, and the sites of its rounds."""
    form = StartForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            publication = publications.start_publication(
                project=project,
                tag=values["tag"],
                state=values["state"] or None,
                split_seed=values["split_seed"],
                by=current_user(request),
            )
        except ServiceError as error:
            if error.field == "release":
                error.field = "tag"
            add_service_error(form, error)
        else:
            return redirect("publication", project.slug, publication.public_id)
    rows = Publication.objects.filter(project=project).select_related("created_by").defer("checks").order_by("-id")
    context = {
        "project": project,
        "form": form,
        "publications": rows[:100],
        "tags": Release.objects.filter(project=project, publications=None).order_by("-id").values_list("tag")[:20],
        "sites": list_report_sites(project),
    }
    status = 422 if form.errors else 200
    return render(request, "annotation/publications/publications.html", context, status=status)


def find_publication(project: Project, public_id: uuid.UUID) -> Publication:
    """Raises NotFound."""
    publication = Publication.objects.filter(project=project, public_id=public_id).select_related("release").first()
    if publication is None:
        raise NotFound()
    publication.project = project
    return publication


@project_page(access.MAKERS, methods=METHODS)
def show_publication(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    publication = find_publication(project, public_id)
    form = DescriptionForm(initial=publication.description)
    upload = UploadForm()
    if request.method == "POST":
        do = request.POST.get("do", "")
        if do == "describe":
            form = DescriptionForm(request.POST)
        elif do == "push":
            upload = UploadForm(request.POST)
        if _apply_action(request, publication, do, form, upload):
            return redirect("publication", project.slug, public_id)
    faulty = form.errors or upload.errors
    context = {**_describe(publication), "project": project, "form": form, "upload": upload}
    return render(request, "annotation/publications/publication.html", context, status=422 if faulty else 200)


def _apply_action(
    request: HttpRequest, publication: Publication, do: str, form: DescriptionForm, upload: UploadForm
) -> bool:
    """Do what a button asks for; False: the page is shown again with the faults of its form."""
    by = current_user(request)
    fields = {"describe": form, "push": upload}.get(do)
    if fields is not None and not fields.is_valid():
        return False
    try:
        if do == "check":
            publication_jobs.start_check(publication=publication, by=by)
        elif do == "write":
            publication_jobs.start_writing(publication=publication, by=by)
        elif do == "push":
            publication_jobs.start_upload(publication=publication, by=by, **upload.cleaned_data)
        elif do == "describe":
            publications.save_description(publication=publication, changes=form.cleaned_data, by=by)
            messages.success(request, _("Description saved."))
        elif do in publications.CHOICES:
            choice = {do: request.POST.get("choice", "")}
            publications.save_choices(publication=publication, choices=choice, by=by)
        else:
            raise NotFound()
    except NotFound:
        raise
    except ServiceError as error:
        if fields is not None and error.field in fields.fields:
            add_service_error(fields, error)
            return False
        messages.error(request, error.message)
    return True


def _describe(publication: Publication) -> dict[str, Any]:
    """What the page shows of a publication besides its forms."""
    running = publication_jobs.find_running_job(publication)
    write = publication_jobs.find_last_job(publication, publication_jobs.WRITE)
    push = publication_jobs.find_last_job(publication, publication_jobs.PUSH)
    check = publication_jobs.find_last_job(publication, publication_jobs.CHECK)
    last = max((job for job in (check, write, push) if job is not None), key=lambda job: job.pk, default=None)
    return {
        "publication": publication,
        "checks": publication.checks,
        "choices": publication.choices,
        "obstacles": publications.list_obstacles(publication),
        "n_hits": publication.hits.count(),
        "n_undecided": publications.undecided_hits(publication).count(),
        "n_questions": len(QUESTIONS),
        "n_gaps": len(list_gaps(preview_facts(publication))),
        "job": running,
        "failed": last if running is None and last is not None and last.state in JobState.UNSUCCESSFUL else None,
        "missing_worker": find_missing_worker(running) if running is not None else None,
        "archive": write if write is not None and _has_archive(write) else None,
        "pushed": push if push is not None and push.state == JobState.DONE else None,
        "hub": is_set_up(),
    }


def _has_archive(job: Job) -> bool:
    from django.core.files.storage import default_storage

    name = stored_file(job)
    return bool(name) and default_storage.exists(name)


@project_page(access.MAKERS, methods=METHODS)
def list_hits(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The places that look like personal data; POST decides about those that are ticked, or about all that match."""
    publication = find_publication(project, public_id)
    form = filters_of(request, HitFilters)
    hits = publication.hits.select_related("document", "decided_by").order_by("document_id", "pk")
    if kind := form.cleaned_data["kind"]:
        hits = hits.filter(kind=kind)
    if decision := form.cleaned_data["decision"]:
        hits = hits.filter(decision="" if decision == "open" else decision)
    if request.method == "POST":
        _decide(request, publication, hits)
        return redirect(request.get_full_path())
    page = paginate_rows(request, hits)
    context = {
        "project": project,
        "publication": publication,
        "rows": page,
        "excerpts": read_excerpts(project, list(page)),
        "form": form,
        "active": list_active(request, form),
        "decisions": [row for row in HitDecision.choices if row[0]],
    }
    return render(request, "annotation/publications/hits.html", context)


def _decide(request: HttpRequest, publication: Publication, hits: "QuerySet[PublicationHit]") -> None:
    try:
        if not request.POST.get("all"):
            ids = [text for text in request.POST.getlist("hit") if _is_uuid(text)]
            if not ids:
                messages.error(request, _("Tick the places that the decision is about."))
                return
            hits = publications.list_hits(publication, ids)
        decision = request.POST.get("decision", "")
        n_changed = publications.decide_hits(
            publication=publication, hits=hits, decision=decision, by=current_user(request)
        )
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        words = ngettext("Decided about %(n)d place.", "Decided about %(n)d places.", n_changed)
        messages.success(request, words % {"n": n_changed})


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True


@project_page(access.MAKERS, methods=METHODS)
def edit_datasheet(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    publication = find_publication(project, public_id)
    form = DatasheetForm(request.POST or None, facts=preview_facts(publication))
    if request.method == "POST" and form.is_valid():
        try:
            changes = {"answers": form.cleaned_data}
            publications.save_description(publication=publication, changes=changes, by=current_user(request))
        except ServiceError as error:
            add_service_error(form, error)
        else:
            messages.success(request, _("Datasheet saved."))
            return redirect("publication", project.slug, public_id)
    context = {"project": project, "publication": publication, "form": form}
    status = 422 if form.errors else 200
    return render(request, "annotation/publications/datasheet.html", context, status=status)

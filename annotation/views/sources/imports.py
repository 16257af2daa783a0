"""Importing a file: the form starts a job and redirects to its page."""

import contextlib

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import Project, SourceImport
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.sources import column_mappings, import_types, importing
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.sources.forms import MAPPED, NO_RELEASE, ImportForm


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def import_sources(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method == "POST" and "forget" in request.POST:
        return _forget_columns(request, project)
    saved = column_mappings.list_saved_mappings(project)
    changed = next((row for row in saved if row.key == request.GET.get("columns")), None)
    form = ImportForm(
        request.POST or None,
        request.FILES or None,
        formats=import_types.FORMATS,
        columns=changed.columns if changed else {},
    )
    if request.method == "POST" and form.is_valid():
        try:
            job = importing.start_import(
                project=project,
                upload=form.cleaned_data["file"],
                options=_import_options(form),
                by=current_user(request),
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            messages.info(request, _("The file is here. It is read in the background; you may leave this page."))
            return redirect("job", job.public_id)
    context = {
        "project": project,
        "form": form,
        "columns": [form[f"column_{name}"] for name in MAPPED],
        "changed": changed,
        "saved": saved,
        "limit": settings.EPITOME_MAX_UPLOAD,
        "limit_mb": settings.EPITOME_MAX_UPLOAD // 2**20,
        "imports": SourceImport.objects.filter(project=project, published_at__isnull=False)
        .select_related("created_by")
        .order_by("-id")[:10],
    }
    return render(request, "annotation/sources/import.html", context, status=422 if form.errors else 200)


def _forget_columns(request: HttpRequest, project: Project) -> HttpResponse:
    with contextlib.suppress(NotFound):  # somebody else has just forgotten it
        column_mappings.forget_mapping(project=project, key=request.POST["forget"])
    messages.success(request, _("These column names are not used for later files any more."))
    return redirect("import", project.slug)


def _import_options(form: ImportForm) -> import_types.ImportOptions:
    values = form.cleaned_data
    return import_types.ImportOptions(
        format=values["format"],
        split=values["split"] or None,
        with_references=values["with_references"],
        dry_run=values["dry_run"],
        partial=values["partial"],
        mapping=form.mapping(),
        max_words=values["max_words"],
        licence=form.licence_name(),
        may_release_text=values["permission"] != NO_RELEASE,
    )

"""The page that sets licence and release permission: of one source, or of all that match the filter of the list."""

import uuid

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Project, SourceDocument
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.sources.licences import set_licence
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.pagination import filters_of
from annotation.views.sources.documents import filter_sources
from annotation.views.sources.forms import DocumentFilters
from annotation.views.sources.licences import LicenceFields


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def change_licence(request: HttpRequest, project: Project) -> HttpResponse:
    source = _find_source(request, project)
    sources = _select_sources(request, project, source)
    form = LicenceFields(request.POST if request.method == "POST" else None)
    form.fields["permission"].help_text = _("Every later export follows it, also the next one of a frozen release.")
    if request.method == "POST" and form.is_valid():
        try:
            changed = set_licence(
                project=project,
                sources=sources,
                licence=form.licence_name(),
                may_release_text=form.may_release_text(),
                by=current_user(request),
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            words = ngettext("Licence of %(n)d source changed.", "Licence of %(n)d sources changed.", changed)
            messages.success(request, words % {"n": changed})
            if source is not None:
                return redirect("document", project.slug, source.public_id)
            return redirect("documents", project.slug)
    context = {
        "project": project,
        "form": form,
        "source": source,
        "n_sources": sources.count(),
        "n_unlicensed": sources.filter(licence="").count(),
        "filtered": bool(request.GET.get("q") or request.GET.get("state")),
    }
    return render(request, "annotation/sources/licence.html", context, status=422 if form.errors else 200)


def _find_source(request: HttpRequest, project: Project) -> SourceDocument | None:
    """The one source that the address names. Raises NotFound."""
    if "source" not in request.GET:
        return None
    try:
        public_id = uuid.UUID(request.GET["source"])
    except ValueError as error:
        raise NotFound(_("There is no such source.")) from error
    source = SourceDocument.objects.filter(project=project, public_id=public_id).first()
    if source is None:
        raise NotFound(_("There is no such source."))
    return source


def _select_sources(request: HttpRequest, project: Project, source: SourceDocument | None) -> QuerySet[SourceDocument]:
    if source is not None:
        return SourceDocument.objects.filter(pk=source.pk)
    return filter_sources(project, filters_of(request, DocumentFilters))

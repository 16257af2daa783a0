"""Which sources take part: a recorded random selection."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from annotation.models import Project, SourceDocument, SourceSelection
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.sources import selection as source_selection
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.sources.forms import SelectionForm


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def select_sources(request: HttpRequest, project: Project) -> HttpResponse:
    form = SelectionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            selection = source_selection.select_sources(project=project, by=current_user(request), **form.cleaned_data)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            message = ngettext(
                "%(n)d source selected; the others are set aside.",
                "%(n)d sources selected; the others are set aside.",
                selection.n,
            )
            messages.success(request, message % {"n": selection.n})
            return redirect("documents", project.slug)
    context = {
        "project": project,
        "form": form,
        "usable": SourceDocument.objects.filter(project=project, damaged=False).count(),
        "selections": SourceSelection.objects.filter(project=project)
        .select_related("created_by")
        .defer("chosen")
        .order_by("-id")[:10],
    }
    return render(request, "annotation/sources/select.html", context, status=422 if form.errors else 200)

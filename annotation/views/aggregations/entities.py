"""The entities of a project: which lack a background, typing one, dropping a name, and files of backgrounds."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext

from annotation.models import BackgroundState, EntityBackground, Project
from annotation.services.aggregations import backgrounds
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.services.core.text_search import contains
from annotation.views.aggregations.forms import BackgroundForm, BackgroundsForm, EntityFilters
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows


@project_page(access.STAFF)
def entity_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, EntityFilters)
    values = form.cleaned_data
    rows = backgrounds.list_backgrounds(project, only_to_do=values["state"] == "to-do")
    if values["q"]:
        rows = rows.filter(contains(values["q"], "name"))
    if values["state"] in BackgroundState.values:
        rows = rows.filter(state=values["state"])
    context = {
        "project": project,
        "form": form,
        "rows": paginate_rows(request, rows),
        "active": list_active(request, form),
        "filtered": any(values.values()),
        "n_to_do": backgrounds.count_missing(project),
    }
    return render(request, "annotation/aggregations/entities.html", context)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def upload_backgrounds(request: HttpRequest, project: Project) -> HttpResponse:
    form = BackgroundsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["file"]
        try:
            given_backgrounds = backgrounds.read_file(upload, upload.name)
            n = backgrounds.fill_backgrounds(project=project, given=given_backgrounds, by=current_user(request))
        except ServiceError as error:
            add_service_error(form, error)
        else:
            text = ngettext("%(n)d name got its background.", "%(n)d names got their backgrounds.", n)
            messages.success(request, text % {"n": n})
            return redirect("entities", project.slug)
    context = {"project": project, "form": form}
    return render(request, "annotation/aggregations/upload.html", context, status=422 if form.errors else 200)


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def edit_entity(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """do=save stores what was typed, do=drop drops the entity with its instances."""
    background = backgrounds.get_background(project, public_id)
    initial = {"title": background.title, "url": background.url, "text": background.text}
    is_dropping = request.POST.get("do") == "drop"
    form = BackgroundForm(request.POST if request.method == "POST" and not is_dropping else None, initial=initial)
    if request.method == "POST" and is_dropping:
        return _drop_entity(request, project, background)
    if request.method == "POST" and form.is_valid():
        try:
            n = backgrounds.change_background(background=background, by=current_user(request), **form.cleaned_data)
        except ServiceError as error:
            add_service_error(form, error)
        else:
            text = ngettext("Saved. %(n)d instance shows it.", "Saved. %(n)d instances show it.", n)
            messages.success(request, text % {"n": n})
            return redirect("entities", project.slug)
    context = {
        "project": project,
        "form": form,
        "background": background,
        "is_dropped": background.state == BackgroundState.DROPPED,
    }
    return render(request, "annotation/aggregations/entity.html", context, status=422 if form.errors else 200)


def _drop_entity(request: HttpRequest, project: Project, background: EntityBackground) -> HttpResponse:
    n = backgrounds.drop_entity(background=background, by=current_user(request))
    text = ngettext(
        "%(name)s was dropped: %(n)d instance is void now.", "%(name)s was dropped: %(n)d instances are void now.", n
    )
    messages.success(request, text % {"n": n, "name": background.name})
    return redirect("entities", project.slug)

"""Staff pages of the practice: its items, the switch, and who is where."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import PracticeItem, PracticeState, Project, SourceDocument
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.services.core.text_search import contains
from annotation.services.practice import decisions, feedback, progress
from annotation.services.practice import items as practice_items
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.public_ids import parse_uuid
from annotation.views.core.shown_names import ShownNames
from annotation.views.practice.forms import ItemForm, ShareForm, SourceFilters, initial_of

STYLES = {
    PracticeState.NOT_BEGUN: ("", "info"),
    PracticeState.IN_PRACTICE: ("", "pen"),
    PracticeState.BELOW: ("warn", "warn"),
    PracticeState.PASSED: ("ok", "check"),
    PracticeState.LET_ON: ("ok", "check"),
}


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def show_setup(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method == "POST":
        if not access.roles_of(request.user, project) & {role.value for role in access.MAKERS}:
            raise NotFound
        return _handle_action(request, project)
    names = ShownNames(request, project)
    people = [
        {
            "row": row,
            "name": names.of(row.user),
            **dict(zip(("css_class", "icon"), STYLES[row.standing.state], strict=True)),
            "n_tries": sum(len(item.tries) for item in row.standing.items),
        }
        for row in decisions.list_annotators(project)
    ]
    items = progress.items_in_force(project)
    context = {
        "project": project,
        "items": [_describe_item(item) for item in items],
        "people": sorted(people, key=lambda entry: str(entry["name"])),
        "share_form": ShareForm(initial={"share": project.practice_share}),
        "max_items": practice_items.MAX_ITEMS,
    }
    return render(request, "annotation/practice/practice_setup.html", context)


def _describe_item(item: PracticeItem) -> dict[str, Any]:
    return {"item": item, "asked": feedback.describe_values(item), "right": feedback.describe_right(item)}


def _handle_action(request: HttpRequest, project: Project) -> HttpResponse:
    try:
        message = _run_action(request, project, request.POST.get("do", ""))
    except NotFound:
        raise
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, message)
    return redirect("practice-setup", project.slug)


def _run_action(request: HttpRequest, project: Project, action: str) -> str:
    """Do what a button says; returns the message."""
    by = current_user(request)
    if action in ("on", "off"):
        practice_items.change_practice(project=project, by=by, on=action == "on")
        return _("Practice started. It comes before the tasks.") if action == "on" else _("Practice turned off.")
    if action == "share":
        form = ShareForm(request.POST)
        if not form.is_valid():
            raise BadInput(_("Give a share from 0 to 1."), field="share")
        practice_items.change_practice(project=project, by=by, share=form.cleaned_data["share"])
        return _("Share saved.")
    if action == "remove":
        item = practice_items.get_item(project, parse_uuid(request.POST.get("item", "")))
        practice_items.remove_item(item=item, by=by)
        return _("Item removed.")
    person = decisions.find_annotator(project, request.POST.get("person", ""))
    if action == "let-on":
        decisions.let_person_on(project=project, person=person, by=by)
        return _("%(name)s can take tasks now.") % {"name": person.get_username()}
    if action == "reset":
        decisions.reset_practice(project=project, person=person, by=by)
        return _("The practice of %(name)s was reset.") % {"name": person.get_username()}
    raise BadInput(_("Choose an action."))


@project_page(access.MAKERS)
def choose_source(request: HttpRequest, project: Project) -> HttpResponse:
    """Sources of the project that an item can be made of."""
    form = filters_of(request, SourceFilters)
    rows = practice_items.usable_sources(project)
    if form.cleaned_data["source"]:
        rows = rows.filter(contains(form.cleaned_data["source"], "external_id", "title"))
    context = {
        "project": project,
        "form": form,
        "rows": paginate_rows(request, rows.defer("metadata_json"), size=30),
        "active": list_active(request, form),
    }
    return render(request, "annotation/practice/practice_choose.html", context)


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def add_item(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    source = practice_items.get_source(project, public_id=public_id)
    form = ItemForm(request.POST or None, schema=project.schema_version.schema, n_segments=source.n_segments)
    if request.method == "POST" and form.is_valid():
        try:
            practice_items.add_item(
                project=project,
                source=source,
                values=form.read_values(),
                right=form.read_right(),
                reason=form.cleaned_data["reason"],
                by=current_user(request),
            )
        except ServiceError as error:
            form.add_fault(error.field, error.message)
        else:
            messages.success(request, _("Item added."))
            return redirect("practice-setup", project.slug)
    return _render_form(request, project, source, form, None)


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def change_item(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Change an item: the next version takes its place."""
    item = practice_items.get_item(project, public_id)
    form = ItemForm(
        request.POST or None,
        schema=project.schema_version.schema,
        n_segments=item.document.n_segments,
        initial=initial_of(item),
    )
    if request.method == "POST" and form.is_valid():
        try:
            practice_items.change_item(
                item=item,
                values=form.read_values(),
                right=form.read_right(),
                reason=form.cleaned_data["reason"],
                by=current_user(request),
            )
        except ServiceError as error:
            form.add_fault(error.field, error.message)
        else:
            messages.success(request, _("Item saved as a new version."))
            return redirect("practice-setup", project.slug)
    return _render_form(request, project, item.document, form, item)


def _render_form(
    request: HttpRequest, project: Project, source: SourceDocument, form: ItemForm, item: PracticeItem | None
) -> HttpResponse:
    context = {
        "project": project,
        "source": source,
        "segments": source.source_text.segments,
        "form": form,
        "item": item,
    }
    return render(request, "annotation/practice/practice_item.html", context, status=422 if form.errors else 200)

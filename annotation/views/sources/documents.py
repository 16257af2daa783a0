"""Sources: the list, the page of one source, and flagging damaged sources."""

import json
import uuid
from collections import Counter
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Count, OuterRef, Q, QuerySet
from django.db.models.functions import Left
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.extension_points import ExtensionPoint
from annotation.models import Candidate, Project, Sample, SourceDocument, SourceText
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.core.text_search import contains
from annotation.services.sources import damaged
from annotation.services.staff.header_counts import build_count
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.sorting import Column, parse_sorting
from annotation.views.sources.forms import DamageForm, DocumentFilters


class SamplePage(NamedTuple):
    """A page of one sample in a higher room, for its makers. name: its URL name. title: what it is for."""

    name: str
    title: Promise


COLUMNS = (
    Column("external_id", gettext_lazy("Source"), ("external_id",)),
    Column("title", gettext_lazy("Title"), ("title", "id")),
    Column("split", gettext_lazy("Split"), ("split", "id")),
    Column("words", gettext_lazy("Words"), ("n_words", "id"), number=True),
    Column("segments", gettext_lazy("Segments"), ("n_segments", "id"), number=True),
    Column("priority", gettext_lazy("Priority"), ("priority", "id"), number=True),
    Column("added", gettext_lazy("Added"), ("id",)),
)
LISTED = (
    *("public_id", "external_id", "split", "n_words", "n_segments", "priority", "created_at"),
    *("selected", "damaged", "extractor"),
)
MOST_OF_TITLE = 100
SAMPLE_PAGES = ExtensionPoint[SamplePage]("pages of samples", key=lambda page: page.name)
SPEAKER_COLOURS = 8
STATES = {
    "damaged": Q(damaged=True),
    "priority": ~Q(priority=0),
    "aside": Q(selected=False),
    "bare": Q(extractor=""),
    "unlicensed": Q(licence=""),
    "withheld": Q(may_release_text=False),
}


@project_page(access.STAFF)
def source_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, DocumentFilters)
    rows = filter_sources(project, form)
    columns, order = parse_sorting(request, COLUMNS, default="added")
    page = paginate_rows(request, rows.order_by(*order))
    context = {
        "project": project,
        "form": form,
        "rows": page,
        "sources": _read_rows(page.object_list),
        "columns": columns,
        "filtered": bool(form.cleaned_data["q"] or form.cleaned_data["state"]),
        "active": list_active(request, form),
        "filter_query": request.GET.urlencode(),
    }
    return render(request, "annotation/sources/documents.html", context)


def filter_sources(project: Project, form: BaseForm) -> QuerySet[SourceDocument]:
    """The sources that match the filters of the list."""
    rows = SourceDocument.objects.filter(project=project)
    if text := form.cleaned_data["q"]:
        rows = rows.filter(contains(text, "external_id", "title"))
    if state := form.cleaned_data["state"]:
        rows = rows.filter(STATES[state])
    return rows


def _read_rows(page: Any) -> Any:
    """The rows of a page: the columns of `LISTED`, the beginning of the title and the number of samples."""
    samples = Sample.objects.requests().filter(document=OuterRef("pk"))
    return page.values(*LISTED, beginning=Left("title", MOST_OF_TITLE), n_samples=build_count(samples))


@project_page(access.STAFF, methods=["GET", "HEAD", "POST"])
def show_source(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    source = SourceDocument.objects.filter(project=project, public_id=public_id).select_related("source_import").first()
    if source is None:
        raise NotFound(_("There is no such source."))
    form = DamageForm(request.POST or None)
    if request.method == "POST":
        answer = _change_damage(request, project, source, form)
        if answer is not None:
            return answer
    return render(
        request,
        "annotation/sources/document.html",
        {"project": project, "document": source, "form": form, **_source_context(source)},
        status=422 if form.errors else 200,
    )


def _change_damage(
    request: HttpRequest, project: Project, source: SourceDocument, form: DamageForm
) -> HttpResponse | None:
    """Flag or unflag the source; None when the form has errors."""
    access.project_for(request.user, project.slug, access.MAKERS)
    source.project = project
    if request.POST.get("do") == "unflag":
        freed = damaged.unflag_damaged(document=source, by=current_user(request))
        message = ngettext(
            "Flag removed. %(n)d task is available again.", "Flag removed. %(n)d tasks are available again.", freed
        )
        messages.success(request, message % {"n": freed})
        return redirect("document", project.slug, source.public_id)
    if not form.is_valid():
        return None
    try:
        parked = damaged.flag_damaged(document=source, reason=form.cleaned_data["reason"], by=current_user(request))
    except ServiceError as error:
        add_service_error(form, error)
        return None
    message = ngettext(
        "Flagged as damaged. %(n)d open task is on hold.", "Flagged as damaged. %(n)d open tasks are on hold.", parked
    )
    messages.success(request, message % {"n": parked})
    return redirect("document", project.slug, source.public_id)


def _source_context(source: SourceDocument) -> dict[str, object]:
    """Template context of one source: text with coloured speakers, candidates, samples."""
    text = SourceText.objects.filter(document=source).first()
    segments = text.segments if text else []
    order = list(dict.fromkeys(segment.get("speaker") or "" for segment in segments))
    turns = Counter(segment.get("speaker") or "" for segment in segments)
    colours = {name: 1 + index % SPEAKER_COLOURS for index, name in enumerate(order)}
    candidates = list(Candidate.objects.filter(document=source).order_by("kind", "rank"))
    samples = (
        Sample.objects.filter(document=source)
        .select_related("group")
        .annotate(places=Count("slots"), filled=Count("slots", filter=Q(slots__state="filled")))
        .order_by("position")
    )
    return {
        "segments": [
            {
                "number": number,
                "speaker": segment.get("speaker") or "",
                "colour": colours[segment.get("speaker") or ""],
                "text": segment.get("text", ""),
            }
            for number, segment in enumerate(segments, 1)
        ],
        "speakers": [{"name": name, "colour": colours[name], "turns": turns[name]} for name in order if name],
        "topics": [row for row in candidates if row.is_topic],
        "found_speakers": [row for row in candidates if not row.is_topic],
        "samples": samples,
        "sample_page": next(iter(SAMPLE_PAGES), None),
        "metadata": json.dumps(source.metadata, ensure_ascii=False, indent=2) if source.metadata_json != "{}" else "",
    }

"""Samples: the list, and candidate extraction."""

from collections import defaultdict
from typing import Any, NamedTuple, cast

from django.contrib import messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Project, Sample, SampleState, Slot, SlotState, SourceDocument
from annotation.services.core import access
from annotation.services.core.list_pages import rows_of_project
from annotation.services.core.text_search import contains
from annotation.services.core.word_patterns import join_clauses, join_names
from annotation.services.overlap import marks as overlap_marks
from annotation.services.sampling import draw_undo
from annotation.services.sources import candidates as candidate_jobs
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.sampling.forms import SampleFilters

LISTED_COLUMNS = (
    *("pk", "position", "combination", "values", "state", "document__public_id", "document__external_id"),
    *("group__position", "group__asks", "group__chosen", "group__frozen_at"),
)
PLACES = {"written": [SlotState.FILLED], "open": SlotState.UNFILLED}


class Line(NamedTuple):
    """One line of the list, ready to render. Built in Python: loops and number formatting in a template are ten times
    slower, and a page has fifty lines. chosen: None while topics are not chosen yet."""

    source: str
    name: str
    combination: str
    asked_for: str
    state: str
    group: str
    asks: bool
    chosen: str | None
    written: str


@project_page(access.STAFF)
def sample_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, SampleFilters, project=project)
    rows = rows_of_project(Sample.objects.all(), project)
    values = form.cleaned_data
    if values["combination"]:
        rows = rows.filter(combination=values["combination"])
    if values["source"]:
        sources = SourceDocument.objects.filter(contains(values["source"], "external_id", "title"), project=project)
        rows = rows.filter(document__in=sources.values("pk"))
    if values["state"] in SampleState.values:
        rows = rows.filter(state=values["state"])
    elif values["state"] == "overlap":
        rows = rows.filter(pk__in=overlap_marks.overlapping_samples(project, "waiting").values("pk"))
    elif values["state"] in PLACES:
        places = Slot.objects.filter(sample=OuterRef("pk"), state__in=PLACES[values["state"]])
        rows = rows.filter(Exists(places))
    # A claim leaves no audit event, but none of these counts changes with it: a slot that is taken is still unfilled.
    page = paginate_rows(request, rows.order_by("project_id", "id"), project=project)
    listed = cast("QuerySet[Sample]", page.object_list).values_list(
        *LISTED_COLUMNS, named=True
    )  # joins only after the count
    context = {
        "project": project,
        "form": form,
        "rows": page,
        "lines": _build_lines(list(listed)),
        "filtered": any(values.values()),
        "active": list_active(request, form),
        "draws_samples": get_task_kind(project.kind, has_sample=True).draws_samples,
        "to_extract": not request.GET and _needs_extraction(project),
        "last_draw": None if request.GET else draw_undo.list_draws(project).filter(undone_at=None).first(),
    }
    return render(request, "annotation/sampling/samples.html", context)


def _needs_extraction(project: Project) -> bool:
    """Whether any usable source has no extracted candidates yet, where annotators choose from them."""
    if not get_task_kind(project.kind, has_sample=True).draws_samples:
        return False
    return SourceDocument.objects.filter(project=project, extractor="").usable().exists()


def _build_lines(rows: list[Any]) -> list[Line]:
    """Build the lines of a page, with one query for their slots."""
    places: dict[int, list[str]] = defaultdict(list)
    for sample, state in Slot.objects.filter(sample__in=[row.pk for row in rows]).values_list("sample_id", "state"):
        places[sample].append(state)
    written_format = _("%(done)s of %(all)s")
    lines = []
    for row in rows:
        chosen_texts = [join_names(texts) for texts in row.group__chosen.values() if texts]
        sample_places = places[row.pk]
        filled = sample_places.count(SlotState.FILLED)
        lines.append(
            Line(
                source=str(row.document__public_id),
                name=f"{row.document__external_id}#{row.position}",
                combination=row.combination,
                asked_for=join_names([f"{key} {value}" for key, value in row.values.items()]),
                state=row.state,
                group=str(row.group__position + 1),
                asks=bool(row.group__asks),
                chosen=join_clauses(chosen_texts) if row.group__frozen_at else None,
                written=written_format % {"done": filled, "all": len(sample_places)} if sample_places else "–",
            )
        )
    return lines


@project_page(access.MAKERS, methods=["POST"])
def extract_candidates(request: HttpRequest, project: Project) -> HttpResponse:
    job = candidate_jobs.start_extraction(project=project, by=current_user(request))
    messages.info(request, _("Candidates are being extracted in the background. You can leave this page."))
    return redirect("job", job.public_id)

"""Samples: the list, and candidate extraction."""

from collections import defaultdict
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Draw, Project, Sample, SampleState, Slot, SlotState, SourceDocument
from annotation.services.core import access
from annotation.services.core.list_pages import PageColumns, rows_of_project
from annotation.services.core.prepared_queries import Among, IntParam, Prepared
from annotation.services.core.text_search import contains
from annotation.services.core.word_patterns import clause_separator, list_separator
from annotation.services.overlap import marks as overlap_marks
from annotation.services.sources import candidates as candidate_jobs
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.sampling.forms import SampleFilters

LISTED = PageColumns(
    Sample,
    (
        *("position", "combination", "values", "state", "document__public_id", "document__external_id"),
        *("group__position", "group__asks", "group__chosen", "group__frozen_at"),
    ),
)
SLOTS: Prepared[tuple[int, str]] = Prepared(
    lambda: Slot.objects.filter(Among("sample", "samples")).values_list("sample", "state")
)
LAST_DRAW: Prepared[Draw] = Prepared(
    lambda: (
        Draw.objects.filter(project=IntParam("project"), undone_at=None)
        .order_by("-id")
        .only("public_id", "samples_stored", "created_at")[:1]
    )
)
PLACES = {"written": [SlotState.FILLED], "open": SlotState.UNFILLED}


class Line(NamedTuple):
    """One line of the list, ready to render, in the order in which its template takes it apart. Built in Python: loops
    and number formatting in a template are ten times slower, and a page has fifty lines.

    chosen: None where no topics are asked, or while they are not chosen yet."""

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
    context = {
        "project": project,
        "form": form,
        "rows": page,
        "lines": _build_lines(project, LISTED.read(page)),  # joins only after the count
        "filtered": any(values.values()),
        "active": list_active(request, form),
        "draws_samples": get_task_kind(project.kind, has_sample=True).draws_samples,
        "to_extract": not request.GET and _needs_extraction(project),
        "last_draw": None if request.GET else LAST_DRAW.first(project=project.pk),
    }
    return render(request, "annotation/sampling/samples.html", context)


def _needs_extraction(project: Project) -> bool:
    """Whether any usable source has no extracted candidates yet, where annotators choose from them."""
    if not get_task_kind(project.kind, has_sample=True).draws_samples:
        return False
    return SourceDocument.objects.filter(project=project, extractor="").usable().exists()


def _build_lines(project: Project, rows: list[tuple[Any, ...]]) -> list[Line]:
    """The lines of a page of the columns of `LISTED`, with one query for their slots."""
    if not rows:
        return []
    places: dict[int, list[str]] = defaultdict(list)
    for sample, slot_state in SLOTS.rows(samples=[row[0] for row in rows]):
        places[sample].append(slot_state)
    written_format, names, clauses = _("%(done)s of %(all)s"), list_separator(), clause_separator()
    sources = reverse("documents", args=[project.slug])
    lines = []
    for key, position, combination, values, state, public_id, external_id, group, asks, chosen, frozen_at in rows:
        sample_places = places[key]
        n_written = {"done": sample_places.count(SlotState.FILLED), "all": len(sample_places)}
        chosen_texts = [names.join(map(str, texts)) for texts in chosen.values() if texts]
        lines.append(
            Line(
                source=f"{sources}{public_id}/",
                name=f"{external_id}#{position}",
                combination=combination,
                asked_for=names.join([f"{key} {value}" for key, value in values.items()]),
                state=state,
                group=str(group + 1),
                asks=bool(asks),
                chosen=clauses.join(chosen_texts) if asks and frozen_at else None,
                written=written_format % n_written if sample_places else "–",
            )
        )
    return lines


@project_page(access.MAKERS, methods=["POST"])
def extract_candidates(request: HttpRequest, project: Project) -> HttpResponse:
    job = candidate_jobs.start_extraction(project=project, by=current_user(request))
    messages.info(request, _("Candidates are being extracted in the background. You can leave this page."))
    return redirect("job", job.public_id)

"""Samples: the list, and candidate extraction."""

from collections import defaultdict
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.kinds import get_task_kind
from annotation.models import Draw, Project, Sample, SampleState, Slot, SlotState, SourceDocument
from annotation.services.core import access
from annotation.services.core.list_pages import rows_of_project
from annotation.services.core.text_search import contains
from annotation.services.core.word_patterns import clause_separator, list_separator
from annotation.services.overlap import marks as overlap_marks
from annotation.services.sources import candidates as candidate_jobs
from annotation.services.sources.references import count_references
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.sampling.forms import SampleFilters

REFERENCES = "references"
"""The value of the state filter that lists the summaries which came with sources and ask for nothing."""
PLACES = {"written": [SlotState.FILLED], "open": SlotState.UNFILLED}


class SampleRow(NamedTuple):
    """A row of the list. source: public id. asks: whether topics or speakers are to be chosen. chosen: None while they
    are not. n_written: of its `n_slots` slots."""

    name: str
    source: UUID
    combination: str
    requested: str
    state: str
    group: int
    asks: bool
    chosen: str | None
    n_written: int
    n_slots: int


@project_page(access.STAFF)
def sample_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, SampleFilters, project=project)
    values = form.cleaned_data
    is_of_references = values["state"] == REFERENCES
    samples = Sample.objects.references() if is_of_references else Sample.objects.requests()
    rows = rows_of_project(samples, project)
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
        "samples": _build_rows(page.object_list),
        "filtered": any(values.values()),
        "active": list_active(request, form),
        "draws_samples": get_task_kind(project.kind, has_sample=True).draws_samples,
        "n_references": 0 if is_of_references else count_references(project),
        "is_of_references": is_of_references,
        "to_extract": not request.GET and _needs_extraction(project),
        "last_draw": None if request.GET else _find_last_draw(project),
    }
    return render(request, "annotation/sampling/samples.html", context)


def _needs_extraction(project: Project) -> bool:
    """Whether any usable source has no extracted candidates yet, where annotators choose from them."""
    if not get_task_kind(project.kind, has_sample=True).draws_samples:
        return False
    return SourceDocument.objects.filter(project=project, extractor="").usable().exists()


def _find_last_draw(project: Project) -> Draw | None:
    return Draw.objects.filter(project=project, undone_at=None).order_by("-id").first()


def _build_rows(page: Any) -> list[SampleRow]:
    """The rows of a page of the queryset. Two queries."""
    samples = list(
        page.values(
            *("pk", "position", "combination", "values", "state", "document__public_id", "document__external_id"),
            *("group__position", "group__asks", "group__chosen", "group__frozen_at"),
        )
    )
    slot_states: dict[int, list[str]] = defaultdict(list)
    slots = Slot.objects.filter(sample__in=[sample["pk"] for sample in samples])
    for sample, state in slots.values_list("sample", "state"):
        slot_states[sample].append(state)
    names, clauses = list_separator(), clause_separator()
    return [
        SampleRow(
            name=f"{sample['document__external_id']}#{sample['position']}",
            source=sample["document__public_id"],
            combination=sample["combination"],
            requested=names.join(f"{key} {value}" for key, value in sample["values"].items()),
            state=sample["state"],
            group=sample["group__position"] + 1,
            asks=bool(sample["group__asks"]),
            chosen=clauses.join(names.join(map(str, texts)) for texts in sample["group__chosen"].values() if texts)
            if sample["group__frozen_at"]
            else None,
            n_written=slot_states[sample["pk"]].count(SlotState.FILLED),
            n_slots=len(slot_states[sample["pk"]]),
        )
        for sample in samples
    ]


@project_page(access.MAKERS, methods=["POST"])
def extract_candidates(request: HttpRequest, project: Project) -> HttpResponse:
    job = candidate_jobs.start_extraction(project=project, by=current_user(request))
    messages.info(request, _("Candidates are being extracted in the background. You can leave this page."))
    return redirect("job", job.public_id)

"""Staff pages of overlap: samples with several summaries, and their comparison."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import OverlapMark, Project, Sample
from annotation.services import statistics as statistics_service
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.overlap import checks as overlap_checks
from annotation.services.overlap import extra_texts
from annotation.services.overlap import marks as overlap_marks
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.inspection import messages as inspection_messages
from annotation.views.overlap import comparison_table
from annotation.views.overlap.forms import OverlapFilters
from epitome.figures.table_rendering import RenderedTable, render_table
from epitome.figures.tables import Table
from epitome.site.file_language import FILE_LANGUAGE

AGREEMENT_TABLE = "markings"


class SampleLine(TypedDict):
    """A line of the list. url: of its comparison. css_class, icon, compared: whether and how it was. came_later: a
    summary after the comparison. by, at: "" and None without a comparison that counts."""

    url: str
    name: str
    combination: str
    n: str
    css_class: str
    icon: str
    compared: str
    came_later: bool
    by: str
    at: datetime | None


@project_page(access.STAFF)
def overlap_list(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, OverlapFilters)
    state = form.cleaned_data["state"]
    page = paginate_rows(request, overlap_marks.list_overlap(project, state), project=project)
    asks_for_more = project.extra_below is not None
    context = {
        "project": project,
        "form": form,
        "rows": page,
        "lines": _build_lines(project, list(page)),
        "filtered": bool(state),
        "agreement": _load_agreement(project) if page.paginator.count else None,
        "extra": extra_texts.count_extra_texts(project) if asks_for_more else None,
        "extra_job": extra_texts.newest_job(project) if asks_for_more else None,
    }
    return render(request, "annotation/overlap/overlap.html", context)


def _build_lines(project: Project, samples: Sequence[Any]) -> list[SampleLine]:
    marks = overlap_marks.marks_of(project, samples)
    choices = {choice.value: str(choice.label) for choice in OverlapMark.Choice}
    not_compared = _("not compared")
    lines = []
    for sample in samples:
        mark = marks.get(sample.pk)
        lines.append(
            SampleLine(
                url=reverse("overlap-compare", args=[project.slug, sample.public_id]),
                name=f"{sample.document.external_id}#{sample.position}",
                combination=sample.combination,
                n=str(sample.n),
                css_class="ok" if mark else "warn",
                icon="check" if mark else "info",
                compared=choices[mark.choice] if mark else not_compared,
                came_later=mark is not None and sample.n > len(mark.seen),
                by=mark.by if mark else "",
                at=mark.at if mark else None,
            )
        )
    return lines


@project_page(access.MAKERS, methods=["POST"])
def request_extra_texts(request: HttpRequest, project: Project) -> HttpResponse:
    """Start the job that requests one more text where annotators disagree."""
    try:
        job = extra_texts.start_extra_texts(project=project, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("overlap", project.slug)
    return redirect("job", job.public_id)


@override(FILE_LANGUAGE)  # the stored table is in English
def _load_agreement(project: Project) -> RenderedTable | None:
    """The table of agreement from the newest statistics; None where there is none yet."""
    stored = statistics_service.load_statistics(project, statistics_service.Filter())
    for section in (stored.view or {}).get("sections", []) if stored else []:
        if section["table"]["key"] == AGREEMENT_TABLE:
            return render_table(Table.from_json(section["table"]), gettext=_)
    return None


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def compare_summaries(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Compare the summaries of one sample; POST marks one or all, or removes the mark."""
    sample = overlap_marks.find_sample(project, public_id)
    if request.method == "POST":
        _handle_action(request, sample)
        return redirect("overlap-compare", project.slug, sample.public_id)
    comparison = overlap_marks.compare_summaries(sample)
    answers = [column.answer for column in comparison.columns]
    waiting = overlap_marks.overlapping_samples(project, "waiting").exclude(pk=sample.pk).order_by("pk")
    context = {
        "project": project,
        "compared": comparison,
        "sample": sample,
        "asked": overlap_checks.describe_request(sample),
        "headings": comparison_table.build_headings(sample),
        "columns": [_build_column(column, sample) for column in comparison.columns],
        "agreement": [comparison_table.describe_agreement(value) for value in comparison.agreement],
        "turns": comparison_table.count_segment_marks(sample, answers),
        "next": waiting.filter(pk__gt=sample.pk).first() or waiting.first(),
        "own": any(column.assignment.annotator_id == request.user.pk for column in comparison.columns),
    }
    return render(request, "annotation/overlap/overlap_compare.html", context)


def _build_column(column: overlap_marks.Column, sample: Sample) -> dict[str, Any]:
    return {
        "column": column,
        "answer": column.answer,
        "name": column.pseudonym,
        "state_label": column.assignment.get_state_display(),
        "cells": comparison_table.build_cells(column.answer, sample),
        "told": [
            inspection_messages.describe_inspection(row, sample.schema_version.schema) for row in column.inspections
        ],
    }


def _handle_action(request: HttpRequest, sample: Sample) -> None:
    action = request.POST.get("do", "")
    try:
        if action == "undo":
            mark = overlap_marks.compare_summaries(sample).mark
            if mark is None or str(mark.public_id) != request.POST.get("mark", ""):
                raise NotFound()
            overlap_marks.undo_mark(mark=mark, by=current_user(request))
            messages.success(request, _("Comparison undone."))
            return
        overlap_marks.mark_sample(
            sample=sample,
            choice=action,
            annotation=request.POST.get("annotation", ""),
            note=request.POST.get("note", ""),
            by=current_user(request),
        )
        messages.success(request, _("Saved. Exports of selected summaries follow this choice."))
    except NotFound:
        raise
    except ServiceError as error:
        messages.error(request, error.message)

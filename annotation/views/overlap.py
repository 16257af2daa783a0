"""Overlap for staff: samples with several summaries, and comparing them side by side."""

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import StyledForm
from annotation.models import Project, Sample
from annotation.services import access, comparing
from annotation.services import overlap as service
from annotation.services.errors import NotFound, ServiceError
from annotation.views import compared
from annotation.views import inspection_words as said
from annotation.views.common import filters_of, paged, person, project_page


class OverlapFilters(StyledForm):
    state = forms.ChoiceField(
        label=gettext_lazy("Show"),
        required=False,
        choices=[
            ("", gettext_lazy("all")),
            ("waiting", gettext_lazy("overlap, not compared")),
            ("compared", gettext_lazy("compared")),
        ],
    )


@project_page(access.STAFF)
def overlaps(request: HttpRequest, project: Project) -> HttpResponse:
    form = filters_of(request, OverlapFilters)
    state = form.cleaned_data["state"]
    rows = service.samples(project, state).select_related("document", "group")
    found = paged(request, rows.defer("document__metadata_json").order_by("pk"))
    marks = service.marks_of(project, list(found.object_list))
    for row in found:
        row.mark = marks.get(row.pk)  # type: ignore[attr-defined]
    context = {"project": project, "form": form, "rows": found, "filtered": bool(state)}
    return render(request, "annotation/overlap.html", context)


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def compare(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """The summaries of one sample; POST marks one, all, or takes the mark back."""
    sample = service.sample_of(project, public_id)
    if request.method == "POST":
        _act(request, sample)
        return redirect("overlap-compare", project.slug, sample.public_id)
    found = service.compare(sample)
    answers = [one.answer for one in found.columns]
    waiting = service.samples(project, "waiting").exclude(pk=sample.pk).order_by("pk")
    context = {
        "project": project,
        "compared": found,
        "sample": sample,
        "asked": comparing.request_of(sample),
        "headings": compared.headings(sample),
        "columns": [_column(one, sample) for one in found.columns],
        "turns": compared.turns(sample, answers),
        "next": waiting.filter(pk__gt=sample.pk).first() or waiting.first(),
        "own": any(one.assignment.annotator_id == request.user.pk for one in found.columns),
    }
    return render(request, "annotation/overlap_compare.html", context)


def _column(one: service.Column, sample: Sample) -> dict[str, Any]:
    return {
        "column": one,
        "answer": one.answer,
        "name": one.pseudonym,
        "state": one.assignment.get_state_display(),
        "cells": compared.cells(one.answer, sample),
        "told": [said.told(row, sample.schema_version.schema) for row in one.inspections],
    }


def _act(request: HttpRequest, sample: Sample) -> None:
    do = request.POST.get("do", "")
    try:
        if do == "undo":
            mark = service.compare(sample).mark
            if mark is None or str(mark.public_id) != request.POST.get("mark", ""):
                raise NotFound(_("There is no such thing, or it is not yours."))
            service.undo(mark=mark, by=person(request))
            messages.success(request, _("The sample waits for a comparison again."))
            return
        service.mark(
            sample=sample,
            choice=do,
            annotation=request.POST.get("annotation", ""),
            note=request.POST.get("note", ""),
            by=person(request),
        )
        messages.success(request, _("Marked. An export of what is marked follows it."))
    except NotFound:
        raise
    except ServiceError as error:
        messages.error(request, error.message)

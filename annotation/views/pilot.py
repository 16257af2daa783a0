"""The pilot for staff: its samples and candidates, choosing samples, comparing answers, deciding."""

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms import StyledForm
from annotation.models import PilotSample, PilotState, Project, Sample
from annotation.services import access, asking, comparing, pilot, pilot_comparing, pilot_deciding, pilot_setup
from annotation.services.errors import BadInput, NotFound, ServiceError
from annotation.services.pseudonyms import Pseudonyms
from annotation.views import compared
from annotation.views.common import filters_of, paged, person, project_page
from annotation.views.context import Page

LOOK = {
    PilotState.SUBMITTED: ("warn", "info"),
    PilotState.QUALIFIED: ("ok", "check"),
    PilotState.REJECTED: ("danger", "cross"),
}


class ChoosingFilters(StyledForm):
    combination = forms.CharField(label=gettext_lazy("Combination"), required=False, max_length=60)
    source = forms.CharField(
        label=gettext_lazy("Source id begins with"),
        required=False,
        max_length=200,
        widget=forms.SearchInput({"dir": "auto"}),
    )


def only_makers(request: HttpRequest, project: Project) -> None:
    """Reviewers read; researchers and admins decide."""
    if not access.roles_of(request.user, project) & {role.value for role in access.MAKERS}:
        raise NotFound(_("There is nothing here."))


def look(row: pilot_deciding.Row) -> tuple[str, str]:
    return LOOK.get(row.state, ("", "pen" if row.state == PilotState.IN_PILOT else "info"))


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def the_pilot(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method == "POST":
        only_makers(request, project)
        return _act(request, project)
    room = pilot.pilot_of(project)
    names = Pseudonyms(project)
    shows_names = Page(request).makes
    rows = [
        {
            "row": row,
            "name": row.candidate.user.get_username() if shows_names else names.of(row.candidate.user_id),
            "look": look(row),
        }
        for row in pilot_deciding.candidates(project)
    ]
    context = {
        "project": project,
        "room": room,
        "samples": [_listed(one) for one in pilot_setup.samples_of(room)] if room else [],
        "begun": room is not None and pilot_setup.is_begun(room),
        "rows": sorted(rows, key=lambda one: str(one["name"])),
        "uninvited": pilot_deciding.not_invited(project).count(),
    }
    return render(request, "annotation/pilot.html", context)


def _listed(row: PilotSample) -> dict[str, Any]:
    return {"row": row, "request": comparing.request_of(row.sample)}


def _act(request: HttpRequest, project: Project) -> HttpResponse:
    do, by = request.POST.get("do", ""), person(request)
    try:
        if do in ("on", "off"):
            pilot_setup.switch(project=project, on=do == "on", by=by)
            said = _("Only who qualifies is given ordinary tasks now.") if do == "on" else _("The pilot is off.")
        elif do == "invite":
            n = pilot_deciding.invite(project=project, by=by)
            said = _("%(n)d annotators are invited.") % {"n": n}
        elif do == "remove":
            row = pilot_setup.pilot_sample(project, _uuid(request.POST.get("sample", "")))
            pilot_setup.remove_sample(row=row, by=by)
            said = _("The sample is back in the work.")
        elif do == "over":
            n = pilot_setup.start_over(project=project, by=by)
            said = _("The pilot is closed and a new one is open; %(n)d candidates are invited to it.") % {"n": n}
        else:
            raise BadInput(_("Say what to do."))
    except NotFound:
        raise
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, said)
    return redirect("pilot", project.slug)


def _uuid(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise NotFound(_("There is no such thing, or it is not yours.")) from error


@project_page(access.MAKERS)
def choose(request: HttpRequest, project: Project) -> HttpResponse:
    """Samples of the project to take into the pilot."""
    form = filters_of(request, ChoosingFilters)
    rows = pilot_setup.choosable(project)
    if form.cleaned_data["combination"]:
        rows = rows.filter(combination=form.cleaned_data["combination"])
    if form.cleaned_data["source"]:
        rows = rows.filter(document__external_id__startswith=form.cleaned_data["source"])
    found = paged(request, rows.order_by("id"), size=30)
    context = {"project": project, "form": form, "rows": found, "filtered": any(form.cleaned_data.values())}
    return render(request, "annotation/pilot_choose.html", context)


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def add(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One sample: what it asks for, and what it is about, where that is open; then it is added."""
    rows = Sample.objects.select_related("project", "group__document__source_text", "schema_version")
    sample = rows.filter(project=project, public_id=public_id).first()
    if sample is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    asks = _asks(sample, request)
    fault = ""
    if request.method == "POST":
        chosen = {one["key"]: one["entries"] for one in asks} if asks else None
        try:
            pilot_setup.add_sample(project=project, sample=sample, by=person(request), chosen=chosen)
        except ServiceError as error:
            fault = error.message
        else:
            messages.success(request, _("The sample is in the pilot, and out of the ordinary work."))
            return redirect("pilot", project.slug)
    context = {
        "project": project,
        "sample": sample,
        "asks": asks,
        "asked": comparing.request_of(sample),
        "turns": compared.turns(sample, []),
        "fault": fault,
    }
    return render(request, "annotation/pilot_add.html", context, status=422 if fault else 200)


def _asks(sample: Sample, request: HttpRequest) -> list[dict[str, Any]]:
    """What is still open: per attribute its candidates, those ticked, and one's own text."""
    if sample.group.frozen_at is not None:
        return []
    about = pilot_setup.about(sample)
    found = []
    for key, texts in about.candidates().items():
        one = about.schema.attribute(key)
        ticked = [text for text in request.POST.getlist(f"pick-{key}") if text in texts]
        own = request.POST.get(f"own-{key}", "").strip()
        entries = [{"text": text, "candidate": text} for text in ticked] + ([{"text": own}] if own else [])
        found.append(
            {
                "key": key,
                "label": one.label,
                "texts": [(text, text in ticked) for text in texts[: asking.SHOWN_TOPICS]],
                "own": own,
                "takes_own": one.kind != "speakers",
                "min": one.min_picks,
                "max": one.max_picks,
                "entries": entries,
            }
        )
    return found


@project_page(access.STAFF)
def compare(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """All candidates' answers to one sample; ?show= names those whose texts are shown."""
    found = pilot_comparing.checked_sample(project, public_id)
    makes = Page(request).makes
    wanted = set(request.GET.getlist("show"))
    columns = [_column(one, found, makes, wanted) for one in found.columns]
    samples = list(pilot_setup.samples_of(found.row.pilot))
    context = {
        "project": project,
        "compared": found,
        "asked": comparing.request_of(found.sample),
        "headings": compared.headings(found.sample),
        "columns": columns,
        "shown": [one for one in columns if one["shown"] and one["column"].answer],
        "turns": compared.turns(found.sample, found.answers),
        "samples": samples,
        "narrowed": bool(wanted),
    }
    return render(request, "annotation/pilot_compare.html", context)


def _column(
    column: pilot_comparing.Column, found: pilot_comparing.Compared, makes: bool, wanted: set[str]
) -> dict[str, Any]:
    key = str(column.candidate.public_id)
    return {
        "column": column,
        "key": key,
        "name": column.candidate.user.get_username() if makes else column.pseudonym,
        "cells": compared.cells(column.answer, found.sample) if column.answer else [],
        "picked": key in wanted,
        "shown": not wanted or key in wanted,
    }


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def candidate(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One candidate over all samples, with the decision."""
    one = pilot_deciding.candidate_of(project, public_id)
    fault, given = "", ""
    if request.method == "POST":
        only_makers(request, project)
        given = request.POST.get("reason", "")
        try:
            if request.POST.get("do") == "reopen":
                pilot_deciding.reopen(candidate=one, reason=given, by=person(request))
                messages.success(request, _("The decision is taken back."))
            else:
                pilot_deciding.decide(
                    candidate=one, verdict=request.POST.get("do", ""), reason=given, by=person(request)
                )
                messages.success(request, _("Decided. The candidate reads your reason in My work."))
            return redirect("pilot-candidate", project.slug, one.public_id)
        except ServiceError as error:
            fault = error.message
            one = pilot_deciding.candidate_of(project, public_id)
    row = pilot_deciding.row_of(one)
    names = Pseudonyms(project)
    context = {
        "project": project,
        "row": row,
        "look": look(row),
        "name": one.user.get_username() if Page(request).makes else names.of(one.user_id),
        "parts": [_part(found, column) for found, column in pilot_comparing.of_candidate(one)],
        "decisions": pilot_deciding.decisions(one),
        "fault": fault,
        "reason": given,
    }
    return render(request, "annotation/pilot_candidate.html", context, status=422 if fault else 200)


def _part(found: pilot_comparing.Compared, column: pilot_comparing.Column | None) -> dict[str, Any]:
    answer = column.answer if column else None
    return {
        "compared": found,
        "column": column,
        "asked": comparing.request_of(found.sample),
        "checks": list(
            zip(compared.headings(found.sample), compared.cells(answer, found.sample) if answer else [], strict=False)
        ),
    }

"""Staff pages of the pilot: samples, candidates, comparison of answers, decisions."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import PilotSample, PilotState, Project, Sample
from annotation.services.core import access
from annotation.services.core.errors import BadInput, NotFound, ServiceError
from annotation.services.core.text_search import contains
from annotation.services.overlap import checks as overlap_checks
from annotation.services.pilot import comparison as pilot_comparison
from annotation.services.pilot import decisions as pilot_decisions
from annotation.services.pilot import setup as pilot_setup
from annotation.services.tasks import pilot_gate, task_context
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.list_filters import list_active
from annotation.views.core.navigation import Page
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.public_ids import parse_uuid
from annotation.views.core.shown_names import ShownNames
from annotation.views.overlap import comparison_table
from annotation.views.pilot.forms import ChoosingFilters

STYLES = {
    PilotState.SUBMITTED: ("warn", "info"),
    PilotState.QUALIFIED: ("ok", "check"),
    PilotState.REJECTED: ("danger", "cross"),
}


def require_maker(request: HttpRequest, project: Project) -> None:
    """Raise NotFound for reviewers, who may read but not decide."""
    if not access.roles_of(request.user, project) & {role.value for role in access.MAKERS}:
        raise NotFound(_("Page not found, or you don't have access."))


def describe_style(row: pilot_decisions.CandidateProgress) -> dict[str, str]:
    css_class, icon = STYLES.get(row.state, ("", "pen" if row.state == PilotState.IN_PILOT else "info"))
    return {"css_class": css_class, "icon": icon}


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def show_pilot(request: HttpRequest, project: Project) -> HttpResponse:
    if request.method == "POST":
        require_maker(request, project)
        return _handle_action(request, project)
    pilot_project = pilot_gate.pilot_of(project)
    names = ShownNames(request, project)
    rows = [
        {
            "row": row,
            "name": names.of(row.candidate.user),
            **describe_style(row),
        }
        for row in pilot_decisions.list_candidates(project)
    ]
    context = {
        "project": project,
        "room": pilot_project,
        "samples": [_describe_sample(sample) for sample in pilot_setup.pilot_samples(pilot_project)]
        if pilot_project
        else [],
        "begun": pilot_project is not None and pilot_setup.has_begun(pilot_project),
        "rows": sorted(rows, key=lambda entry: str(entry["name"])),
        "uninvited": pilot_decisions.uninvited_annotators(project).count(),
    }
    return render(request, "annotation/pilot/pilot.html", context)


def _describe_sample(row: PilotSample) -> dict[str, Any]:
    return {"row": row, "request": overlap_checks.describe_request(row.sample)}


def _handle_action(request: HttpRequest, project: Project) -> HttpResponse:
    action, by = request.POST.get("do", ""), current_user(request)
    try:
        if action in ("on", "off"):
            pilot_setup.set_pilot_required(project=project, on=action == "on", by=by)
            message = (
                _("Pilot started. Only qualified annotators get regular tasks.")
                if action == "on"
                else _("Pilot turned off.")
            )
        elif action == "invite":
            n = pilot_decisions.invite_annotators(project=project, by=by)
            message = ngettext("%(n)d annotator invited.", "%(n)d annotators invited.", n) % {"n": n}
        elif action == "remove":
            row = pilot_setup.get_pilot_sample(project, parse_uuid(request.POST.get("sample", "")))
            pilot_setup.remove_sample(row=row, by=by)
            message = _("Sample returned to the regular work.")
        elif action == "over":
            n = pilot_setup.start_over(project=project, by=by)
            message = ngettext(
                "The pilot was closed and a new one opened. %(n)d candidate is invited to it.",
                "The pilot was closed and a new one opened. %(n)d candidates are invited to it.",
                n,
            ) % {"n": n}
        else:
            raise BadInput(_("Choose an action."))
    except NotFound:
        raise
    except ServiceError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, message)
    return redirect("pilot", project.slug)


@project_page(access.MAKERS)
def choose_samples(request: HttpRequest, project: Project) -> HttpResponse:
    """Samples of the project that can be added to the pilot."""
    form = filters_of(request, ChoosingFilters, project=project)
    rows = pilot_setup.choosable_samples(project)
    if form.cleaned_data["combination"]:
        rows = rows.filter(combination=form.cleaned_data["combination"])
    if form.cleaned_data["source"]:
        rows = rows.filter(contains(form.cleaned_data["source"], "document__external_id", "document__title"))
    page = paginate_rows(request, rows.order_by("id"), size=30)
    context = {"project": project, "form": form, "rows": page, "active": list_active(request, form)}
    return render(request, "annotation/pilot/pilot_choose.html", context)


@project_page(access.MAKERS, methods=("GET", "HEAD", "POST"))
def add_sample(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Add one sample to the pilot; topics and speakers are chosen here if they are still open."""
    rows = Sample.objects.select_related("project", "group__document__source_text", "schema_version")
    sample = rows.filter(project=project, public_id=public_id).first()
    if sample is None:
        raise NotFound()
    choices = _build_choices(sample, request)
    fault = ""
    if request.method == "POST":
        chosen = {choice["key"]: choice["entries"] for choice in choices} if choices else None
        try:
            pilot_setup.add_sample(project=project, sample=sample, by=current_user(request), chosen=chosen)
        except ServiceError as error:
            fault = error.message
        else:
            messages.success(request, _("Sample added to the pilot and removed from the regular work."))
            return redirect("pilot", project.slug)
    context = {
        "project": project,
        "sample": sample,
        "asks": choices,
        "asked": overlap_checks.describe_request(sample),
        "turns": comparison_table.count_segment_marks(sample, []),
        "fault": fault,
    }
    return render(request, "annotation/pilot/pilot_add.html", context, status=422 if fault else 200)


def _build_choices(sample: Sample, request: HttpRequest) -> list[dict[str, Any]]:
    """The open choices: per attribute its candidates, the selected ones, and free text."""
    if sample.group.frozen_at is not None:
        return []
    about = pilot_setup.build_choice_context(sample)
    choices = []
    for key, texts in about.candidates().items():
        attribute = about.schema.attribute(key)
        ticked = [text for text in request.POST.getlist(f"pick-{key}") if text in texts]
        own_text = request.POST.get(f"own-{key}", "").strip()
        entries = [{"text": text, "candidate": text} for text in ticked] + ([{"text": own_text}] if own_text else [])
        choices.append(
            {
                "key": key,
                "label": attribute.label,
                "texts": [(text, text in ticked) for text in texts[: task_context.SHOWN_TOPICS]],
                "own": own_text,
                "takes_own": attribute.traits.takes_own_text,
                "min": attribute.min_picks,
                "max": attribute.max_picks,
                "entries": entries,
            }
        )
    return choices


@project_page(access.STAFF)
def compare_answers(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Compare all candidates' answers to one sample; ?show= selects whose texts are rendered."""
    comparison = pilot_comparison.find_comparison(project, public_id)
    makes = Page(request).makes
    chosen_keys = set(request.GET.getlist("show"))
    columns = [_build_column(column, comparison, makes, chosen_keys) for column in comparison.columns]
    samples = list(pilot_setup.pilot_samples(comparison.row.pilot))
    context = {
        "project": project,
        "compared": comparison,
        "asked": overlap_checks.describe_request(comparison.sample),
        "headings": comparison_table.build_headings(comparison.sample),
        "columns": columns,
        "shown": [column for column in columns if column["shown"] and column["column"].answer],
        "turns": comparison_table.count_segment_marks(comparison.sample, comparison.answers),
        "samples": samples,
        "narrowed": bool(chosen_keys),
    }
    return render(request, "annotation/pilot/pilot_compare.html", context)


def _build_column(
    column: pilot_comparison.Column, comparison: pilot_comparison.PilotComparison, makes: bool, chosen_keys: set[str]
) -> dict[str, Any]:
    key = str(column.candidate.public_id)
    return {
        "column": column,
        "key": key,
        "name": column.candidate.user.get_username() if makes else column.pseudonym,
        "cells": comparison_table.build_cells(column.answer, comparison.sample) if column.answer else [],
        "picked": key in chosen_keys,
        "shown": not chosen_keys or key in chosen_keys,
    }


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def show_candidate(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One candidate's answers to all samples, and the decision."""
    pilot_candidate = pilot_decisions.get_candidate(project, public_id)
    fault, reason = "", ""
    if request.method == "POST":
        require_maker(request, project)
        reason = request.POST.get("reason", "")
        try:
            if request.POST.get("do") == "reopen":
                pilot_decisions.reopen_candidate(candidate=pilot_candidate, reason=reason, by=current_user(request))
                messages.success(request, _("Decision reversed."))
            else:
                pilot_decisions.decide_candidate(
                    candidate=pilot_candidate,
                    verdict=request.POST.get("do", ""),
                    reason=reason,
                    by=current_user(request),
                )
                messages.success(request, _("Decision saved. The candidate sees your reason in My work."))
            return redirect("pilot-candidate", project.slug, pilot_candidate.public_id)
        except ServiceError as error:
            fault = error.message
            pilot_candidate = pilot_decisions.get_candidate(project, public_id)
    row = pilot_decisions.candidate_progress(pilot_candidate)
    context = {
        "project": project,
        "row": row,
        **describe_style(row),
        "name": ShownNames(request, project).of(pilot_candidate.user),
        "parts": [
            _build_sample_section(comparison, column)
            for comparison, column in pilot_comparison.compare_candidate(pilot_candidate)
        ],
        "decisions": pilot_decisions.list_decisions(pilot_candidate),
        "fault": fault,
        "reason": reason,
    }
    return render(request, "annotation/pilot/pilot_candidate.html", context, status=422 if fault else 200)


def _build_sample_section(
    comparison: pilot_comparison.PilotComparison, column: pilot_comparison.Column | None
) -> dict[str, Any]:
    answer = column.answer if column else None
    return {
        "compared": comparison,
        "column": column,
        "asked": overlap_checks.describe_request(comparison.sample),
        "checks": list(
            zip(
                comparison_table.build_headings(comparison.sample),
                comparison_table.build_cells(answer, comparison.sample) if answer else [],
                strict=False,
            )
        ),
    }

"""Checking judges by hand: drawing texts, labelling them blind by one key each, and how often each judge is right."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project
from annotation.services.core import access
from annotation.services.core.errors import ServiceError
from annotation.views.core.decorators import add_service_error, current_user, project_page
from annotation.views.core.script_modules import list_imported_modules
from epitome.figures.table_rendering import render_table
from epitome.prompts.questions import list_questions
from evaluation.models import HandLabel, JudgeCheck
from evaluation.services.judge_checks import check_draws, check_tables, hand_labels
from evaluation.views.judge_checks.forms import DrawForm
from modelbridge.services.runs.text_sets import list_choices

REFUSED = 422


@project_page(access.STAFF, methods=["GET", "HEAD", "POST"])
def show_checks(request: HttpRequest, project: Project) -> HttpResponse:
    """The checks of a project. Makers also draw new ones here, and see how often each judge is right."""
    may_draw = is_maker(request)
    form = DrawForm(request.POST or None, list_choices(project, "judge")) if may_draw else None
    status = 200
    if request.method == "POST":
        access.project_for(request.user, project.slug, access.MAKERS)
        assert form is not None
        check = _draw_check(request, project, form)
        if check is not None:
            return redirect("judge-check-label", project.slug, check.public_id)
        status = REFUSED
    context = {
        "project": project,
        "form": form,
        "checks": hand_labels.list_progress(project, current_user(request)),
        "tables": _list_tables(project) if may_draw else [],
    }
    return render(request, "evaluation/judge_checks/judge_checks.html", context, status=status)


def is_maker(request: HttpRequest) -> bool:
    """Whether the person may see systems; the project of the request is entered."""
    roles: frozenset[str] = getattr(request, "project_roles", frozenset())
    return bool(roles & {role.value for role in access.MAKERS})


def _list_tables(project: Project) -> list[Any]:
    tables = (check_tables.build_check_table(project, question) for question in list_questions())
    return [render_table(table, gettext=_) for table in tables]


def _draw_check(request: HttpRequest, project: Project, form: DrawForm) -> JudgeCheck | None:
    if not form.is_valid():
        return None
    try:
        return check_draws.draw_check(project=project, by=current_user(request), **form.cleaned_data)
    except ServiceError as error:
        add_service_error(form, error)
        return None


@project_page(access.STAFF, methods=["GET", "HEAD", "POST"])
def label_texts(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """One text to label (?n=, else the first unlabelled one); POST stores the label and goes to the next."""
    check = hand_labels.find_check(project, public_id)
    if request.method == "POST":
        return _store_label(request, project, check)
    number = _read_number(request.GET.get("n", ""))
    text = hand_labels.read_text(check, current_user(request), number)
    question = check_draws.get_question(check.question)
    progress = hand_labels.count_labelled(check, current_user(request))
    context = {
        "project": project,
        "check": check,
        "text": text,
        "question": question,
        "choices": [(key, label, label_words(label)) for key, label in hand_labels.list_label_choices(check.question)],
        "labelled": progress.labelled,
        "of": progress.of,
        "before": text.number - 1 if text else progress.of,
        "modules": list_imported_modules("judge-check"),
    }
    return render(request, "evaluation/judge_checks/label.html", context)


def label_words(label: str) -> str:
    """A label as people read it."""
    return check_tables.describe_cannot_say() if label == HandLabel.CANNOT_SAY else label


def _read_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


def _store_label(request: HttpRequest, project: Project, check: JudgeCheck) -> HttpResponse:
    number = _read_number(request.POST.get("n", "")) or 0
    try:
        label = request.POST.get("label", "")
        hand_labels.store_label(check=check, number=number, label=label, by=current_user(request))
    except ServiceError as error:
        messages.error(request, error.message)
    return redirect(reverse("judge-check-label", args=[project.slug, check.public_id]))

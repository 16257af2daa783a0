"""Questions asked from a task, and the staff pages that answer them."""

import uuid
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Draft, Project, Question
from annotation.services.core import access
from annotation.services.core.errors import NotFound, ServiceError
from annotation.services.tasks import assignments, questions
from annotation.views.core.decorators import (
    add_service_error,
    current_user,
    enter_project,
    project_page,
    signed_in,
    zone_override,
)
from annotation.views.core.pagination import filters_of, paginate_rows
from annotation.views.core.shown_names import ShownNames
from annotation.views.tasks.forms import AnswerForm, AskForm, QuestionFilter


@signed_in(methods=("GET", "HEAD", "POST"))
def ask_question(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Ask a question about one's own task; earlier questions are listed above the form."""
    task = assignments.get_own_assignment(request.user, public_id)
    project = task.project.front
    enter_project(request, project)
    form = AskForm(request.POST or None)
    with zone_override(project):
        if request.method == "POST" and form.is_valid():
            try:
                questions.ask_question(assignment=task, text=form.cleaned_data["text"])
            except ServiceError as error:
                add_service_error(form, error)
            else:
                messages.success(request, _describe_parked(task.claim.assignments.open().count()))
                return redirect("work", project.slug)
        earlier_questions = Question.objects.filter(assignment=task).order_by("pk")
        context = {
            "project": project,
            "task": task,
            "form": form,
            "before": earlier_questions,
            "days": questions.PARKED_LEASE.days,
            "n_tasks": task.claim.assignments.open().count(),
        }
        return render(request, "annotation/tasks/ask.html", context, status=422 if form.errors else 200)


def _describe_parked(n_tasks: int) -> str:
    words = ngettext(
        "Question sent. The task is reserved for you; you can take another one meanwhile.",
        "Question sent. The %(n)d tasks of this source are reserved for you; you can take another one meanwhile.",
        n_tasks,
    )
    return words % {"n": n_tasks}


@signed_in(methods=("POST",))
def mark_answer_seen(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    question = questions.get_own_question(current_user(request), public_id)
    questions.mark_answer_seen(question=question)
    return redirect("work", question.project.slug)


class QuestionLine(NamedTuple):
    """A question and the name of its asker, as this reader may see it."""

    question: Question
    asker_name: str


@project_page(access.STAFF)
def question_list(request: HttpRequest, project: Project) -> HttpResponse:
    state = filters_of(request, QuestionFilter).cleaned_data["state"] or "open"
    rows = paginate_rows(request, questions.list_questions(project, state))
    names = ShownNames(request, project)
    lines = [QuestionLine(row, names.of(row.asker)) for row in rows]
    context = {"project": project, "rows": rows, "lines": lines, "state": state}
    return render(request, "annotation/tasks/questions.html", context)


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def show_question(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """One question with its source and draft, and the answer form."""
    row = questions.list_questions(project, "all").filter(public_id=public_id).first()
    if row is None:
        raise NotFound(_("Question not found, or you don't have access."))
    form = AnswerForm(request.POST or None, initial={"question": row.text})
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            questions.answer_question(
                question=row,
                by=current_user(request),
                text=values["answer"],
                kind=values["kind"],
                wording=values["question"],
            )
        except ServiceError as error:
            add_service_error(form, error)
        else:
            messages.success(request, _("Answered."))
            return redirect("questions", project.slug)
    context = {
        "project": project,
        "question": row,
        "who": ShownNames(request, project).of(row.asker),
        "draft": Draft.objects.filter(pk=row.assignment_id).first(),
        "form": form,
    }
    return render(request, "annotation/tasks/question.html", context, status=422 if form.errors else 200)

"""Asking from a task, and the team's page where questions are answered."""

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.forms import AnswerForm, AskForm, QuestionFilter
from annotation.models import Draft, Project, Question
from annotation.services import access, questions, work
from annotation.services.errors import NotFound, ServiceError
from annotation.services.pseudonyms import Pseudonyms
from annotation.views.common import enter, filters_of, paged, person, project_page, refuse, signed_in, zone_override
from annotation.views.context import Page


@signed_in(methods=("GET", "HEAD", "POST"))
def ask(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """One's own question about one's own task; what was asked about it before stands above."""
    task = work.own_assignment(request.user, public_id)
    project = task.project.front
    enter(request, project)
    form = AskForm(request.POST or None)
    with zone_override(project):
        if request.method == "POST" and form.is_valid():
            try:
                questions.ask(assignment=task, text=form.cleaned_data["text"])
            except ServiceError as error:
                refuse(form, error)
            else:
                messages.success(request, _("Asked. The task waits for you; take another one meanwhile."))
                return redirect("work", project.slug)
        before = Question.objects.filter(assignment=task).order_by("pk")
        context = {"project": project, "task": task, "form": form, "before": before, "days": questions.PARKED.days}
        return render(request, "annotation/ask.html", context, status=422 if form.errors else 200)


@signed_in(methods=("POST",))
def put_away(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    question = questions.own_question(person(request), public_id)
    questions.put_away(question=question)
    return redirect("work", question.project.slug)


@project_page(access.STAFF)
def questions_page(request: HttpRequest, project: Project) -> HttpResponse:
    state = filters_of(request, QuestionFilter).cleaned_data["state"] or "open"
    rows = paged(request, questions.listed(project, state))
    names = Pseudonyms(project)
    for row in rows:
        row.who = _name(request, row, names)  # type: ignore[attr-defined]
    context = {"project": project, "rows": rows, "state": state}
    return render(request, "annotation/questions.html", context)


def _name(request: HttpRequest, question: Question, names: Pseudonyms) -> str:
    """Reviewers see pseudonyms, researchers and admins names."""
    return question.asker.get_username() if Page(request).makes else str(names.of(question.asker_id))


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def question(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponseBase:
    """One question with the source and the draft it is about; the answer."""
    found = questions.listed(project, "all").filter(public_id=public_id).first()
    if found is None:
        raise NotFound(_("There is no such question, or it is not yours."))
    form = AnswerForm(request.POST or None, initial={"question": found.text})
    if request.method == "POST" and form.is_valid():
        told = form.cleaned_data
        try:
            questions.answer(
                question=found, by=person(request), text=told["answer"], kind=told["kind"], wording=told["question"]
            )
        except ServiceError as error:
            refuse(form, error)
        else:
            messages.success(request, _("Answered."))
            return redirect("questions", project.slug)
    context = {
        "project": project,
        "question": found,
        "who": _name(request, found, Pseudonyms(project)),
        "draft": Draft.objects.filter(pk=found.assignment_id).first(),
        "form": form,
    }
    return render(request, "annotation/question.html", context, status=422 if form.errors else 200)

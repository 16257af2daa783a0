"""The rater's pages: my rounds, instructions, qualification, and one item at a time."""

import uuid
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import Project, Role
from annotation.services.core import access
from annotation.services.core.errors import BadInput, Conflict
from annotation.views.core.decorators import current_user, project_page, signed_in
from annotation.views.core.navigation import set_project
from annotation.views.core.script_modules import list_imported_modules
from evaluation.models import ItemAssignment, ItemAssignmentState, Round, RoundState
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims, item_payload, rater_standing
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import round_access
from evaluation.views.rating.item_page import build_sheet
from evaluation.views.rating.messages import no_item_message, script_sentences


@project_page((Role.RATER,))
def my_rounds(request: HttpRequest, project: Project) -> HttpResponse:
    user = current_user(request)
    rows = list(round_access.own_rounds(user).filter(project=project).order_by("pk"))
    if rows and not round_access.is_eligible(user, rows[-1]):
        rows = []
    rows.sort(key=lambda round_: round_.state != RoundState.OPEN)  # those to rate first, each the oldest first
    entries = [_round_entry(round_, user) for round_ in rows]
    context = {"project": project, "entries": entries, "said": no_item_message(request.GET.get("said", ""))}
    return render(request, "evaluation/rating/rating.html", context)


def _round_entry(round_: Round, user: Any) -> dict[str, Any]:
    assignments = ItemAssignment.objects.filter(round=round_, rater=user)
    n_finished = assignments.filter(state=ItemAssignmentState.DONE).count()
    last = assignments.filter(state=ItemAssignmentState.DONE).order_by("-position").first()
    planned = rater_standing.planned_items(round_)
    return {
        "round": round_,
        "done": n_finished,
        "all": planned,
        "finished": planned is not None and n_finished >= planned,
        "held": assignments.filter(state=ItemAssignmentState.CLAIMED).exists(),
        "last": last,
        "open": round_.state == RoundState.OPEN,
        "paused": round_.state == RoundState.PAUSED,
        "step": round_instructions.next_step(round_, user),
    }


def _enter_round(request: HttpRequest, public_id: uuid.UUID) -> Round:
    round_ = round_access.own_round(request.user, public_id)
    set_project(request, round_.project, access.roles_of(request.user, round_.project))
    return round_


@signed_in(methods=("GET", "HEAD", "POST"))
def show_instructions(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Show the instructions; POST confirms them, which is required before the first item."""
    round_ = _enter_round(request, public_id)
    user = current_user(request)
    if request.method == "POST":
        try:
            round_instructions.confirm_instructions(round_=round_, rater=user, shown_hash=request.POST.get("hash", ""))
        except Conflict as error:
            messages.error(request, error.message)
            return redirect("round-instructions", public_id)
        step = round_instructions.next_step(round_, user)
        return redirect("round-qualification", public_id) if step else _open_next_item(request, round_)
    context = {
        "round": round_,
        "told": round_.instructions,
        "examples": _describe_examples(round_),
        "questions": round_.rules.questions,
        "hash": round_instructions.instructions_hash(round_),
        "reading": round_instructions.find_reading(round_, user),
        "open": round_.state in RoundState.RUNNING,
    }
    return render(request, "evaluation/rating/instructions.html", context)


def _describe_examples(round_: Round) -> list[dict[str, Any]]:
    """The worked examples with their answers to the questions of this round."""
    questions = {question.key: question for question in round_.rules.questions}
    rows = []
    for example in round_.instructions.examples:
        answers = [
            {"question": questions[key].text, "answer": _answer_label(questions[key], answer)}
            for key, answer in example.answers.items()
            if key in questions
        ]
        rows.append(
            {"example": example, "summaries": list(zip("AB", example.summaries, strict=False)), "answers": answers}
        )
    return rows


def _answer_label(question: Any, answer: str) -> str:
    return next((option.label for option in question.asks.options(question) if option.value == answer), answer)


@signed_in(methods=("GET", "HEAD", "POST"))
def show_qualification(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Show the qualification examples; POST checks the answers."""
    round_ = _enter_round(request, public_id)
    user = current_user(request)
    reading = round_instructions.find_reading(round_, user)
    if reading is None:
        return redirect("round-instructions", public_id)
    fault = ""
    if request.method == "POST":
        try:
            reading = round_instructions.submit_qualification(round_=round_, rater=user, answers=request.POST.dict())
        except (BadInput, Conflict) as error:
            fault = error.message
        else:
            if reading.qualified_at is not None:
                messages.success(request, _("Qualification passed."))
                return _open_next_item(request, round_)
    last = reading.qualification[-1] if reading.qualification else None
    context = {
        "round": round_,
        "reading": reading,
        "fault": fault,
        "last": last,
        "left": round_instructions.MAX_TRIES - reading.tries,
        "forms": _example_forms(round_, request.POST, last["wrong"] if last else []),
        "needed": round(100 * round_.rules.qualification),
    }
    return render(request, "evaluation/rating/qualification.html", context, status=422 if fault else 200)


def _example_forms(round_: Round, data: QueryDict, wrong: list[str]) -> list[dict[str, Any]]:
    entries = []
    for number, example in enumerate(round_instructions.qualifying_examples(round_)):
        questions = []
        for question in round_.rules.questions:
            if question.key in example.answers:
                name = f"{number}-{question.key}"
                options = question.asks.options(question)
                fields = {"name": name, "question": question, "options": options, "given": data.get(name, "")}
                questions.append({**fields, "wrong": name in wrong})
        summaries = list(zip("AB", example.summaries, strict=False))
        entries.append({"example": example, "questions": questions, "summaries": summaries})
    return entries


@signed_in(methods=("POST",))
def next_item(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Claim the next item, or find the held one, and redirect to it; without an item, to My rounds with the reason."""
    return _open_next_item(request, _enter_round(request, public_id))


def _open_next_item(request: HttpRequest, round_: Round) -> HttpResponseBase:
    result = item_claims.claim_next(round_=round_, rater=current_user(request))
    if result.reason in ("instructions", "qualification"):
        return redirect(f"round-{result.reason}", round_.public_id)
    if result.assignment is None:
        return redirect(f"{reverse('rating', args=[round_.project.slug])}?said={result.reason}")
    return redirect("item", result.assignment.public_id)


@signed_in(methods=("GET", "HEAD", "POST"))
def show_item(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Show one item for rating, read-only once the round is closed. The form also works without JavaScript."""
    assignment = round_access.own_item_assignment(request.user, public_id)
    project = assignment.round.project
    set_project(request, project, access.roles_of(request.user, project))
    fault = ""
    if request.method == "POST":
        try:
            rating_answers.save_answers(
                assignment=assignment, payload=_read_payload(request.POST, assignment), finish=True
            )
        except (BadInput, Conflict) as error:
            fault = error.message
        else:
            return next_item(request, assignment.round.public_id)
    item_data = item_payload.describe_item(assignment)
    context = {
        "project": project,
        "item": item_data,
        "sheet": build_sheet(item_data),
        "fault": fault,
        "before": _neighbour_id(assignment, back=True),
        "after": _neighbour_id(assignment, back=False),
        "words": script_sentences(),
        "modules": list_imported_modules("rate"),
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
    }
    return render(request, "evaluation/rating/item.html", context, status=422 if fault else 200)


def _read_payload(data: QueryDict, assignment: ItemAssignment) -> dict[str, Any]:
    answers = {
        key: {"answer": data[f"q-{key}"], "unsure": f"unsure-{key}" in data}
        for key in assignment.item.questions
        if f"q-{key}" in data
    }
    return {"answers": answers, "note": data.get("note", "")}


def _neighbour_id(assignment: ItemAssignment, *, back: bool) -> uuid.UUID | None:
    """Public id of the rater's previous or next item, or None."""
    assignments = ItemAssignment.objects.filter(round=assignment.round_id, rater=assignment.rater_id).exclude(
        state=ItemAssignmentState.VOID
    )
    rows = (
        assignments.filter(position__lt=assignment.position)
        if back
        else assignments.filter(position__gt=assignment.position)
    )
    neighbour_id = rows.order_by("-position" if back else "position").values_list("public_id", flat=True).first()
    return neighbour_id

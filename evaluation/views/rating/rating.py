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

from annotation.models import CrowdOutcome, Project, Role
from annotation.services.core import access
from annotation.services.core.errors import BadInput, Conflict
from annotation.services.people import crowd_outcomes
from annotation.views.core.decorators import current_user, project_page, signed_in
from annotation.views.core.navigation import set_project
from annotation.views.core.script_modules import list_imported_modules
from evaluation.models import ItemAssignment, ItemAssignmentState, Round, RoundRater, RoundState
from evaluation.services.rating import answers as rating_answers
from evaluation.services.rating import item_claims, item_payload, rater_standing
from evaluation.services.rounds import instructions as round_instructions
from evaluation.services.rounds import round_access
from evaluation.views.rating.item_page import build_sheet, fill_question, list_example_texts
from evaluation.views.rating.messages import no_item_message, script_sentences

OUTCOME_REASONS = ("done", "all_yours", "quota", "closed")
"""Reasons after which a person of a crowd link has nothing more to do."""


@project_page((Role.RATER,))
def my_rounds(request: HttpRequest, project: Project) -> HttpResponse:
    user = current_user(request)
    rows = list(round_access.own_rounds(user).filter(project=project).order_by("pk"))
    if rows and not round_access.is_eligible(user, rows[-1]):
        rows = []
    rows.sort(key=lambda round_: round_.state != RoundState.OPEN)  # those to rate first, each the oldest first
    entries = [_round_entry(round_, user) for round_ in rows]
    standing, reason = crowd_outcomes.worker_progress(project, user), request.GET.get("said", "")
    context = {
        "project": project,
        "entries": entries,
        "said": no_item_message(reason),
        "standing": standing,
        "ended": standing is not None and bool(standing.outcome or reason in OUTCOME_REASONS),
    }
    return render(request, "evaluation/rating/rating.html", context)


def _round_entry(round_: Round, user: Any) -> dict[str, Any]:
    assignments = ItemAssignment.objects.filter(round=round_, rater=user)
    n_finished = assignments.filter(state=ItemAssignmentState.DONE).count()
    last = assignments.filter(state=ItemAssignmentState.DONE).order_by("-position").first()
    row = RoundRater.objects.filter(round=round_, rater=user, left_at=None).first()
    planned = rater_standing.planned_items(round_, max_items=row.max_items if row else None)
    rater_paused = row is not None and row.paused_at is not None and round_.state in RoundState.RUNNING
    return {
        "round": round_,
        "done": n_finished,
        "all": None if round_.waits_for_judges else planned,
        "finished": planned is not None and n_finished >= planned,
        "rater_paused": no_item_message("rater_paused") if rater_paused else None,
        "held": assignments.filter(state=ItemAssignmentState.CLAIMED).exists(),
        "last": last,
        "open": round_.state == RoundState.OPEN and not round_.waits_for_judges,
        "not_open": round_.state == RoundState.OPEN and round_.waits_for_judges,
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
        "terms": round_instructions.list_terms(round_),
        "examples": _describe_examples(round_),
        "questions": round_.rules.questions,
        "hash": round_instructions.instructions_hash(round_),
        "reading": round_instructions.find_reading(round_, user),
        "open": round_.state in RoundState.RUNNING,
    }
    return render(request, "evaluation/rating/instructions.html", context)


def _describe_examples(round_: Round) -> list[dict[str, Any]]:
    """The worked examples with their answers to the questions of this round."""
    rows = []
    for example in round_.instructions.examples:
        fitting = (question.for_texts(len(example.summaries)) for question in round_.rules.questions)
        questions = {question.key: question for question in fitting}
        answers = [
            {"question": questions[key].text, "answer": questions[key].asks.describe(questions[key], answer)}
            for key, answer in example.answers.items()
            if key in questions
        ]
        rows.append(
            {
                "example": example,
                "summaries": list_example_texts(example, round_.instructions),
                "answers": answers,
            }
        )
    return rows


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
            answers = _read_qualification(round_, request.POST)
            reading = round_instructions.submit_qualification(round_=round_, rater=user, answers=answers)
        except (BadInput, Conflict) as error:
            fault = error.message
        else:
            if reading.qualified_at is not None:
                messages.success(request, _("Qualification passed."))
                return _open_next_item(request, round_)
    n_tries_left = round_instructions.MAX_TRIES - reading.tries
    standing = crowd_outcomes.worker_progress(round_.project, user) if n_tries_left <= 0 else None
    if request.method == "POST" and standing is not None and reading.qualified_at is None:
        return redirect("completion", round_.project.slug)
    last = reading.qualification[-1] if reading.qualification else None
    context = {
        "round": round_,
        "reading": reading,
        "fault": fault,
        "last": last,
        "left": n_tries_left,
        "standing": standing,
        "forms": _example_forms(round_, request.POST, last["wrong"] if last else []),
        "needed": round(100 * round_.rules.qualification),
    }
    return render(request, "evaluation/rating/qualification.html", context, status=422 if fault else 200)


def _read_qualification(round_: Round, data: QueryDict) -> dict[str, str]:
    """The answers of the form by "{number of the example}-{question}"."""
    answers = {}
    for index, example in enumerate(round_instructions.qualifying_examples(round_)):
        for question in round_instructions.asked_of_example(round_, example):
            name = f"{index}-{question.key}"
            answer = question.asks.read_fields(question, name, data.getlist)
            if answer is not None:
                answers[name] = answer
    return answers


def _example_forms(round_: Round, data: QueryDict, wrong: list[str]) -> list[dict[str, Any]]:
    entries = []
    for index, example in enumerate(round_instructions.qualifying_examples(round_)):
        questions = []
        for question in round_instructions.asked_of_example(round_, example):
            name = f"{index}-{question.key}"
            answer = question.asks.read_fields(question, name, data.getlist) or ""
            described = {**item_payload.describe_answers(question), "type": question.type, "text": question.text}
            questions.append({"form": fill_question(described, name, {"answer": answer}), "wrong": name in wrong})
        summaries = list_example_texts(example, round_.instructions)
        entries.append({"example": example, "questions": questions, "summaries": summaries})
    return entries


@signed_in(methods=("POST",))
def next_item(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Claim the next item, or find the held one, and redirect to it; without an item, to My rounds with the reason."""
    return _open_next_item(request, _enter_round(request, public_id))


def _open_next_item(request: HttpRequest, round_: Round) -> HttpResponseBase:
    user = current_user(request)
    result = item_claims.claim_next(round_=round_, rater=user)
    if result.reason in ("instructions", "qualification"):
        return redirect(f"round-{result.reason}", round_.public_id)
    if result.reason == "consent":
        return redirect("consent", round_.project.slug)
    if (
        result.reason in OUTCOME_REASONS
        and (standing := crowd_outcomes.worker_progress(round_.project, user)) is not None
    ):
        crowd_outcomes.note_outcome(standing, CrowdOutcome.NO_WORK)
        return redirect("completion", round_.project.slug)
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
    answers: dict[str, dict[str, Any]] = {}
    for key in assignment.item.questions:
        question = assignment.round.rules.question(key)
        answer = question.asks.read_fields(question, f"q-{key}", data.getlist)
        if answer is not None:
            answers[key] = {"answer": answer, "unsure": f"unsure-{key}" in data}
            if question.why:
                answers[key]["why"] = data.get(f"why-{key}", "")
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

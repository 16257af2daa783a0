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
from annotation.services import access
from annotation.services.errors import BadInput, Conflict
from annotation.views.common import person, project_page, signed_in
from annotation.views.context import set_project
from evaluation.models import ItemView, Round, RoundState, ViewState
from evaluation.services import answering, entering, instructing, rating, showing
from evaluation.views.item_page import sheet
from evaluation.views.rating_words import nothing, words

MODULES = (
    *("api", "autosave", "copied", "dom", "find", "highlight", "journal", "keys", "offsets", "overlap", "queue"),
    *("savestate", "source", "unicode", "words"),
)


@project_page((Role.RATER,))
def rounds_of_mine(request: HttpRequest, project: Project) -> HttpResponse:
    user = person(request)
    rows = list(entering.own_rounds(user).filter(project=project).order_by("-pk"))
    if rows and not entering.is_eligible(user, rows[0]):
        rows = []
    entries = [_entry(one, user) for one in rows]
    context = {"project": project, "entries": entries, "said": nothing(request.GET.get("said", ""))}
    return render(request, "evaluation/rating.html", context)


def _entry(round_: Round, user: Any) -> dict[str, Any]:
    views = ItemView.objects.filter(round=round_, rater=user)
    done = views.filter(state=ViewState.DONE).count()
    last = views.filter(state=ViewState.DONE).order_by("-position").first()
    planned = showing.planned(round_)
    return {
        "round": round_,
        "done": done,
        "all": planned,
        "finished": planned is not None and done >= planned,
        "held": views.filter(state=ViewState.CLAIMED).exists(),
        "last": last,
        "open": round_.state == RoundState.OPEN,
        "paused": round_.state == RoundState.PAUSED,
        "step": instructing.next_step(round_, user),
    }


def _enter(request: HttpRequest, public_id: uuid.UUID) -> Round:
    round_ = entering.own_round(request.user, public_id)
    set_project(request, round_.project, access.roles_of(request.user, round_.project))
    return round_


@signed_in(methods=("GET", "HEAD", "POST"))
def instructions(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """Read, and confirmed before the first item."""
    round_ = _enter(request, public_id)
    user = person(request)
    if request.method == "POST":
        try:
            instructing.confirm(round_=round_, rater=user, given=request.POST.get("hash", ""))
        except Conflict as error:
            messages.error(request, error.message)
            return redirect("round-instructions", public_id)
        step = instructing.next_step(round_, user)
        return redirect("round-qualification", public_id) if step else redirect("rating", round_.project.slug)
    context = {
        "round": round_,
        "told": round_.instructions,
        "examples": _examples(round_),
        "questions": round_.rules.questions,
        "hash": instructing.instructions_hash(round_),
        "reading": instructing.reading_of(round_, user),
        "open": round_.state in (RoundState.OPEN, RoundState.PAUSED),
    }
    return render(request, "evaluation/instructions.html", context)


def _examples(round_: Round) -> list[dict[str, Any]]:
    """The worked examples, with the answers that this round asks for."""
    asked = {one.key: one for one in round_.rules.questions}
    found = []
    for one in round_.instructions.examples:
        answers = [
            {"question": asked[key].text, "answer": _label(asked[key], answer)}
            for key, answer in one.answers.items()
            if key in asked
        ]
        found.append({"example": one, "summaries": list(zip("AB", one.summaries, strict=False)), "answers": answers})
    return found


def _label(question: Any, answer: str) -> str:
    return next((one.label for one in question.asks.options(question) if one.value == answer), answer)


@signed_in(methods=("GET", "HEAD", "POST"))
def qualification(request: HttpRequest, public_id: uuid.UUID) -> HttpResponse:
    """A few examples to answer before the first item."""
    round_ = _enter(request, public_id)
    user = person(request)
    reading = instructing.reading_of(round_, user)
    if reading is None:
        return redirect("round-instructions", public_id)
    fault = ""
    if request.method == "POST":
        try:
            reading = instructing.qualify(round_=round_, rater=user, given=request.POST.dict())
        except (BadInput, Conflict) as error:
            fault = error.message
        else:
            if reading.qualified_at is not None:
                messages.success(request, _("You are through. Take the first item when you are ready."))
                return redirect("rating", round_.project.slug)
    last = reading.qualification[-1] if reading.qualification else None
    context = {
        "round": round_,
        "reading": reading,
        "fault": fault,
        "last": last,
        "left": instructing.MOST_TRIES - reading.tries,
        "forms": _forms(round_, request.POST, last["wrong"] if last else []),
        "needed": round(100 * round_.rules.qualification),
    }
    return render(request, "evaluation/qualification.html", context, status=422 if fault else 200)


def _forms(round_: Round, given: QueryDict, wrong: list[str]) -> list[dict[str, Any]]:
    found = []
    for number, example in enumerate(instructing.qualifying(round_)):
        questions = []
        for one in round_.rules.questions:
            if one.key in example.answers:
                name = f"{number}-{one.key}"
                options = one.asks.options(one)
                told = {"name": name, "question": one, "options": options, "given": given.get(name, "")}
                questions.append({**told, "wrong": name in wrong})
        summaries = list(zip("AB", example.summaries, strict=False))
        found.append({"example": example, "questions": questions, "summaries": summaries})
    return found


@signed_in(methods=("POST",))
def next_item(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """Claim (or find what is held) and go there; without an item, to My rounds with the reason."""
    round_ = _enter(request, public_id)
    found = rating.claim_next(round_=round_, rater=person(request))
    if found.reason in ("instructions", "qualification"):
        return redirect(f"round-{found.reason}", public_id)
    if found.view is None:
        return redirect(f"{reverse('rating', args=[round_.project.slug])}?said={found.reason}")
    return redirect("item", found.view.public_id)


@signed_in(methods=("GET", "HEAD", "POST"))
def item(request: HttpRequest, public_id: uuid.UUID) -> HttpResponseBase:
    """One item to judge, or to look at once the round is closed. The form works without script too."""
    view = entering.own_view(request.user, public_id)
    project = view.round.project
    set_project(request, project, access.roles_of(request.user, project))
    fault = ""
    if request.method == "POST":
        try:
            answering.save(view=view, payload=_payload(request.POST, view), done=True)
        except (BadInput, Conflict) as error:
            fault = error.message
        else:
            return next_item(request, view.round.public_id)
    shown = showing.describe(view)
    context = {
        "project": project,
        "item": shown,
        "sheet": sheet(shown),
        "fault": fault,
        "before": _neighbour(view, back=True),
        "after": _neighbour(view, back=False),
        "words": words(),
        "modules": MODULES,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
    }
    return render(request, "evaluation/item.html", context, status=422 if fault else 200)


def _payload(given: QueryDict, view: ItemView) -> dict[str, Any]:
    answers = {
        key: {"answer": given[f"q-{key}"], "unsure": f"unsure-{key}" in given}
        for key in view.item.questions
        if f"q-{key}" in given
    }
    return {"answers": answers, "note": given.get("note", "")}


def _neighbour(view: ItemView, *, back: bool) -> uuid.UUID | None:
    """The rater's own item before or after this one."""
    own = ItemView.objects.filter(round=view.round_id, rater=view.rater_id).exclude(state=ViewState.VOID)
    rows = own.filter(position__lt=view.position) if back else own.filter(position__gt=view.position)
    found = rows.order_by("-position" if back else "position").values_list("public_id", flat=True).first()
    return found

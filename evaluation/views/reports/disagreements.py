"""Disagreements between raters, one at a time and blind, for a third person to decide."""

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
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.script_modules import list_imported_modules
from evaluation.models import Round
from evaluation.services.reports import adjudication
from evaluation.services.reports.adjudication import Dispute
from evaluation.services.reports.dispute_payload import describe_dispute
from evaluation.views.rating.item_page import build_sheet
from evaluation.views.rating.messages import script_sentences
from evaluation.views.reports.reports import find_launched_round


@project_page(access.MAKERS, methods=["GET", "HEAD", "POST"])
def decide_disagreement(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    """Show one disagreement (?n=, else the first undecided one); POST stores the decision and goes to the next."""
    round_ = find_launched_round(project, public_id)
    if request.method == "POST":
        return _store_decision(request, project, round_)
    try:
        disputes = adjudication.list_disputes(round_)
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect("round-report", project.slug, public_id)
    n_decided = sum(dispute.decision is not None for dispute in disputes)
    context: dict[str, Any] = {"project": project, "round": round_, "n": len(disputes), "n_decided": n_decided}
    place = _read_place(request, disputes)
    if place is None:
        return render(request, "evaluation/reports/no_disagreement.html", context)
    context |= _describe_page(round_, disputes, place)
    return render(request, "evaluation/reports/disagreement.html", context)


def _read_place(request: HttpRequest, disputes: list[Dispute]) -> int | None:
    """The place asked for, else that of the first undecided dispute; None when there is nothing to decide."""
    number = request.GET.get("n", "")
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(disputes):
        return int(number[:9]) - 1
    return _find_undecided(disputes, -1)


def _find_undecided(disputes: list[Dispute], after: int) -> int | None:
    """The place of the next undecided dispute, then of the first one; None when all are decided."""
    undecided = [index for index, dispute in enumerate(disputes) if dispute.decision is None]
    return next((place for place in undecided if place > after), undecided[0] if undecided else None)


def _describe_page(round_: Round, disputes: list[Dispute], place: int) -> dict[str, Any]:
    dispute = disputes[place]
    item = describe_dispute(round_, dispute)
    shape = {"questions": [item["question"]], "payload": {"answers": {}}}
    sheet = build_sheet({**item, **shape, "progress": {"number": place + 1, "all": len(disputes)}})
    return {
        "dispute": dispute.disagreement,
        "item": item,
        "sheet": sheet,
        "number": place + 1,
        "before": place if place else None,
        "after": place + 2 if place + 1 < len(disputes) else None,
        "words": script_sentences(),
        "modules": list_imported_modules("decide"),
    }


def _store_decision(request: HttpRequest, project: Project, round_: Round) -> HttpResponse:
    data = request.POST
    address = reverse("round-disagreements", args=[project.slug, round_.public_id])
    item, question = data.get("item", ""), data.get("question", "")
    try:
        adjudication.store_decision(
            round_=round_,
            item=item,
            question=question,
            answer=data.get("answer", ""),
            note=data.get("note", ""),
            by=current_user(request),
        )
        disputes = adjudication.list_disputes(round_)
    except ServiceError as error:
        messages.error(request, error.message)
        return redirect(request.get_full_path())
    messages.success(request, _("Decision saved. The raters' answers are unchanged."))
    keys = [(dispute.disagreement.item, dispute.disagreement.question) for dispute in disputes]
    following = _find_undecided(disputes, keys.index((item, question)))
    return redirect(address if following is None else f"{address}?n={following + 1}")

"""The annotator's practice page: one item at a time, with feedback after each try."""

import re
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.models import PracticeItem, Project, Role
from annotation.services.core.errors import Conflict, NotFound, ServiceError
from annotation.services.guidelines import gate
from annotation.services.practice import feedback, progress, tries
from annotation.services.practice.items import list_choices
from annotation.services.practice.right_answers import CHOSEN, LENGTH, SEGMENTS
from annotation.views.core.decorators import current_user, project_page
from annotation.views.core.public_ids import parse_uuid

NUMBER = re.compile(r"[0-9]{1,9}")


@project_page((Role.ANNOTATOR,), methods=("GET", "HEAD", "POST"))
def show_practice(request: HttpRequest, project: Project) -> HttpResponseBase:
    """?item= shows an item with the results of the tries; otherwise the first one that is not finished."""
    user = current_user(request)
    if project.needs_practice and gate.version_passed(project=project.pk, user=user.pk) is None:
        return redirect("gate", project.slug)
    fault, answer = "", dict[str, Any]()
    if request.method == "POST":
        item = _find_item(project, request.POST.get("item", ""))
        fault, answer = _submit_try(request, item)
        if not fault and item is not None:
            return redirect(f"{request.path}?item={item.public_id}")
    standing = progress.load_progress(project, user)
    context = {
        "project": project,
        "standing": standing,
        "fault": fault,
        "needed": round(project.practice_share * 100),
        **_describe_item(standing, request.POST.get("item") or request.GET.get("item", ""), answer),
    }
    return render(request, "annotation/practice/practice.html", context, status=422 if fault else 200)


def _find_item(project: Project, text: str) -> PracticeItem | None:
    try:
        return progress.items_in_force(project).filter(public_id=parse_uuid(text)).first()
    except NotFound:
        return None


def _submit_try(request: HttpRequest, item: PracticeItem | None) -> tuple[str, dict[str, Any]]:
    """What is wrong with the try, "" where it is stored, and the answer to show in the form again."""
    if item is None:
        return _("This item has changed. Here is the practice as it is now."), {}
    answer = _read_answer(request, item)
    if missing := _describe_missing(item, answer):
        return missing, answer
    text = request.POST.get("attempt", "")
    try:
        attempt = int(text) if text in ("1", "2") else 0
        tries.submit_try(item=item, user=current_user(request), attempt=attempt, answer=answer)
    except Conflict as error:  # nothing of the form can be sent again
        return error.message, {}
    except ServiceError as error:
        return error.message, answer
    return "", answer


def _read_answer(request: HttpRequest, item: PracticeItem) -> dict[str, Any]:
    """The answer to the parts that the item asks for."""
    answer: dict[str, Any] = {}
    if CHOSEN in item.right:
        answer[CHOSEN] = {key: request.POST.getlist(f"pick-{key}") for key in item.right[CHOSEN]}
    if SEGMENTS in item.right:
        numbers = request.POST.getlist("segment")
        answer[SEGMENTS] = [int(number) for number in numbers if NUMBER.fullmatch(number)]
    if LENGTH in item.right:
        answer["text"] = request.POST.get("text", "")
    return answer


def _describe_missing(item: PracticeItem, answer: dict[str, Any]) -> str:
    """What a person has left out, where the form itself cannot ask for it; "" if nothing."""
    for key, texts in answer.get(CHOSEN, {}).items():
        if not texts:
            label = feedback.label_of(item.project.schema_version.schema, key)
            return _("%(label)s: choose at least one.") % {"label": label}
    return _("Mark at least one segment.") if answer.get(SEGMENTS) == [] else ""


def _describe_item(standing: progress.PracticeProgress, shown: str, answer: dict[str, Any]) -> dict[str, Any]:
    """Template context of the item that is shown: `row` None where there is none."""
    row = next((row for row in standing.items if str(row.item.public_id) == shown), None)
    if row is None or (standing.may_go_on and not row.is_finished):
        row = None if standing.may_go_on else standing.current
    if row is None or not row.item.project.needs_practice:
        return {"row": None}
    item, last = row.answered_item if row.is_finished else row.item, row.tries[-1] if row.tries else None
    answer = answer or (last.answer if last is not None else {})
    schema = item.project.schema_version.schema
    return {
        "row": row,
        "item": item,
        "index": standing.items.index(row) + 1,
        "attempt": len(row.tries) + 1,
        "asked": feedback.describe_values(item),
        "faults": feedback.describe_faults(last.item, last.faults) if last is not None else [],
        "reason": last.item.reason if last is not None else "",
        "right": feedback.describe_right(item) if row.is_finished else [],
        "asks": [
            {
                "key": key,
                "label": feedback.label_of(schema, key),
                "texts": [(text, text in answer.get(CHOSEN, {}).get(key, [])) for text in list_choices(item, key)],
            }
            for key in item.right.get(CHOSEN, {})
        ],
        "segments": [
            {**segment, "number": index, "is_marked": index in answer.get(SEGMENTS, [])}
            for index, segment in enumerate(item.document.source_text.segments)
        ],
        "asks_segments": SEGMENTS in item.right,
        "asks_text": LENGTH in item.right,
        "text": answer.get("text", ""),
    }

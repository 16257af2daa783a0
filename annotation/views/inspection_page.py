"""The page on which a reviewer inspects one summary, and sees what was measured once the verdict is stored."""

import json
import uuid
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds.summary import marked
from annotation.models import Annotation, Assignment, Inspection, InspectionSample, Project
from annotation.services import access, describing, inspecting, revising
from annotation.services import inspection_lists as lists
from annotation.services.asking import schema_for
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.pseudonyms import Pseudonyms
from annotation.services.scores import latest_scores
from annotation.views import inspection_words as said
from annotation.views.common import person, project_page
from annotation.views.task_page import sheet

OPENED = signing.TimestampSigner(salt="inspection-opened")
LONGEST = 24 * 3600


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def inspect(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    rows = Annotation.objects.filter(project=project, public_id=public_id, assignment__isnull=False)
    annotation = rows.first()
    if annotation is None:
        raise NotFound(_("There is no such thing, or it is not yours."))
    attempt = inspecting.loaded_attempt(annotation)
    if request.method == "POST":
        return _send(request, project, annotation, attempt)
    return _page(request, project, annotation, attempt)


def _send(request: HttpRequest, project: Project, annotation: Annotation, attempt: Assignment) -> HttpResponse:
    given = _given(request, [part["key"] for part in inspecting.parts(attempt)])
    try:
        inspecting.inspect(
            annotation=annotation,
            reviewer=person(request),
            given=given,
            seconds=_seconds(request.POST.get("opened", ""), annotation),
        )
    except BadInput as error:
        return _page(request, project, annotation, attempt, given=given, fault=error.message)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Your verdict is stored. What was measured is shown now."))
    return redirect("inspect", project.slug, annotation.public_id)


def _given(request: HttpRequest, keys: list[str]) -> dict[str, Any]:
    """The form as the service takes it."""
    post = request.POST
    verdicts = {
        key: {"verdict": post[f"verdict-{key}"], "comment": post.get(f"comment-{key}", "")}
        for key in keys
        if f"verdict-{key}" in post
    }
    try:
        comments = json.loads(post.get("comments") or "[]")
    except (ValueError, RecursionError):
        comments = None  # refused by the service, with the field named
    return {"verdicts": verdicts, "comments": comments, "comment": post.get("comment", "")}


def _seconds(opened: str, annotation: Annotation) -> float | None:
    """Since the page was opened, by our own signature on the form; None where it says nothing."""
    try:
        value = OPENED.unsign(opened, max_age=LONGEST)
        since = signing.b62_decode(opened.rsplit(":", 2)[1])
    except (signing.BadSignature, ValueError, IndexError):
        return None
    return max(0.0, timezone.now().timestamp() - since) if value == str(annotation.public_id) else None


def _page(
    request: HttpRequest,
    project: Project,
    annotation: Annotation,
    attempt: Assignment,
    *,
    given: dict[str, Any] | None = None,
    fault: str = "",
) -> HttpResponse:
    reviewer = person(request)
    refusal = inspecting.why_not(annotation, attempt, reviewer)
    looks = [] if refusal is None or refusal.code == "own" else list(annotation.inspections.order_by("second"))
    schema = schema_for(attempt)
    revisions = [one for one in revising.revisions(attempt) if one.revision <= annotation.revision]
    shown = describing.describe(attempt)
    context = {
        "project": project,
        "task": shown,
        "sheet": sheet(shown),
        "annotation": annotation,
        "turns": marked(annotation.payload.get("relevant_segments", [])),
        "pseudonym": Pseudonyms(project).of(attempt.annotator_id),
        "progress": _progress(project, attempt, reviewer),
        "parts": _parts(attempt, annotation, given or {}, looks),
        "given": given or {},
        "given_comments": json.dumps((given or {}).get("comments") or []),
        "fault": fault,
        "refusal": refusal,
        "looks": [said.told(row, schema) for row in looks],
        "came_about": said.came_about(annotation.authorship) if looks else [],
        "reviewer": reviewer,
        "changes": said.changes(revisions)[:1],
        "before": [said.told(row, schema) for row in _before(annotation, attempt)],
        "opened": OPENED.sign(str(annotation.public_id)),
        "words": said.words(),
        "data": {
            "segments": shown["document"]["segments"],
            "marked": sorted(marked(annotation.payload.get("relevant_segments", []))),
            "spans": annotation.payload.get("spans", []),
            "summary": annotation.payload.get("summary", ""),
            "comments": [comment for row in looks for comment in row.comments],
        },
    }
    return render(request, "annotation/inspection_one.html", context, status=422 if fault else 200)


def _before(annotation: Annotation, attempt: Assignment) -> list[Inspection]:
    """What was said of earlier revisions; the writer has read it too."""
    return [row for row in revising.feedback(attempt) if row.annotation.revision < annotation.revision]


def _progress(project: Project, attempt: Assignment, reviewer: User) -> dict[str, int] | None:
    """How far the sample of this text's week is inspected, for this reviewer; None for what was not drawn."""
    row = InspectionSample.objects.filter(annotation__assignment_id=attempt.pk).first()
    if row is None:
        return None
    done, total = lists.progress(project, row.week, reviewer)
    return {"done": done, "all": total}


def _parts(
    attempt: Assignment, annotation: Annotation, given: dict[str, Any], looks: list[Inspection]
) -> list[dict[str, Any]]:
    """The questions; with what was measured only where verdicts are shown."""
    scores = latest_scores(attempt.project, ids=[annotation.pk]).get(annotation.pk, {}) if looks else {}
    verdicts = given.get("verdicts", {})
    found = []
    for number, part in enumerate(inspecting.parts(attempt), 1):
        value = part["value"]
        told = ", ".join(map(str, value)) if isinstance(value, list) else part.get("value_label") or value or ""
        if part["key"] == inspecting.SEGMENTS:
            told = str(len(marked(annotation.payload.get("relevant_segments", []))))
        found.append(
            {
                **part,
                "number": number,
                "told": told,
                "verdict": verdicts.get(part["key"], {}).get("verdict", ""),
                "comment": verdicts.get(part["key"], {}).get("comment", ""),
                "measured": said.measured(part, scores) if looks else "",
            }
        )
    return found

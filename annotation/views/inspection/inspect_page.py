"""The page on which a reviewer inspects one summary; measures are shown after the verdict is stored."""

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

from annotation.models import Annotation, Assignment, Inspection, InspectionSample, Project
from annotation.services.core import access
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.pseudonyms import Pseudonyms
from annotation.services.core.word_patterns import join_names
from annotation.services.inspection import queue as queue_service
from annotation.services.inspection import verdicts as inspection_verdicts
from annotation.services.inspection.weekly_sample import week_of
from annotation.services.scores.score_queries import latest_scores
from annotation.services.tasks import revisions as task_revisions
from annotation.services.tasks import task_payload
from annotation.services.tasks.task_context import kind_for, schema_for
from annotation.views.core.decorators import current_user, project_page
from annotation.views.inspection import messages as inspection_messages
from annotation.views.tasks.task_page import build_sheet
from epitome.text.words import n_words

OPENED = signing.TimestampSigner(salt="inspection-opened")
LONGEST = 24 * 3600


@project_page(access.STAFF, methods=("GET", "HEAD", "POST"))
def inspect_summary(request: HttpRequest, project: Project, public_id: uuid.UUID) -> HttpResponse:
    rows = Annotation.objects.filter(project=project, public_id=public_id, assignment__isnull=False)
    annotation = rows.first()
    if annotation is None:
        raise NotFound()
    attempt = inspection_verdicts.load_attempt(annotation)
    if request.method == "POST":
        return _save_verdict(request, project, annotation, attempt)
    return _render_page(request, project, annotation, attempt)


def _save_verdict(request: HttpRequest, project: Project, annotation: Annotation, attempt: Assignment) -> HttpResponse:
    submission = _parse_submission(request, [criterion["key"] for criterion in inspection_verdicts.list_parts(attempt)])
    try:
        inspection_verdicts.save_verdict(
            annotation=annotation,
            reviewer=current_user(request),
            data=submission,
            seconds=_seconds_since_opened(request.POST.get("opened", ""), annotation),
        )
    except BadInput as error:
        return _render_page(request, project, annotation, attempt, submission=submission, fault=error.message)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, _("Verdict saved. The measures are now shown."))
    return redirect("inspect", project.slug, annotation.public_id)


def _parse_submission(request: HttpRequest, keys: list[str]) -> dict[str, Any]:
    """Parse the form into the format of the inspection service."""
    post = request.POST
    verdicts = {
        key: {"verdict": post[f"verdict-{key}"], "comment": post.get(f"comment-{key}", "")}
        for key in keys
        if f"verdict-{key}" in post
    }
    try:
        comments = json.loads(post.get("comments") or "[]")
    except (ValueError, RecursionError):
        comments = None  # rejected by the service with the field name
    return {"verdicts": verdicts, "comments": comments, "comment": post.get("comment", "")}


def _seconds_since_opened(opened: str, annotation: Annotation) -> float | None:
    """Seconds since the page was opened, from the signed timestamp in the form; None if it is invalid."""
    try:
        value = OPENED.unsign(opened, max_age=LONGEST)
        since = signing.b62_decode(opened.rsplit(":", 2)[1])
    except (signing.BadSignature, ValueError, IndexError):
        return None
    return max(0.0, timezone.now().timestamp() - since) if value == str(annotation.public_id) else None


def _render_page(
    request: HttpRequest,
    project: Project,
    annotation: Annotation,
    attempt: Assignment,
    *,
    submission: dict[str, Any] | None = None,
    fault: str = "",
) -> HttpResponse:
    reviewer = current_user(request)
    refusal = inspection_verdicts.verdict_conflict(annotation, attempt, reviewer)
    inspections = [] if refusal is None or refusal.code == "own" else list(annotation.inspections.order_by("second"))
    schema = schema_for(attempt)
    revisions = [
        revision for revision in task_revisions.list_revisions(attempt) if revision.revision <= annotation.revision
    ]
    kind = kind_for(attempt)
    payload = task_payload.describe_task(attempt)
    context = {
        "project": project,
        "task": payload,
        "sheet": build_sheet(payload),
        "annotation": annotation,
        "text": kind.text_of(annotation.payload),
        "turns": kind.segments_of(annotation.payload),
        "pseudonym": Pseudonyms(project).of(attempt.annotator_id),
        "letter": queue_service.find_letter(project, week_of(revisions[0].created_at, project), attempt.annotator_id),
        "progress": _sample_progress(project, attempt, reviewer),
        "parts": _build_criteria(attempt, annotation, submission or {}, inspections),
        "given": submission or {},
        "given_comments": json.dumps((submission or {}).get("comments") or []),
        "fault": fault,
        "refusal": refusal,
        "looks": [inspection_messages.describe_inspection(row, schema) for row in inspections],
        "came_about": inspection_messages.describe_origin(annotation) if inspections else [],
        "reviewer": reviewer,
        "changes": inspection_messages.list_changes(kind, revisions)[:1],
        "before": [
            inspection_messages.describe_inspection(row, schema)
            for row in _list_earlier_inspections(annotation, attempt)
        ],
        "opened": OPENED.sign(str(annotation.public_id)),
        "words": inspection_messages.script_messages(),
        "data": {
            "segments": payload["document"]["segments"],
            "marked": sorted(kind.segments_of(annotation.payload)),
            "spans": kind.spans_of(annotation.payload),
            "summary": kind.text_of(annotation.payload),
            "comments": [comment for row in inspections for comment in row.comments],
        },
    }
    return render(request, "annotation/inspection/inspection_one.html", context, status=422 if fault else 200)


def _list_earlier_inspections(annotation: Annotation, attempt: Assignment) -> list[Inspection]:
    """Inspections of earlier revisions, which the annotator has read too."""
    return [row for row in task_revisions.list_feedback(attempt) if row.annotation.revision < annotation.revision]


def _sample_progress(project: Project, attempt: Assignment, reviewer: User) -> dict[str, int] | None:
    """Progress of this reviewer on the weekly sample of this summary; None if the summary was not drawn."""
    row = InspectionSample.objects.filter(annotation__assignment_id=attempt.pk).first()
    if row is None:
        return None
    inspected, total = queue_service.count_inspected(project, row.week, reviewer)
    return {"done": inspected, "all": total}


def _build_criteria(
    attempt: Assignment, annotation: Annotation, submission: dict[str, Any], inspections: list[Inspection]
) -> list[dict[str, Any]]:
    """Build the criteria of the form; measures are included only where verdicts are shown."""
    scores = latest_scores(attempt.project, ids=[annotation.pk]).get(annotation.pk, {}) if inspections else {}
    verdicts = submission.get("verdicts", {})
    attributes = {attribute.key: attribute for attribute in schema_for(attempt).attributes}
    words = n_words(kind_for(attempt).text_of(annotation.payload))
    rows = []
    for number, criterion in enumerate(inspection_verdicts.list_parts(attempt), 1):
        value = criterion["value"]
        value_text = join_names(value) if isinstance(value, list) else criterion.get("value_label") or value or ""
        if criterion["key"] == inspection_verdicts.SEGMENTS:
            value_text = str(len(kind_for(attempt).segments_of(annotation.payload)))
        attribute = attributes.get(criterion["key"])
        rows.append(
            {
                **criterion,
                "number": number,
                "told": value_text,
                "verdict": verdicts.get(criterion["key"], {}).get("verdict", ""),
                "comment": verdicts.get(criterion["key"], {}).get("comment", ""),
                "measured": inspection_messages.describe_measured(attribute, value, annotation, scores, words)
                if attribute and inspections
                else "",
            }
        )
    return rows

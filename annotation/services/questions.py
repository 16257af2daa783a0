"""Questions from a task, and the team's answers: to the one who asked, or to everybody as a ruling.

Who asks keeps the task: its claim is parked with a long lease, beside the one claim a person may hold, so that other
work can be taken meanwhile. A parked claim stays parked until it is finished, given back or runs out.
"""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import Refused
from annotation.kinds.checks import human_text, is_blank
from annotation.models import Assignment, AssignmentState, Claim, GuidelineVersion, Project, Question, Ruling
from annotation.services import asking, audit, leases
from annotation.services.errors import BadInput, Conflict, NotFound
from annotation.services.retrying import retried
from annotation.transactions import write

PARKED = timedelta(days=7)
MAX_PARKED = 5
MAX_TEXT = 4000


def _text(value: Any, field: str) -> str:
    try:
        text = human_text(value, field, MAX_TEXT)
    except Refused as error:
        asking.refuse(error)
    if is_blank(text):
        raise BadInput(_("Write something first."), field=field)
    return text


@retried()
def ask(*, assignment: Assignment, text: str) -> Question:
    """Ask about one's own open task and park its claim. The same question again is the same question.

    Conflict for a closed task, or (code `parked`) when this person has MAX_PARKED parked claims already.
    """
    text = _text(text, "text")
    with write():
        _unit, own = leases.hold_with(assignment)
        before = Question.objects.filter(assignment_id=own.pk, text=text, answered_at=None).first()
        if before is not None:
            return before
        if own.state == AssignmentState.CLAIMED:
            _park(own)
        elif own.state != AssignmentState.RETURNED:
            raise leases.closed(own)
        made = Question.objects.create(
            project=assignment.project.front,
            assignment_id=own.pk,
            asker_id=own.annotator_id,
            text=text,
            asked_at=timezone.now(),
        )
        audit.record(
            project=assignment.project.front,
            actor=assignment.annotator,
            verb="question.ask",
            target=f"question:{made.public_id}",
        )
    return made


def _park(own: Assignment) -> None:
    """Put the claim aside with a long lease. Inside `hold`."""
    if not own.claim.parked:
        aside = Claim.objects.filter(project_id=own.project_id, annotator_id=own.annotator_id, parked=True)
        if aside.filter(closed_at=None).count() >= MAX_PARKED:
            raise Conflict(
                _("You have %(n)d tasks waiting for answers already; finish or give back one of them first.")
                % {"n": MAX_PARKED},
                code="parked",
            )
        Claim.objects.filter(pk=own.claim_id).update(parked=True)
    leases.extend(claim_id=own.claim_id, minutes=int(PARKED.total_seconds() // 60))


@retried()
def answer(*, question: Question, by: AbstractBaseUser, text: str, kind: str, wording: str = "") -> Question:
    """Answer once. A ruling also stands in the guideline's log, with `wording` in place of the asker's own words.

    The task's lease starts afresh, so that there is time to use the answer. Conflict when it was answered already.
    """
    text = _text(text, "answer")
    if kind not in Question.Kind.values:
        raise BadInput(_("Say whom it is for: private or ruling."), field="kind")
    shown = _text(wording or question.text, "question") if kind == Question.Kind.RULING else ""
    with write():
        leases.hold(question.assignment.claim_id)
        now = timezone.now()
        changed = Question.objects.filter(pk=question.pk, answered_at=None).update(
            answer=text, kind=kind, answered_by_id=by.pk, answered_at=now
        )
        if not changed:
            raise Conflict(_("Somebody has answered this question already."), code="answered")
        if kind == Question.Kind.RULING:
            version = GuidelineVersion.objects.filter(project_id=question.project_id).order_by("-number")[0]
            Ruling.objects.create(
                project_id=question.project_id,
                origin=question,
                guideline_version=version,
                question=shown,
                answer=text,
                made_by_id=by.pk,
                made_at=now,
            )
        if question.assignment.state == AssignmentState.CLAIMED:
            leases.extend(claim_id=question.assignment.claim_id, minutes=int(PARKED.total_seconds() // 60))
        audit.record(
            project=question.project,
            actor=by,
            verb="question.answer",
            target=f"question:{question.public_id}",
            kind=kind,
        )
    question.refresh_from_db()
    return question


def put_away(*, question: Question) -> None:
    """Who asked has seen the answer; My work tells of it no more."""
    with write():
        Question.objects.filter(pk=question.pk, seen_at=None).exclude(answered_at=None).update(seen_at=timezone.now())


def own_question(user: AbstractBaseUser, public_id: Any) -> Question:
    found = Question.objects.filter(public_id=public_id, asker_id=user.pk).select_related("project").first()
    if found is None:
        raise NotFound(_("There is no such question, or it is not yours."))
    return found


def unseen(project: Project, user: AbstractBaseUser) -> QuerySet[Question]:
    """One's own questions that wait for an answer, or whose answer is news."""
    rows = Question.objects.filter(project=project, asker_id=user.pk, seen_at=None)
    return rows.select_related("assignment__group__document").order_by("-pk")


def listed(project: Project, state: str = "open") -> QuerySet[Question]:
    """Questions for the team: open ones the oldest first, answered ones the newest first."""
    rows = Question.objects.filter(project=project).select_related(
        "asker", "answered_by", "assignment__group__document"
    )
    if state == "answered":
        return rows.exclude(answered_at=None).order_by("-answered_at", "-pk")
    return rows.filter(answered_at=None).order_by("pk") if state == "open" else rows.order_by("-pk")

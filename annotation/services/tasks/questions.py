"""Questions about a task, and the team's answers: private to the asker, or to everybody as a ruling.

The asker keeps the task: its claim is parked with a long lease and does not count as the person's one open claim, so
other tasks can be claimed meanwhile. A parked claim stays parked until it is finished, released or expired.
"""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.kinds import PayloadRefused
from annotation.kinds.checks import is_blank, normalize_text
from annotation.models import Assignment, AssignmentState, AuditVerb, Claim, GuidelineVersion, Project, Question, Ruling
from annotation.services.core import audit
from annotation.services.core.errors import BadInput, Conflict, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.tasks import leases, task_context
from annotation.transactions import write_transaction

PARKED_LEASE = timedelta(days=7)
MAX_PARKED = 5
MAX_TEXT = 4000


def _require_text(value: Any, field: str) -> str:
    try:
        text = normalize_text(value, field, MAX_TEXT)
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    if is_blank(text):
        raise BadInput(_("Please enter a text."), field=field)
    return text


@retry_on_contention()
def ask_question(*, assignment: Assignment, text: str) -> Question:
    """Ask about one's own open task and park its claim. Idempotent while the same text is unanswered.

    Raises Conflict for a closed task, or (code `parked`) when the person has MAX_PARKED parked claims already.
    """
    text = _require_text(text, "text")
    with write_transaction():
        _unit, attempt = leases.lock_claim_of(assignment)
        existing = Question.objects.filter(assignment_id=attempt.pk, text=text, answered_at=None).first()
        if existing is not None:
            return existing
        if attempt.state == AssignmentState.CLAIMED:
            _park_claim(attempt)
        elif attempt.state != AssignmentState.RETURNED:
            raise leases.closed_error(attempt)
        question = Question.objects.create(
            project=assignment.project.front,
            assignment_id=attempt.pk,
            asker_id=attempt.annotator_id,
            text=text,
            asked_at=timezone.now(),
        )
        audit.record_event(
            project=assignment.project.front,
            actor=assignment.annotator,
            verb=AuditVerb.QUESTION_ASK,
            target=f"question:{question.public_id}",
        )
    return question


def _park_claim(attempt: Assignment) -> None:
    """Park the claim with a long lease. The caller has locked it."""
    if not attempt.claim.parked:
        parked_claims = Claim.objects.filter(
            project_id=attempt.project_id, annotator_id=attempt.annotator_id, parked=True
        )
        if parked_claims.filter(closed_at=None).count() >= MAX_PARKED:
            raise Conflict(
                ngettext(
                    "You already have %(n)d task waiting for an answer; finish or return it first.",
                    "You already have %(n)d tasks waiting for answers; finish or return one of them first.",
                    MAX_PARKED,
                )
                % {"n": MAX_PARKED},
                code="parked",
            )
        Claim.objects.filter(pk=attempt.claim_id).update(parked=True)
    leases.extend_lease(claim_id=attempt.claim_id, minutes=int(PARKED_LEASE.total_seconds() // 60))


@retry_on_contention()
def answer_question(*, question: Question, by: AbstractBaseUser, text: str, kind: str, wording: str = "") -> Question:
    """Answer a question once. A ruling is also added to the guideline's log, with `wording` replacing the asker's text.

    Renews the task's lease, so that there is time to use the answer. Raises Conflict when it is answered already.
    """
    text = _require_text(text, "answer")
    if kind not in Question.Kind.values:
        raise BadInput(_("Choose who gets the answer: private or ruling."), field="kind")
    ruling_question = _require_text(wording or question.text, "question") if kind == Question.Kind.RULING else ""
    with write_transaction():
        leases.lock_claim(question.assignment.claim_id)
        now = timezone.now()
        changed = Question.objects.filter(pk=question.pk, answered_at=None).update(
            answer=text, kind=kind, answered_by_id=by.pk, answered_at=now
        )
        if not changed:
            raise Conflict(_("This question has already been answered."), code="answered")
        if kind == Question.Kind.RULING:
            version = GuidelineVersion.objects.filter(project_id=question.project_id).order_by("-number")[0]
            Ruling.objects.create(
                project_id=question.project_id,
                origin=question,
                guideline_version=version,
                question=ruling_question,
                answer=text,
                made_by_id=by.pk,
                made_at=now,
            )
        if question.assignment.state == AssignmentState.CLAIMED:
            leases.extend_lease(claim_id=question.assignment.claim_id, minutes=int(PARKED_LEASE.total_seconds() // 60))
        audit.record_event(
            project=question.project,
            actor=by,
            verb=AuditVerb.QUESTION_ANSWER,
            target=f"question:{question.public_id}",
            kind=kind,
        )
    question.refresh_from_db()
    return question


def mark_answer_seen(*, question: Question) -> None:
    """Record that the asker has seen the answer; My work no longer lists it."""
    with write_transaction():
        Question.objects.filter(pk=question.pk, seen_at=None).exclude(answered_at=None).update(seen_at=timezone.now())


def get_own_question(user: AbstractBaseUser, public_id: Any) -> Question:
    question = Question.objects.filter(public_id=public_id, asker_id=user.pk).select_related("project").first()
    if question is None:
        raise NotFound(_("Question not found, or you don't have access."))
    return question


def unseen_questions(project: Project, user: AbstractBaseUser) -> QuerySet[Question]:
    """The user's own questions that are unanswered or whose answer is unread."""
    rows = Question.objects.filter(project=project, asker_id=user.pk, seen_at=None)
    return rows.select_related("assignment__group__document").order_by("-pk")


def list_questions(project: Project, state: str = "open") -> QuerySet[Question]:
    """Questions for staff: open ones oldest first, answered ones newest first."""
    rows = Question.objects.filter(project=project).select_related(
        "asker", "answered_by", "assignment__group__document"
    )
    if state == "answered":
        return rows.exclude(answered_at=None).order_by("-answered_at", "-pk")
    return rows.filter(answered_at=None).order_by("pk") if state == "open" else rows.order_by("-pk")

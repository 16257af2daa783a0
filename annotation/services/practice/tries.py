"""An annotator's tries at the practice items."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.kinds import PayloadRefused
from annotation.models import PracticeItem, PracticeTry, Project
from annotation.services.core.errors import Conflict
from annotation.services.core.retry import retry_on_contention
from annotation.services.guidelines import gate
from annotation.services.practice import items, progress
from annotation.services.practice.right_answers import CHOSEN, check_answer, mark_answer
from annotation.services.tasks import task_context
from annotation.transactions import write_transaction


@retry_on_contention(unique_keys=True)
def submit_try(*, item: PracticeItem, user: AbstractBaseUser, attempt: int, answer: Any) -> PracticeTry:
    """Mark and store a try; the last one needed to pass lets the person go on.

    attempt: which try it is, 1 or 2, so that a form sent twice costs one try. Raises Closed before the guideline is
    confirmed, Conflict when the practice is off, complete or further than that, BadInput for an incomplete answer.
    """
    project = item.project
    with write_transaction():
        locked = progress.lock_project(project)
        _check_open(locked, user)
        standing = progress.load_progress(locked, user)
        row = next((row for row in standing.items if row.item.pk == item.pk), None)
        if row is None:
            raise Conflict(_("This item has changed. Open the practice again."), code="stale")
        if standing.may_go_on or row.is_finished:
            raise Conflict(_("This item is finished."), code="finished")
        if attempt != len(row.tries) + 1:
            raise Conflict(_("This try was already submitted. Open the practice again."), code="stale")
        checked = _check_answer(row.item, answer)
        stored = PracticeTry.objects.create(
            project=locked,
            user_id=user.pk,
            item=row.item,
            number=row.item.number,
            attempt=attempt,
            answer=checked,
            faults=mark_answer(checked, row.item.right),
            at=timezone.now(),
        )
        progress.pass_finished(locked, [user])
    return stored


def _check_open(project: Project, user: AbstractBaseUser) -> None:
    if not project.needs_practice or project.archived_at is not None:
        raise Conflict(_("This project has no practice now."), code="off")
    if gate.version_passed(project=project.pk, user=user.pk) is None:
        raise gate.closed_error(project)


def _check_answer(item: PracticeItem, answer: Any) -> dict[str, Any]:
    try:
        return check_answer(
            answer,
            right=item.right,
            n_segments=len(item.document.source_text.segments),
            choices={key: items.list_choices(item, key) for key in item.right.get(CHOSEN, {})},
        )
    except PayloadRefused as error:
        task_context.raise_bad_input(error)

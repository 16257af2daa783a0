"""Choosing topics and speakers of a group of summaries, as step 1 of writing or as a task of its own."""

from typing import Any

from annotation.kinds import GroupChoice, PayloadRefused
from annotation.kinds.choosing import check_chosen
from annotation.models import Assignment, AssignmentState, Group
from annotation.services.core.retry import retry_on_contention
from annotation.services.tasks import group_choice, leases, submit, task_context
from annotation.transactions import write_transaction


def save_choice(*, assignment: Assignment, chosen: Any, page_order: Any = None) -> Group:
    """Freeze the group of a claimed task with these topics and speakers; the same values again are fine.

    chosen: attribute key -> list of {"text", "candidate"}. page_order: attribute key -> texts in the order the page
    showed them; default: the server's order. A choosing task is submitted by this too.
    Raises BadInput (not in the schema, the source or the candidates) and Conflict with `frozen` (another choice was
    frozen first) or for a closed task.
    """
    try:
        checked_choice = check_chosen(chosen, task_context.build_context(assignment))
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    if assignment.group.frozen_at is not None:
        group_choice.check_same_choice(assignment.group, checked_choice)
        return assignment.group
    if assignment.state not in AssignmentState.OPEN:
        raise leases.closed_error(assignment)
    payload = task_context.kind_for(assignment).from_choice(chosen)
    if payload is None:
        _store_choice(assignment, checked_choice, page_order)
    else:
        submit.submit_task(assignment=assignment, payload=payload, idempotency_key="choice")
    return assignment.group


@retry_on_contention()
def _store_choice(assignment: Assignment, chosen: GroupChoice, page_order: Any) -> None:
    with write_transaction():
        group_choice.freeze_group(assignment=assignment, chosen=chosen, page_order=page_order)
        leases.extend_lease(claim_id=assignment.claim_id, minutes=assignment.project.lease_minutes)

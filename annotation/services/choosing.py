"""Choosing what a group of summaries is about, as step 1 of writing or as a task of its own."""

from typing import Any

from annotation.kinds import Chosen, Refused
from annotation.kinds.choosing import check_chosen
from annotation.models import Assignment, AssignmentState, Group
from annotation.services import asking, freezing, leases, submitting
from annotation.services.retrying import retried
from annotation.transactions import write


def choose(*, assignment: Assignment, chosen: Any, shown: Any = None) -> Group:
    """Freeze the group of a claimed task with these topics and speakers; the same values again are fine.

    chosen: attribute key -> list of {"text", "candidate"}. shown: attribute key -> texts in the order the page showed
    them; left out, it is the order the server gave. Where choosing is all a task asks, this hands it in too.
    Raises BadInput (not of the schema, the source or the candidates) and Conflict with `frozen` (others were chosen
    before) or for a closed task.
    """
    try:
        found = check_chosen(chosen, asking.about(assignment))
    except Refused as error:
        asking.refuse(error)
    if assignment.group.frozen_at is not None:
        freezing.compare(assignment.group, found)
        return assignment.group
    if assignment.state not in (AssignmentState.CLAIMED, AssignmentState.RETURNED):
        raise leases.closed(assignment)
    whole = asking.kind_for(assignment).from_choice(chosen)
    if whole is None:
        _choose(assignment, found, shown)
    else:
        submitting.submit(assignment=assignment, payload=whole, idempotency_key="choice")
    return assignment.group


@retried()
def _choose(assignment: Assignment, chosen: Chosen, shown: Any) -> None:
    with write():
        freezing.freeze(assignment=assignment, chosen=chosen, shown=shown)
        leases.extend(claim_id=assignment.claim_id, minutes=assignment.project.lease_minutes)

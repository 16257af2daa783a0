"""The task after a submit, in the same request: of the same claim while one is open, else a new claim."""

from annotation.models import Assignment, AssignmentState, Role
from annotation.services.core import access
from annotation.services.core.errors import Conflict, NotFound
from annotation.services.tasks import assignments, claim
from annotation.services.tasks.claim import ClaimResult
from annotation.services.tasks.submit import SubmitResult, next_attempt
from annotation.services.tasks.task_payload import UnitAttempt

GATE = "gate"
BUSY = "busy"


def find_next_task(*, submitted: Assignment, submission: SubmitResult) -> ClaimResult:
    """The next task of the person who submitted; without one the reason (see ClaimResult), also `gate`, or `busy` where
    the claim failed: what was submitted is stored in any case."""
    following = next_attempt(submission.rest, submitted)
    if following is not None:
        unit = [UnitAttempt(attempt.pk, attempt.public_id, attempt.state) for attempt in submission.rest]
        assignment = assignments.load_with_context(following.pk)
        if assignment is not None and assignment.state == AssignmentState.CLAIMED:
            assignment.annotator = submitted.annotator
            return ClaimResult(assignment, unit=unit)
    project, annotator = submitted.project.front, submitted.annotator
    try:
        if annotator.is_superuser:  # an admin of the site reads any own task, but annotates only with the role
            access.project_for(annotator, project.slug, (Role.ANNOTATOR,))
        return claim.claim_next(project=project, annotator=annotator)
    except NotFound:
        return ClaimResult(None, "all_yours")
    except Conflict:
        return ClaimResult(None, BUSY)

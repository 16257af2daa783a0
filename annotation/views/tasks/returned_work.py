"""Returned summaries: why they came back, the reviewer's words, and the step of the task page that these are about."""

from typing import NamedTuple

from annotation.models import Assignment, Inspection, Project, Verdict
from annotation.services.core.word_patterns import name_value
from annotation.services.inspection.verdicts import SEGMENTS
from annotation.services.overlap import checks as overlap_checks
from annotation.services.staff import reannotation
from annotation.services.tasks import revisions
from annotation.services.tasks.revisions import ReturnReason
from annotation.services.tasks.task_context import is_frozen, schema_for
from annotation.views.inspection.messages import describe_inspection
from epitome.schema import Schema

WRITING, MARKING = 2, 3
"""Steps of the task page."""


class Remark(NamedTuple):
    """One comment of a reviewer. about: the criterion or the quoted words; "" for the comment on the whole."""

    about: str
    is_quote: bool
    text: str


class ReturnedRow(NamedTuple):
    """A task to revise. reason: why it came back. remarks: the reviewer's, where that is why. has_feedback: of any
    time. is_outdated: a rule has changed since it was written."""

    task: Assignment
    request_text: str
    reason: str
    remarks: list[Remark]
    has_feedback: bool
    is_outdated: bool

    @property
    def is_asked_for(self) -> bool:
        """Whether somebody else wants it revised."""
        return self.reason != ReturnReason.TAKEN_BACK


def list_returned(project: Project, tasks: list[Assignment]) -> list[ReturnedRow]:
    """Returned tasks of one project, in their order. Four queries at most."""
    if not tasks:
        return []
    feedback = revisions.find_last_feedback(tasks)
    reasons = revisions.find_return_reasons(tasks, feedback)
    number = reannotation.latest_rule_number(project)
    return [
        ReturnedRow(
            task,
            describe_request(task),
            reasons[task.pk],
            list_remarks(feedback[task.pk], schema_for(task)) if reasons[task.pk] == ReturnReason.REVIEWER else [],
            task.pk in feedback,
            task.guideline_version.number < number,
        )
        for task in tasks
    ]


def describe_request(task: Assignment) -> str:
    """The request of a task, to distinguish two tasks on one source; "" while its topics are not chosen."""
    if task.sample is None or not is_frozen(task):
        return ""
    task.sample.group = task.group
    return " · ".join(name_value(label, value) for label, value in overlap_checks.describe_request(task.sample))


def list_remarks(row: Inspection, schema: Schema) -> list[Remark]:
    """Every comment of an inspection: on the whole, on criteria, on words of the summary."""
    display = describe_inspection(row, schema)
    remarks = [Remark("", False, display.line.comment)]
    remarks += [Remark(line.label, False, line.comment) for line in display.lines]
    remarks += [Remark(comment["quote"], True, comment["comment"]) for comment in row.comments]
    return [remark for remark in remarks if remark.text]


def find_step(row: Inspection | None) -> int:
    """The step to open for a revision: marking where only the marked segments were faulted, else writing."""
    if row is None or row.comments:
        return WRITING
    faulted = {key for key, entry in row.verdicts.items() if entry["verdict"] != Verdict.ACCEPT}
    return MARKING if faulted == {SEGMENTS} else WRITING

"""Live meters of the task page that the browser cannot compute: short jobs, with the result on the job's row.

The text stays on the row only until it is measured; the row is deleted after an hour. It belongs to no project, so that
job lists do not show it, and has its attempt as idempotency key while it is open, so that there is at most one.
"""

import uuid
from datetime import timedelta
from typing import Any, cast

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobLost, JobRefused, Progress, notify_workers, register_handler, register_sweeper
from annotation.kinds import PayloadRefused
from annotation.models import Assignment, AssignmentState, Job, JobState, Project
from annotation.services.core.errors import BadInput, NotFound
from annotation.services.core.retry import retry_on_contention
from annotation.services.scores.measure_batches import requested_values, settings_tagger
from annotation.services.scores.score_queries import PROFILE, current_signatures, measured_keys
from annotation.services.tasks import assignments, leases, task_context
from annotation.transactions import write_transaction
from epitome.measures import SourceIndex, measure_summary
from epitome.schema import Schema
from epitome.text.pipeline import PipelineNotFound
from epitome.text.sentences import Segment

KIND = "meter"
QUEUE = "text"
ON_A_WORKER = ("specificity", "speaker", "keywords", "readability")
"""Measures that need a tagger, stop words, stems or syllables; the browser computes the others."""
KEPT = timedelta(hours=1)
STATES = ("pending", "done", "failed")


def worker_measures(schema: Schema) -> list[str]:
    """The measures of a schema that the page requests from a worker."""
    return [key for key in measured_keys(schema) if key in ON_A_WORKER]


def request_measurement(*, assignment: Assignment, summary: Any, revision: int) -> Job:
    """Queue the measurement of a text; it replaces an earlier one of the same attempt that is not measured yet.

    Raises NotFound if the page shows no meters (assistance, or a task without a summary), Conflict for a closed task,
    BadInput for a text that is not a valid draft.
    """
    kind = task_context.kind_for(assignment)
    if assignment.assistance != Project.Assistance.FULL or not kind.metered:
        raise NotFound(_("Task not found, or you don't have access."))
    if assignment.state not in AssignmentState.WRITABLE:
        raise leases.closed_error(assignment)
    try:
        text = kind.draft({kind.text_field: summary})[kind.text_field]
    except PayloadRefused as error:
        task_context.raise_bad_input(error)
    arguments = {"assignment": assignment.pk, "revision": revision}
    return _queue_job(f"{KIND}:{assignment.pk}", {**arguments, "summary": text, "asked": uuid.uuid4().hex})


@retry_on_contention(unique_keys=True)
def _queue_job(key: str, arguments: dict[str, Any]) -> Job:
    with write_transaction():
        attempt_jobs = Job.objects.filter(idempotency_key=key)
        if attempt_jobs.under_way().filter(arguments__has_key="summary").update(arguments=arguments):
            return attempt_jobs.get()
        attempt_jobs.update(idempotency_key=None)
        # One attempt only: the page requests again with the next words.
        job = Job.objects.create(kind=KIND, queue=QUEUE, arguments=arguments, idempotency_key=key, max_attempts=1)
        notify_workers(job)
        return job


def load_result(*, assignment: Assignment, public_id: uuid.UUID) -> dict[str, Any]:
    """state: pending, done with `values`, or failed with `detail`; revision: of the text that is (being) measured."""
    job = Job.objects.filter(kind=KIND, public_id=public_id, arguments__assignment=assignment.pk).first()
    if job is None or assignment.assistance != Project.Assistance.FULL:
        raise NotFound(_("Task not found, or you don't have access."))
    result = {"id": str(job.public_id), "revision": job.arguments["revision"], "values": None, "detail": ""}
    if job.state in JobState.UNDER_WAY:
        return {**result, "state": "pending"}
    if job.state == JobState.DONE:
        return {**result, "state": "done", **job.result}
    return {**result, "state": "failed", "detail": _("This could not be measured. You can continue writing.")}


@register_handler(KIND, gettext_lazy("Measure a draft"), queue=QUEUE, kept="")
def run_meter(job: Job, progress: Progress) -> dict[str, Any]:
    """Measure the text on the row, again if a newer one arrived meanwhile; then remove the text from the row."""
    try:
        while True:
            progress.check()
            arguments = Job.objects.values_list("arguments", flat=True).get(pk=job.pk)
            values = measure_text(arguments)
            if clear_text(job, arguments):
                return {"revision": arguments["revision"], "values": values}
    except JobLost:
        raise
    except BaseException:
        clear_text(job)
        raise


def clear_text(job: Job, arguments: dict[str, Any] | None = None) -> bool:
    """Remove the text from the row and free its key. arguments: only if the row still has this text."""
    rows = job.held()
    if arguments is not None:
        rows = rows.filter(arguments__asked=arguments["asked"])
    current = arguments or job.arguments
    remaining = {key: current[key] for key in ("assignment", "revision")}
    with write_transaction():
        return bool(rows.update(arguments=remaining, idempotency_key=None))


def measure_text(arguments: dict[str, Any]) -> dict[str, Any]:
    """measure -> {value or undefined, signature}."""
    assignment = assignments.assignments_with_context().filter(pk=arguments["assignment"]).first()
    if assignment is None or assignment.sample is None:
        raise JobRefused(_("The task was deleted."))
    schema = task_context.schema_for(assignment)
    context = task_context.build_context(assignment)
    try:
        signatures = current_signatures(assignment.project, schema, strict=True)
        tagger = settings_tagger()
    except (PipelineNotFound, BadInput) as error:
        raise JobRefused(str(error)) from error
    values = measure_summary(
        arguments["summary"],
        SourceIndex(cast(list[Segment], context.segments), domain=schema.domain),
        requested_values(schema, dict(context.values)),
        measures=worker_measures(schema),
        profile=PROFILE,
        tagger=tagger,
        language=schema.language,
    )
    return {
        key: {"value": value.value, "undefined": value.undefined, "signature": signatures[key]}
        for key, value in values.items()
    }


@register_sweeper
def clear_meters() -> int:
    """Delete rows older than an hour; remove the text from rows whose worker died; returns how many were deleted."""
    rows = Job.objects.filter(kind=KIND)
    with write_transaction():
        rows.filter(~Q(state__in=JobState.UNDER_WAY), arguments__has_key="summary").update(
            arguments={}, idempotency_key=None
        )
        return rows.filter(~Q(state=JobState.RUNNING), created_at__lt=timezone.now() - KEPT).delete()[0]

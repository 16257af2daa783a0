"""What the task page shows while somebody writes and the browser cannot count: a short job, its answer on its row.

The text stands on the row only until it is measured; the row itself goes after an hour. It belongs to no project, so
that no list of jobs shows it, and holds a key of its attempt while it is open, so that there is one at most.
"""

import uuid
from datetime import timedelta
from typing import Any, cast

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.jobs import JobLost, JobRefused, Progress, handler, hint, sweeper
from annotation.kinds import Refused
from annotation.measures import SourceIndex, measure_summary
from annotation.models import Assignment, Job, JobState, Project
from annotation.schema import Schema
from annotation.services import asking, leases, work
from annotation.services.drafting import WRITABLE
from annotation.services.errors import BadInput, NotFound
from annotation.services.measuring import requests, settings_tagger
from annotation.services.retrying import retried
from annotation.services.scores import PROFILE, current_signatures, measured
from annotation.text.pipeline import PipelineNotFound
from annotation.text.sentences import Segment
from annotation.transactions import write

KIND = "meter"
QUEUE = "text"
ON_A_WORKER = ("specificity", "speaker", "keywords", "readability")
"""Measures that need a tagger, stop words, stems or syllables; the others the browser counts by itself."""
KEPT = timedelta(hours=1)
OPEN = (JobState.QUEUED, JobState.RUNNING)
STATES = ("pending", "done", "failed")


def asked_of_worker(schema: Schema) -> list[str]:
    """The measures of a schema that the page asks for."""
    return [key for key in measured(schema) if key in ON_A_WORKER]


def ask(*, assignment: Assignment, summary: Any, revision: int) -> Job:
    """Have a text measured; while an earlier one of the same attempt waits, this one takes its place.

    Raises NotFound where the page shows no such meters (assistance, or a task without a summary), Conflict for a
    closed task, BadInput for a text that could not be saved as a draft either.
    """
    if assignment.assistance != Project.Assistance.FULL or assignment.sample_id is None:
        raise NotFound(_("There is no such task, or it is not yours."))
    if assignment.state not in WRITABLE:
        raise leases.closed(assignment)
    try:
        text = asking.kind_for(assignment).draft({"summary": summary})["summary"]
    except Refused as error:
        asking.refuse(error)
    told = {"assignment": assignment.pk, "revision": revision}
    return _queue(f"{KIND}:{assignment.pk}", {**told, "summary": text, "asked": uuid.uuid4().hex})


@retried(unique_keys=True)
def _queue(key: str, arguments: dict[str, Any]) -> Job:
    with write():
        own = Job.objects.filter(idempotency_key=key)
        if own.filter(state__in=OPEN, arguments__has_key="summary").update(arguments=arguments):
            return own.get()
        own.update(idempotency_key=None)
        # Tried once: the next words ask again anyway.
        job = Job.objects.create(kind=KIND, queue=QUEUE, arguments=arguments, idempotency_key=key, max_attempts=1)
        hint(job)
        return job


def answer(*, assignment: Assignment, public_id: uuid.UUID) -> dict[str, Any]:
    """state: pending, done with `values`, or failed with `detail`; revision: of the text that is (being) measured."""
    job = Job.objects.filter(kind=KIND, public_id=public_id, arguments__assignment=assignment.pk).first()
    if job is None or assignment.assistance != Project.Assistance.FULL:
        raise NotFound(_("There is no such task, or it is not yours."))
    told = {"id": str(job.public_id), "revision": job.arguments["revision"], "values": None, "detail": ""}
    if job.state in OPEN:
        return {**told, "state": "pending"}
    if job.state == JobState.DONE:
        return {**told, "state": "done", **job.result}
    return {**told, "state": "failed", "detail": _("This could not be measured. Writing goes on without it.")}


@handler(KIND, queue=QUEUE)
def run_meter(job: Job, progress: Progress) -> dict[str, Any]:
    """Measure the text that the row holds, again if a newer one came meanwhile; then take the text off the row."""
    try:
        while True:
            progress.check()
            given = Job.objects.values_list("arguments", flat=True).get(pk=job.pk)
            values = _measured(given)
            if _forget(job, given):
                return {"revision": given["revision"], "values": values}
    except JobLost:
        raise
    except BaseException:
        _forget(job)
        raise


def _forget(job: Job, given: dict[str, Any] | None = None) -> bool:
    """Take the text off the row and free its key. given: only if the row still holds this text."""
    rows = Job.objects.filter(pk=job.pk, worker=job.worker, state=JobState.RUNNING)
    if given is not None:
        rows = rows.filter(arguments__asked=given["asked"])
    told = given or job.arguments
    left = {key: told[key] for key in ("assignment", "revision")}
    with write():
        return bool(rows.update(arguments=left, idempotency_key=None))


def _measured(given: dict[str, Any]) -> dict[str, Any]:
    """measure -> {value or undefined, signature}."""
    assignment = work.loaded().filter(pk=given["assignment"]).first()
    if assignment is None or assignment.sample is None:
        raise JobRefused(_("The task is gone."))
    schema = asking.schema_for(assignment)
    about = asking.about(assignment)
    try:
        signatures = current_signatures(assignment.project, schema, strict=True)
        tagger = settings_tagger()
    except (PipelineNotFound, BadInput) as error:
        raise JobRefused(str(error)) from error
    found = measure_summary(
        given["summary"],
        SourceIndex(cast(list[Segment], about.segments), domain=schema.domain),
        requests(schema, dict(about.values)),
        measures=asked_of_worker(schema),
        profile=PROFILE,
        tagger=tagger,
    )
    return {
        key: {"value": value.value, "undefined": value.undefined, "signature": signatures[key]}
        for key, value in found.items()
    }


@sweeper
def clear_meters() -> int:
    """Delete rows of an hour ago, and take the text off those whose worker died; returns how many went."""
    rows = Job.objects.filter(kind=KIND)
    with write():
        rows.filter(~Q(state__in=OPEN), arguments__has_key="summary").update(arguments={}, idempotency_key=None)
        return rows.filter(~Q(state=JobState.RUNNING), created_at__lt=timezone.now() - KEPT).delete()[0]

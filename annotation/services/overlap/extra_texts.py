"""One more text where annotators disagree: a job that researchers can start, and that runs every night where the
project asks for it.

It takes samples of which every planned text is written, the least agreement first, and opens one slot more for each,
up to the project's cap. A unique key allows one such slot per sample. Nothing shows an annotator which tasks these are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.jobs import JobRefused, Progress, create_job, register_handler, register_sweeper
from annotation.models import AuditVerb, Job, Project, Sample, SampleState, Slot, SlotState
from annotation.services.core import audit
from annotation.services.core.errors import BadInput
from annotation.services.core.job_start import start_job
from annotation.services.core.slot_priorities import lock_priorities
from annotation.services.overlap import marks as overlap_marks
from annotation.services.overlap.agreement import measure_agreement
from annotation.transactions import write_transaction

KIND = "extra-texts"
STEP = 100
NIGHT = time(2)
"""When it runs each night, in the project's time zone; later where no worker was there."""


@dataclass(frozen=True)
class ExtraTexts:
    """requested: extra slots so far; written: those of them that are filled. hours, pay: of all that the cap allows."""

    requested: int
    written: int
    hours: float
    pay: float | None


def count_extra_texts(project: Project) -> ExtraTexts:
    slots = Slot.objects.filter(project=project, extra=True)
    states = list(slots.values_list("state", flat=True))
    hours = project.extra_most * project.summary_minutes / 60
    pay = None if project.pay_per_hour is None else hours * project.pay_per_hour
    return ExtraTexts(len(states), states.count(SlotState.FILLED), hours, pay)


def complete_samples(project: Project) -> Any:
    """Active samples with several texts, all planned ones written, for which no extra one was requested."""
    slots = Slot.objects.filter(sample=OuterRef("pk"))
    return overlap_marks.overlapping_samples(project).filter(
        ~Exists(slots.exclude(state=SlotState.FILLED)),
        ~Exists(slots.filter(extra=True)),
        state=SampleState.ACTIVE,
        document__damaged=False,
    )


def find_disagreements(project: Project, progress: Progress) -> list[tuple[float, int]]:
    """(agreement, sample id) of the samples below the project's limit, the least agreement first."""
    below = project.extra_below
    ids = list(complete_samples(project).order_by("pk").values_list("pk", flat=True))
    progress.set(0, len(ids))
    agreements = []
    for start in range(0, len(ids), STEP):
        progress.check()
        for pk, value in _measure(ids[start : start + STEP], project.extra_measure):
            if below is not None and value < below:
                agreements.append((value, pk))
        progress.set(min(start + STEP, len(ids)), len(ids))
    return sorted(agreements)


def _measure(ids: list[int], measure: str) -> Iterator[tuple[int, float]]:
    """(sample id, agreement) where it is defined."""
    rows = Sample.objects.filter(pk__in=ids).select_related("project", "group__document__source_text", "schema_version")
    texts = overlap_marks.current_summaries_of(ids)
    for sample in rows:
        for value in measure_agreement(sample, texts[sample.pk]):
            if value.key == measure and value.value is not None:
                yield sample.pk, value.value


def request_extra_texts(*, project: Project, by: AbstractBaseUser | None, progress: Progress) -> dict[str, int]:
    """Open one more slot for samples below the limit; returns below, requested, left (by the cap). Idempotent."""
    if project.extra_below is None:
        raise BadInput(_("Set the limit of agreement in the project's settings first."), field="extra_below")
    disagreeing = find_disagreements(project, progress)
    with write_transaction():
        requested = _open_slots(project, [pk for _value, pk in disagreeing])
        if requested:
            audit.record_event(
                project=project,
                actor=by,
                verb=AuditVerb.OVERLAP_EXTRA,
                target=f"project:{project.public_id}",
                samples=requested,
                below=project.extra_below,
            )
    return {"below": len(disagreeing), "requested": requested, "left": len(disagreeing) - requested}


def _open_slots(project: Project, sample_ids: list[int]) -> int:
    """Open one for each up to the cap, inside a transaction; how many. All sources are locked first, in the order in
    which a change of priorities locks them."""
    room = project.extra_most - Slot.objects.filter(project=project, extra=True).count()
    if room <= 0:
        return 0
    lock_priorities(Sample.objects.filter(pk__in=sample_ids).values_list("document_id", flat=True))
    opened = 0
    for pk in sample_ids:
        if opened >= room:
            break
        opened += _open_slot(project, pk)
    return opened


def _open_slot(project: Project, sample_id: int) -> int:
    """1, or 0 where somebody else requested it, or the sample is no longer complete."""
    try:
        with write_transaction():
            sample = complete_samples(project).filter(pk=sample_id).first()
            if sample is None:
                return 0
            last = Slot.objects.filter(sample=sample_id).aggregate(last=Max("number"))["last"]
            Slot.objects.create(
                project=project,
                document_id=sample.document_id,
                group_id=sample.group_id,
                sample_id=sample_id,
                number=last + 1,
                priority=lock_priorities([sample.document_id])[sample.document_id],
                extra=True,
            )
    except IntegrityError:
        return 0
    return 1


def newest_job(project: Project) -> Job | None:
    return Job.objects.filter(project=project, kind=KIND).order_by("-pk").first()


def start_extra_texts(*, project: Project, by: AbstractBaseUser | None, automatic: bool = False) -> Job:
    """Queue the job; returns the one that waits or runs already, if any. automatic: by night; only the newest of those
    stays in the list. Raises BadInput without a limit."""
    if project.extra_below is None:
        raise BadInput(_("Set the limit of agreement in the project's settings first."), field="extra_below")
    with write_transaction():
        # A concurrent start waits for this lock and then finds the job.
        list(Project.objects.select_for_update(no_key=True).filter(pk=project.pk).values_list("pk"))
        jobs = Job.objects.filter(project=project, kind=KIND)
        waiting = jobs.under_way().order_by("pk").first()
        if waiting is not None:
            return waiting
        if automatic:
            jobs.done().filter(arguments__automatic=True).delete()
            return create_job(kind=KIND, project=project, by=None, arguments={"automatic": True})
        return start_job(kind=KIND, project=project, by=by)


@register_handler(KIND, gettext_lazy("Request texts where annotators disagree"), queue="text", page="overlap")
def run_extra_texts(job: Job, progress: Progress) -> dict[str, Any]:
    if job.project is None:
        raise JobRefused(_("The project was deleted."))
    try:
        return dict(request_extra_texts(project=job.project, by=job.requested_by, progress=progress))
    except BadInput as error:
        raise JobRefused(error.message) from error


@register_sweeper
def start_nightly(now: datetime | None = None) -> int:
    """Queue the job of each project that asks for it and had none since its last night; returns how many."""
    moment = now or timezone.now()
    projects = Project.objects.filter(archived_at=None, pilot_of=None, extra_below__isnull=False)
    started = 0
    for project in projects:
        if not Job.objects.filter(project=project, kind=KIND, created_at__gte=last_night(moment, project)).exists():
            start_extra_texts(project=project, by=None, automatic=True)
            started += 1
    return started


def last_night(now: datetime, project: Project) -> datetime:
    """The last time that it was two o'clock in the project's time zone."""
    zone = ZoneInfo(project.timezone)
    local = now.astimezone(zone)
    tonight = datetime.combine(local.date(), NIGHT, zone)
    night = tonight if tonight <= local else datetime.combine(local.date() - timedelta(days=1), NIGHT, zone)
    return night.astimezone(UTC)

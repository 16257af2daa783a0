"""Background jobs. The database row is the job; a broker message is only a hint."""

from datetime import datetime
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.models.base import PublicId
from annotation.models.leased_work import LeasedWork, LeasedWorkQuerySet, WorkStates, lease_length
from annotation.models.projects import Project


class JobState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    DEAD = "dead", _("stopped after repeated errors")
    CANCELLED = "cancelled", _("cancelled")

    UNDER_WAY: ClassVar[tuple["JobState", ...]]
    """Waits for a worker or runs."""
    ENDED: ClassVar[tuple["JobState", ...]]
    """Does not run again."""
    UNSUCCESSFUL: ClassVar[tuple["JobState", ...]]
    """Ended without a result, and nobody cancelled it."""


JobState.UNDER_WAY = (JobState.QUEUED, JobState.RUNNING)
JobState.ENDED = (JobState.DONE, JobState.FAILED, JobState.DEAD, JobState.CANCELLED)
JobState.UNSUCCESSFUL = (JobState.FAILED, JobState.DEAD)


GAVE_WAY = Q(state=JobState.QUEUED, lease_until__isnull=False)
"""Jobs between two turns: they wait again, and the end of their last turn is kept as the end of its lease."""


class JobQuerySet(LeasedWorkQuerySet["Job"]):
    def under_way(self) -> Self:
        """Jobs that wait for a worker or run."""
        return self.filter(state__in=JobState.UNDER_WAY)

    def done(self) -> Self:
        """Jobs with a result."""
        return self.filter(state=JobState.DONE)

    def due(self, now: datetime) -> Self:
        """Claimable jobs, without those that broke within the last lease time: they are tried again after it."""
        is_tried_again = Q(started_at__lt=now - lease_length())
        return self.claimable(now).filter(Q(attempts=0) | GAVE_WAY | is_tried_again)

    def first_turn(self) -> Self:
        """Jobs without those that gave way."""
        return self.exclude(GAVE_WAY)


class Job(PublicId, LeasedWork):
    """Import, export, extraction, scoring ... `failed`: the input was refused; `dead`: no attempts left."""

    work_states = WorkStates(waiting=JobState.QUEUED, leased=JobState.RUNNING, exhausted=JobState.DEAD)

    kind = models.CharField(max_length=40)
    queue = models.CharField(max_length=20, default="default")
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="jobs")
    requested_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    arguments = models.JSONField(default=dict, help_text=_("ids and options, never texts"))
    idempotency_key = models.CharField(max_length=120, null=True, unique=True)
    state = models.CharField(max_length=10, choices=JobState, default=JobState.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=3)
    worker = models.CharField(max_length=120, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    progress_done = models.PositiveBigIntegerField(default=0)
    progress_total = models.PositiveBigIntegerField(null=True)
    progress_note = models.CharField(max_length=200, blank=True, default="")
    result = models.JSONField(default=dict)
    faults = models.JSONField(default=list, help_text=_("the first 100, each with its place"))
    error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["queue", "id"], condition=Q(state__in=[s.value for s in JobState.UNDER_WAY]), name="job_to_do"
            ),
            models.Index(fields=["project", "-id"], name="job_list"),
            models.Index(
                fields=["finished_at"],
                condition=Q(state__in=[s.value for s in JobState.UNSUCCESSFUL]),
                name="job_unsuccessful",
            ),
        ]

    @property
    def is_export(self) -> bool:
        return self.kind == "export"

    @property
    def is_measuring(self) -> bool:
        """Whether it measures texts in the background, which pages show by stages and not as a job."""
        return self.kind in ("count_tokens", "score")

    @property
    def has_given_way(self) -> bool:
        """Whether it has had a turn and waits for its next one."""
        return self.state == JobState.QUEUED and self.lease_until is not None

    @property
    def shown_state(self) -> str:
        """The state in words; a job between two turns is not "waiting" to people, for it is at work."""
        return gettext("running in turns") if self.has_given_way else str(JobState(self.state).label)

    @property
    def waits_since(self) -> datetime:
        """Since when it waits for its turn, if it does."""
        return self.lease_until if self.has_given_way and self.lease_until else self.created_at

    def held(self) -> JobQuerySet:
        """The row as long as the worker that claimed this job runs it."""
        return Job.objects.filter(pk=self.pk).held_by(self.worker)


class JobsSeen(models.Model):
    """When a person last opened the jobs in the header: what failed since then is counted there."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="jobs_seen")
    at = models.DateTimeField()

"""Runs of systems over samples. Each output row is a unit of work: it is leased, tried, and filled once."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Job, Project, Sample
from annotation.models.base import PublicId
from annotation.models.leased_work import LeasedWork, LeasedWorkQuerySet, WorkStates
from modelbridge.models.systems import SystemRevision

TEST = "test"
"""`Run.over` of a test of a system on one sample's request: it is in no list, table or choice, and kept for a day."""
CHANGED = "changed:"
"""What `Run.over` begins with where one attribute of the samples' requests is changed; its key follows."""


class RunState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")

    UNDER_WAY: ClassVar[tuple["RunState", ...]]
    """Waits for a worker or runs."""


RunState.UNDER_WAY = (RunState.QUEUED, RunState.RUNNING)


class RunQuerySet(models.QuerySet["Run"]):
    def under_way(self) -> Self:
        """Runs that wait for a worker or run."""
        return self.filter(state__in=RunState.UNDER_WAY)

    def listed(self) -> Self:
        """All runs but tests of a system."""
        return self.exclude(over=TEST)

    def writing(self) -> Self:
        """Runs whose outputs are texts for the samples' requests; the others score, rank, rewrite or judge texts."""
        return self.filter(over="")

    def texts(self) -> Self:
        """Runs whose outputs are texts for a request: the sample's own, or one with a changed attribute."""
        return self.filter(Q(over="") | Q(over__startswith=CHANGED))

    def done(self) -> Self:
        """Runs with nothing left to do."""
        return self.filter(state=RunState.DONE)


class Run(PublicId):
    """One revision of a system over a frozen list of samples. `done` = nothing is left to do, failures included."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="runs")
    revision = models.ForeignKey(SystemRevision, models.PROTECT, related_name="runs")
    label = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(max_length=10, choices=RunState, default=RunState.QUEUED)
    split = models.CharField(
        max_length=20, blank=True, default="", help_text=_("only samples of this split; empty: all")
    )
    asks = models.CharField(
        max_length=300,
        blank=True,
        default="",
        help_text=_("only samples that ask for exactly these attributes, by commas; empty: all"),
    )
    over = models.CharField(
        max_length=80, blank=True, default="", help_text=_("the texts a scorer, ranker, rewriter or judge works on")
    )
    options = models.JSONField(default=dict, help_text=_("what is asked of a judge: question, answers"))
    n_samples = models.PositiveIntegerField()
    left_out = models.JSONField(default=dict, help_text=_("why samples of the project are not part of it -> how many"))
    seed = models.BigIntegerField()
    budget = models.FloatField(
        null=True, help_text=_("it stops once its outputs have cost so much, in their currency; empty: no limit")
    )
    job = models.ForeignKey(Job, models.SET_NULL, null=True, help_text=_("the newest job that works on it"))
    error = models.TextField(blank=True, default="", help_text=_("why it failed as a whole"))
    notes = models.JSONField(default=dict, help_text=_("of an upload: file name, hash, counts"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="run_list"),
            models.Index(fields=["id"], name="run_to_do", condition=Q(state__in=[s.value for s in RunState.UNDER_WAY])),
        ]

    def __str__(self) -> str:
        return self.label or str(self.revision)

    @property
    def is_test(self) -> bool:
        return self.over == TEST

    @property
    def reads_texts(self) -> bool:
        """Whether it works on texts that are there already, not on requests."""
        return not (self.over in ("", TEST) or self.over.startswith(CHANGED))


class OutputState(models.TextChoices):
    WAITING = "waiting", _("waiting")
    LEASED = "leased", _("in progress")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")

    OPEN: ClassVar[tuple["OutputState", ...]]
    """Still to be written."""
    ENDED: ClassVar[tuple["OutputState", ...]]
    """Written, or given up with an error."""


OutputState.OPEN = (OutputState.WAITING, OutputState.LEASED)
OutputState.ENDED = (OutputState.DONE, OutputState.FAILED)

CUT_OFF = Q(state=OutputState.DONE, decoding__finish_reason="length")
"""Outputs whose model ran out of max_tokens, as it or its server said."""


class OutputQuerySet(LeasedWorkQuerySet["SystemOutput"]):
    """Outputs of runs."""


class SystemOutput(PublicId, LeasedWork):
    """The output of a system for one sample, with all that is needed to reproduce it. Written once, while leased."""

    work_states = WorkStates(OutputState.WAITING, leased=OutputState.LEASED, exhausted=OutputState.FAILED)

    project = models.ForeignKey(Project, models.CASCADE, related_name="system_outputs")
    run = models.ForeignKey(Run, models.CASCADE, related_name="outputs")
    sample = models.ForeignKey(Sample, models.PROTECT, related_name="system_outputs")
    position = models.PositiveIntegerField(help_text=_("place in the run's list of samples, from 0"))
    work_order = models.PositiveIntegerField(help_text=_("place by the source's length, so that batches are even"))
    state = models.CharField(max_length=8, choices=OutputState, default=OutputState.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    worker = models.CharField(max_length=120, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    text = models.TextField(blank=True, default="")
    told = models.JSONField(default=dict, help_text=_("the values the system was told: those it can follow"))
    prompt = models.TextField(blank=True, default="")
    decoding = models.JSONField(default=dict)
    seed = models.BigIntegerField(null=True)
    weights = models.CharField(max_length=80, blank=True, default="", help_text=_('hash of the weights, or "none"'))
    versions = models.JSONField(default=dict, help_text=_("library -> version"))
    truncated = models.PositiveIntegerField(default=0, help_text=_("tokens of the source that did not fit"))
    seconds = models.FloatField(default=0.0)
    usage = models.JSONField(default=dict, help_text=_("tokens and cost of systems that are paid for"))
    cost = models.FloatField(default=0.0)
    candidates = models.JSONField(default=list, help_text=_("ranked texts: text, score"))
    steps = models.JSONField(default=list, help_text=_("the drafts of a system that refines, with their measures"))
    scores = models.JSONField(default=dict, help_text=_("of a scorer or judge, or that came with an upload"))
    flags = models.JSONField(default=list, help_text=_("what was done to the text: NUL or surrogates removed, cut"))
    error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = OutputQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "sample"], name="output_once_per_run_and_sample"),
            models.UniqueConstraint(fields=["run", "position"], name="output_position_once"),
            models.CheckConstraint(
                condition=~Q(state="leased") | (Q(lease_until__isnull=False) & ~Q(worker="")),
                name="output_lease_has_worker",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=[s.value for s in OutputState.ENDED]) | Q(finished_at__isnull=False),
                name="output_end_has_time",
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error=""), name="output_failure_has_reason"),
        ]
        indexes = [
            models.Index(
                fields=["run", "attempts", "work_order"],
                name="output_to_do",
                condition=Q(state__in=[s.value for s in OutputState.OPEN]),
            ),
            models.Index(fields=["run", "state", "finished_at"], name="output_progress"),
            models.Index(fields=["sample", "state"], name="output_of_sample"),
            models.Index(fields=["project", "id"], name="output_list"),
        ]

    @property
    def is_cut_off(self) -> bool:
        """As CUT_OFF."""
        return self.state == OutputState.DONE and self.decoding.get("finish_reason") == "length"

"""Trainings of systems on a project's summaries, and what was measured during them."""

from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from annotation.models import Job, Project
from annotation.models.base import PublicId
from modelbridge.models.systems import SystemRevision


class TrainingState(models.TextChoices):
    QUEUED = "queued", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")
    CANCELLED = "cancelled", _("cancelled")

    UNDER_WAY: ClassVar[tuple["TrainingState", ...]]
    """Waits for a worker or runs."""


TrainingState.UNDER_WAY = (TrainingState.QUEUED, TrainingState.RUNNING)


class TrainingGroup(PublicId):
    """A grid: one configuration with every combination of some settings, each a training of its own."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="training_groups")
    key = models.CharField(max_length=60, help_text=_("of the configuration"))
    name = models.CharField(max_length=200)
    config_toml = models.TextField()
    axes = models.JSONField(help_text=_("the settings that differ -> their values"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="training_group_list")]

    def __str__(self) -> str:
        return self.name


class TrainingRunQuerySet(models.QuerySet["TrainingRun"]):
    def under_way(self) -> Self:
        """Trainings that wait for a worker or run."""
        return self.filter(state__in=TrainingState.UNDER_WAY)


class TrainingRun(PublicId):
    """One training of one configuration. Its files are in DATA_DIR/training/<public id>."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="trainings")
    group = models.ForeignKey(TrainingGroup, models.CASCADE, null=True, related_name="trainings")
    changes = models.JSONField(default=dict, help_text=_("of a training in a group: what sets it apart"))
    key = models.CharField(max_length=60, help_text=_("of the system that comes of it"))
    name = models.CharField(max_length=200)
    method = models.CharField(max_length=40)
    config_toml = models.TextField()
    config_hash = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=TrainingState, default=TrainingState.QUEUED)
    job = models.ForeignKey(Job, models.SET_NULL, null=True, help_text=_("the newest job that works on it"))
    revision = models.ForeignKey(SystemRevision, models.PROTECT, null=True, related_name="trainings")
    step = models.PositiveIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0, help_text=_("updates in all; 0: not known yet"))
    best = models.JSONField(default=dict, help_text=_("scores of the best weights so far and their update"))
    result = models.JSONField(default=dict, help_text=_("counts, seconds, hashes, versions of a finished training"))
    error = models.TextField(blank=True, default="", help_text=_("why it failed"))
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    objects = TrainingRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "key"],
                condition=Q(state__in=[s.value for s in TrainingState.UNDER_WAY]),
                name="training_once_under_way",
            ),
            models.CheckConstraint(
                condition=~Q(state="done") | Q(revision__isnull=False), name="training_done_has_system"
            ),
            models.CheckConstraint(condition=~Q(state="failed") | ~Q(error=""), name="training_failure_has_reason"),
        ]
        indexes = [models.Index(fields=["project", "-id"], name="training_list")]

    def __str__(self) -> str:
        return self.name


class TrainingMetric(models.Model):
    """What was measured at one update: losses on train, the criterion and its parts on dev."""

    run = models.ForeignKey(TrainingRun, models.CASCADE, related_name="metrics")
    step = models.PositiveIntegerField()
    split = models.CharField(max_length=10)
    values = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "step", "split"], name="metric_once_per_step")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.split} {self.step}"


class TrainingText(models.Model):
    """What the model in training wrote for one dev sample at one evaluation."""

    run = models.ForeignKey(TrainingRun, models.CASCADE, related_name="texts")
    step = models.PositiveIntegerField()
    position = models.PositiveSmallIntegerField(help_text=_("among the shown dev samples, from 0"))
    sample_id = models.CharField(max_length=300)
    values = models.JSONField(help_text=_("what was requested"))
    text = models.TextField()
    reference = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "step", "position"], name="training_text_once_per_step")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.step} {self.sample_id}"

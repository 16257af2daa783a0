"""What workers say of themselves: how busy each was with a run, and which systems it has loaded."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from modelbridge.models.runs import Run

SILENT_AFTER = timedelta(seconds=45)
"""A worker that did not repeat within this time what it has loaded has ended: three heartbeats are missing."""


class RunMeter(models.Model):
    """One worker process's share of a run. Seconds are those of the system's process: at work on batches, waiting for
    the next one, and loading."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="meters")
    worker = models.CharField(max_length=120, help_text=_("host name and process id"))
    device = models.CharField(max_length=120, help_text=_("the name of the GPU, or CPU"))
    n_batches = models.PositiveIntegerField(default=0)
    n_outputs = models.PositiveIntegerField(default=0)
    busy_seconds = models.FloatField(default=0.0)
    idle_seconds = models.FloatField(default=0.0)
    load_seconds = models.FloatField(default=0.0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    peak_memory = models.PositiveBigIntegerField(default=0, help_text=_("bytes"))
    hour_price = models.FloatField(null=True, help_text=_("of an hour of this worker; empty: none is stated"))
    currency = models.CharField(max_length=3, blank=True, default="")
    started_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "worker"], name="meter_once_per_run_and_worker")]

    def __str__(self) -> str:
        return f"{self.run_id} {self.worker}"


class WarmSystemQuerySet(models.QuerySet["WarmSystem"]):
    def running(self, now: datetime) -> Self:
        """Systems of workers that were heard of lately. now: by the database's clock, which also sets `seen_at`."""
        return self.filter(seen_at__gt=now - SILENT_AFTER)


class WarmSystem(models.Model):
    """A system that a worker process has loaded; work for it goes there first."""

    worker = models.CharField(max_length=120, help_text=_("host name and process id"))
    config_hash = models.CharField(max_length=64, help_text=_("of the system's configuration"))
    since = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = WarmSystemQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["worker", "config_hash"], name="warm_system_once_per_worker")]
        indexes = [models.Index(fields=["config_hash"], name="warm_system_hash")]

    def __str__(self) -> str:
        return f"{self.worker} {self.config_hash[:12]}"

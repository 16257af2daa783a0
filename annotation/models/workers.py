"""Workers that run: each writes a row while it lives."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.utils.translation import gettext_lazy as _

SILENT_AFTER = timedelta(seconds=45)
"""A worker that was not seen for so long is not running: three heartbeats are missing."""


class WorkerHeartbeatQuerySet(models.QuerySet["WorkerHeartbeat"]):
    def running(self, now: datetime) -> Self:
        """Workers seen recently. now: by the database's clock, which also sets `seen_at`."""
        return self.filter(seen_at__gt=now - SILENT_AFTER)


class WorkerHeartbeat(models.Model):
    """A worker process, the queues that it serves and when it was last seen; deleted when it stops in order."""

    name = models.CharField(max_length=120, unique=True)
    queues = models.JSONField(default=list, help_text=_("names of queues"))
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    objects = WorkerHeartbeatQuerySet.as_manager()

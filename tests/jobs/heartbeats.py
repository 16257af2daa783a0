"""Workers that tests let run, as rows."""

from datetime import timedelta

from django.utils import timezone

from annotation.models import WorkerHeartbeat


def run_worker(*queues: str, silent_for: float = 0) -> WorkerHeartbeat:
    """A worker of these queues, last seen so many seconds ago."""
    seen = timezone.now() - timedelta(seconds=silent_for)
    name = f"here:{WorkerHeartbeat.objects.count()}"
    return WorkerHeartbeat.objects.create(name=name, queues=[*queues], started_at=seen, seen_at=seen)

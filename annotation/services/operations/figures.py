"""Figures of jobs, leases and workers for metrics, counted in the database when asked for."""

from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Min

from annotation.jobs import count_workers, database_now
from annotation.models import Claim, Job, JobState


@dataclass
class Figures:
    """jobs: by (state, queue). oldest_waiting: seconds by queue. leases: by (of what, live or expired)."""

    jobs: dict[tuple[str, str], int] = field(default_factory=dict)
    oldest_waiting: dict[str, float] = field(default_factory=dict)
    leases: dict[tuple[str, str], int] = field(default_factory=dict)
    workers: dict[str, int] = field(default_factory=dict)


def count_figures() -> Figures:
    now = database_now()
    waiting = Job.objects.filter(state=JobState.QUEUED).order_by().values("queue").annotate(since=Min("created_at"))
    by_state = Job.objects.order_by().values("state", "queue").annotate(n=Count("pk"))
    return Figures(
        jobs={(row["state"], row["queue"]): row["n"] for row in by_state},
        oldest_waiting={row["queue"]: max(0.0, (now - row["since"]).total_seconds()) for row in waiting},
        leases=_count_leases(now),
        workers=dict(count_workers()),
    )


def _count_leases(now: datetime) -> dict[tuple[str, str], int]:
    claims = Claim.objects.filter(closed_at=None)
    jobs = Job.objects.filter(state=JobState.RUNNING)
    return {
        (name, state): rows.filter(**{f"lease_until__{comparison}": now}).count()
        for name, rows in (("tasks", claims), ("jobs", jobs))
        for state, comparison in (("live", "gte"), ("expired", "lt"))
    }

"""Work queues in the database: each row is a piece of work that one worker at a time does, while it holds the lease.

Jobs, webhook deliveries, outputs of runs and calls to chat models are such rows. A lease works the same in all:

* A row that is still to be done is `claimable` while it has no lease, or one that has expired. Nothing sweeps expired
  leases: the next worker claims the row.
* `claim` is one conditional update: of several workers that saw the same row, one gets it.
* `held_by` is the row as long as nobody else claimed it, ended it or took it back. What a worker stores goes through
  it, so that a worker that lost its lease changes nothing.
* `extend` renews the lease of long work (annotation.jobs.renew_leases does so from a thread), `release` makes the row
  wait again, `end` stores that it is done, and `exhaust` gives up rows that were tried as often as allowed.

A queue differs in its states, in the field that counts attempts, in who may be tried next, and in what an attempt is;
that is decided where its rows are claimed. Times are the database's (annotation.jobs.database_now).

The claims of people are another thing: a person comes back to an unfinished task (annotation.claiming).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q

WorkRow = TypeVar("WorkRow", bound="LeasedWork")


@dataclass(frozen=True)
class WorkStates:
    """The states of rows that are still to be done, the one of those given up, and the field that counts attempts."""

    waiting: str
    leased: str
    exhausted: str
    attempts: str = "attempts"


def lease_length() -> timedelta:
    """How long a lease lasts, unless its queue says otherwise."""
    return timedelta(seconds=settings.EPITOME_JOB_LEASE_SECONDS)


class LeasedWorkQuerySet(models.QuerySet[WorkRow]):
    def claimable(self, now: datetime) -> Self:
        """Rows to be done that no worker has, or whose worker died."""
        states = self.model.work_states
        has_no_lease = Q(lease_until=None) | Q(lease_until__lt=now)
        return self.filter(has_no_lease, state__in=(states.waiting, states.leased))

    def expired(self, now: datetime) -> Self:
        """Rows whose worker let the lease run out."""
        return self.filter(state=self.model.work_states.leased, lease_until__lt=now)

    def in_work(self, now: datetime) -> Self:
        """Rows that a worker holds a lease on."""
        return self.filter(state=self.model.work_states.leased, lease_until__gte=now)

    def held_by(self, worker: str) -> Self:
        """Rows of this worker, until another claims them."""
        return self.filter(state=self.model.work_states.leased, worker=worker)

    def claim(self, now: datetime, *, lease: timedelta | None = None, **changes: Any) -> int:
        """Lease those of these rows that are claimable; returns how many. changes: `worker`, the attempt and so on."""
        changes = {"state": self.model.work_states.leased, "lease_until": now + (lease or lease_length()), **changes}
        return self.claimable(now).update(**changes)

    def extend(self, now: datetime) -> int:
        """Renew the leases of rows that a worker holds."""
        return self.update(lease_until=now + lease_length())

    def release(self, **changes: Any) -> int:
        """Let rows that a worker holds wait again."""
        changes = {"worker": "", "lease_until": None, **changes}
        return self.update(state=self.model.work_states.waiting, **changes)

    def end(self, state: str, **changes: Any) -> int:
        """Store that rows are done, or will not be."""
        return self.update(state=state, lease_until=None, **changes)

    def exhaust(self, now: datetime, *, most_attempts: int | F, error: str) -> int:
        """Give up those of these rows that were tried as often as allowed; returns how many."""
        states = self.model.work_states
        tried_enough = self.filter(**{f"{states.attempts}__gte": most_attempts})
        return tried_enough.end(states.exhausted, finished_at=now, error=error)


class LeasedWork(models.Model):
    """A row of a work queue, with the fields `state`, `lease_until`, `error` and, unless its class says otherwise,
    `worker` and `finished_at`. Each class declares them itself: the order of the columns is part of a site's backup."""

    work_states: ClassVar[WorkStates]

    class Meta:
        abstract = True

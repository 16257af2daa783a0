"""Registry of job handlers by kind, and of sweepers. Services register themselves on import."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.extension_points import ExtensionPoint, qualified_name

if TYPE_CHECKING:
    from django.contrib.auth.models import AbstractBaseUser

    from annotation.jobs.progress import Progress
    from annotation.models import Job

JobFunction = Callable[["Job", "Progress"], dict[str, Any]]
NOTHING_KEPT = gettext_lazy("Nothing of it is kept; what was there before stays.")


class JobRefused(Exception):
    """The input of a job cannot be used: the job is not retried. `faults` are shown, each with its location."""

    def __init__(self, message: str, *, faults: Sequence[dict[str, Any]] = (), result: dict[str, Any] | None = None):
        super().__init__(message)
        self.message = message
        self.faults = list(faults)[:100]
        self.result = result or {}


class JobPaused(Exception):
    """The job has more work, but yields to other jobs in the queue; its results so far are stored."""


@dataclass(frozen=True)
class Handler:
    """label: the kind in words. stored: callback that receives the job, in the transaction that stores its result.

    background: waits until no other job is due, and gives way at once to one that comes while it runs. takes_turns: a
    long job gives way to others (see `Progress.checkpoint`). page: the URL name of the tab that its page belongs to.
    kept: what people read about half-done work beside Cancel; empty: the job cannot be cancelled. cancelled: callback
    in the transaction that cancels the job. title: the job in words with what it is about, as in "Run lead"; "": label.
    """

    kind: str
    label: str | Promise
    queue: str
    work: JobFunction
    stored: Callable[["Job"], object] = lambda _job: None
    background: bool = False
    takes_turns: bool = False
    page: str = ""
    kept: str | Promise = NOTHING_KEPT
    cancelled: Callable[["Job", "AbstractBaseUser | None"], object] = lambda _job, _by: None
    title: Callable[["Job"], str] = lambda _job: ""


HANDLERS = ExtensionPoint[Handler]("job handlers", key=lambda handler: handler.kind)
SWEEPERS = ExtensionPoint[Callable[[], object]]("sweepers", key=qualified_name)
BEATS = ExtensionPoint[Callable[[bool], object]]("heartbeats", key=qualified_name)
Preference = Callable[[int, Sequence[str]], int | None]
PREFERENCES = ExtensionPoint[Preference]("preferences among jobs", key=qualified_name)


def register_handler(
    kind: str,
    label: str | Promise,
    *,
    queue: str = "default",
    **options: Any,
) -> Callable[[JobFunction], JobFunction]:
    """Register the function that runs jobs of a kind: (job, progress) -> result. It must be idempotent. `label` names
    the kind on pages; options: the other fields of `Handler`.

    A function whose job may take long calls progress.checkpoint() about once a second, each time with its work so far
    stored: it may be stopped there and is called again later (takes_turns, or background where nobody waits for it).
    """

    def register(work: JobFunction) -> JobFunction:
        HANDLERS.register(Handler(kind, label, queue, work, **options))
        return work

    return register


def register_sweeper(function: Callable[[], object]) -> Callable[[], object]:
    """Register a function that run_sweepers calls about once a minute."""
    return SWEEPERS.register(function)


def register_beat(function: Callable[[bool], object]) -> Callable[[bool], object]:
    """Register a function that each worker calls with its heartbeat, about every 15 seconds; its argument is whether
    the worker ends."""
    return BEATS.register(function)


def register_preference(function: Preference) -> Preference:
    """Register a function that a worker asks before it does a job: (job, queues that it serves) -> the job to do now,
    which may be another one; None: leave the job to another worker."""
    return PREFERENCES.register(function)

"""When a job begins and ends, in words, and whether it can be cancelled."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.jobs import HANDLERS, Outlook, Queue, may_cancel
from annotation.models import Job, JobState

MINUTE = 60
HOUR = 3600


class JobOutlook(NamedTuple):
    """text: "2 jobs before yours, about 4 min". cancel_url: "" where the job cannot be cancelled. kept: what becomes of
    half-done work then."""

    text: str
    cancel_url: str
    kept: str


def describe_outlook(job: Job, queue: Queue | None = None) -> JobOutlook:
    """The outlook of a job under way. queue: read once for several jobs of a page."""
    cancel_url = reverse("job-cancel", args=[job.public_id]) if may_cancel(job) else ""
    return JobOutlook(describe_end(job, (queue or Queue()).look_ahead(job)), cancel_url, describe_kept(job))


def describe_kept(job: Job) -> str:
    """What is done with half-done work of a cancelled job."""
    return str(HANDLERS[job.kind].kept) if job.kind in HANDLERS else ""


def describe_end(job: Job, outlook: Outlook) -> str:
    """When the job begins, or when it ends; "" where nothing is known."""
    if outlook.n_before:
        words = ngettext("%(n)d job before yours", "%(n)d jobs before yours", outlook.n_before) % {
            "n": outlook.n_before
        }
        if outlook.seconds_before is None:
            return words
        return _("%(jobs)s, %(time)s") % {"jobs": words, "time": describe_length(outlook.seconds_before)}
    if outlook.seconds_left is not None:
        return _("%(time)s left") % {"time": describe_length(outlook.seconds_left)}
    return _("next in line") if job.state == JobState.QUEUED and outlook.seconds_before is not None else ""


def describe_length(seconds: float) -> str:
    """A length of time as people say it: "about 4 min"."""
    if seconds < MINUTE:
        return _("less than a minute")
    if seconds < 1.5 * HOUR:
        return _("about %(n)d min") % {"n": round(seconds / MINUTE)}
    return _("about %(n)d h") % {"n": round(seconds / HOUR)}

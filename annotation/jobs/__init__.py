"""The one mechanism for anything long: a Job row with lease, heartbeat, attempts, progress and a sweeper.

The row is the job; a broker's message is only a hint. A worker that dies leaves a lease that runs out, and the
next worker that polls takes the job again. Work is written so that a second run of it finds what the first stored.
"""

from annotation.jobs.clock import database_now
from annotation.jobs.creating import create_job, notify_workers
from annotation.jobs.progress import JobLost, JobProgress, NoProgress, Progress, TerminalProgress
from annotation.jobs.registry import JobPaused, JobRefused, register_handler, register_sweeper
from annotation.jobs.renewing import renew_in_background
from annotation.jobs.running import list_open_jobs, run_job
from annotation.jobs.stopping import STOPPING
from annotation.jobs.sweeping import run_sweepers

__all__ = [
    "STOPPING",
    "JobLost",
    "JobPaused",
    "JobProgress",
    "JobRefused",
    "NoProgress",
    "Progress",
    "TerminalProgress",
    "create_job",
    "database_now",
    "list_open_jobs",
    "notify_workers",
    "register_handler",
    "register_sweeper",
    "renew_in_background",
    "run_job",
    "run_sweepers",
]

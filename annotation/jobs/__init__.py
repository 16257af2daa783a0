"""Background jobs: a Job row with lease, heartbeat, attempts, progress and a sweeper.

The database row is the job; a broker message is only a hint. When a worker dies, its lease expires and the next
worker that polls claims the job again. Job functions are idempotent: a second run finds what the first stored.
"""

from annotation.jobs.cancelling import cancel_job, may_cancel
from annotation.jobs.clock import database_now
from annotation.jobs.creating import create_job, notify_workers
from annotation.jobs.heartbeats import Heartbeat, count_workers, is_worker_of_this_host_running
from annotation.jobs.outlook import Outlook, Queue, look_ahead
from annotation.jobs.progress import JobLost, JobProgress, NoProgress, Progress, TerminalProgress
from annotation.jobs.registry import (
    HANDLERS,
    JobPaused,
    JobRefused,
    register_beat,
    register_handler,
    register_preference,
    register_sweeper,
)
from annotation.jobs.renewing import renew_leases
from annotation.jobs.running import keep_result, list_open_jobs, run_hinted_job, run_job
from annotation.jobs.stopping import STOPPING
from annotation.jobs.sweeping import run_sweepers
from annotation.jobs.worker_names import list_dead_holders, name_process, new_token

__all__ = [
    "HANDLERS",
    "STOPPING",
    "Heartbeat",
    "JobLost",
    "JobPaused",
    "JobProgress",
    "JobRefused",
    "NoProgress",
    "Outlook",
    "Progress",
    "Queue",
    "TerminalProgress",
    "cancel_job",
    "count_workers",
    "create_job",
    "database_now",
    "is_worker_of_this_host_running",
    "keep_result",
    "list_dead_holders",
    "list_open_jobs",
    "look_ahead",
    "may_cancel",
    "name_process",
    "new_token",
    "notify_workers",
    "register_beat",
    "register_handler",
    "register_preference",
    "register_sweeper",
    "renew_leases",
    "run_hinted_job",
    "run_job",
    "run_sweepers",
]

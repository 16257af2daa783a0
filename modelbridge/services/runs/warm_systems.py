"""Which systems a worker has loaded, and that work for these goes there first.

Loading a large model takes minutes. A worker that gets the job of a run whose system it has not loaded first does one
that is due for a loaded system, and leaves a new job for a moment to an idle worker that has it loaded. Neither lasts:
a job that has waited PASSED_OVER seconds is done next by any worker.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.db.models import Exists, OuterRef, Value
from django.db.models.functions import Concat

from annotation.jobs import STOPPING, database_now, name_process, register_beat, register_preference
from annotation.jobs.priorities import background_kinds
from annotation.models import Job, JobState
from annotation.transactions import write_transaction
from modelbridge.models import Run, WarmSystem
from modelbridge.services.runs.runs import KIND
from modelbridge.services.runs.system_processes import HOSTS

PASSED_OVER = timedelta(seconds=180)
"""How long a job may wait for others whose system is loaded."""
LEFT_TO_OTHERS = timedelta(seconds=3)
"""How long a new job is left to an idle worker that has its system loaded."""
PAUSE = 0.2
"""Seconds before a job that was left to others is announced again."""


def list_loaded() -> list[str]:
    """Hashes of the configurations that this process has loaded."""
    return [config_hash for config_hash, host in HOSTS.loaded.items() if host.alive]


def store_loaded(worker: str, config_hashes: Iterable[str]) -> None:
    """Replace what is stored of the systems that a worker has loaded."""
    now = database_now()
    loaded = sorted(set(config_hashes))
    with write_transaction():
        WarmSystem.objects.filter(worker=worker).exclude(config_hash__in=loaded).delete()
        for config_hash in loaded:
            WarmSystem.objects.update_or_create(
                worker=worker,
                config_hash=config_hash,
                defaults={"seen_at": now},
                create_defaults={"seen_at": now, "since": now},
            )


@register_beat
def report_loaded(is_ending: bool) -> None:
    """With each heartbeat of this worker."""
    worker = name_process()
    loaded = [] if is_ending else list_loaded()
    if loaded or WarmSystem.objects.filter(worker=worker).exists():
        store_loaded(worker, loaded)


def list_warm_workers(config_hash: str) -> list[str]:
    """The running workers that have a system loaded, by name."""
    rows = WarmSystem.objects.running(database_now()).filter(config_hash=config_hash)
    return list(rows.order_by("worker").values_list("worker", flat=True))


@register_preference
def prefer_loaded(job_id: int, queues: Sequence[str]) -> int | None:
    """The job to do instead of an announced one: itself, one whose system is loaded here, or None to leave it to a
    worker that has its system loaded."""
    job = Job.objects.filter(pk=job_id, kind=KIND, state=JobState.QUEUED).first()
    if job is None:
        return job_id
    loaded = list_loaded()
    config_hash = _find_config_hash(job)
    waiting = database_now() - (job.waits_since)
    if config_hash in loaded or waiting > PASSED_OVER:
        return job_id
    if loaded and (other := _find_due_job(loaded, queues)) is not None:
        return other
    if waiting < LEFT_TO_OTHERS and _is_idle_elsewhere(config_hash):
        STOPPING.wait(PAUSE)
        return None
    return job_id


def _find_config_hash(job: Job) -> str:
    row = Run.objects.filter(pk=job.arguments.get("run")).values_list("revision__config_hash", flat=True).first()
    return row or ""


def _find_due_job(loaded: Sequence[str], queues: Sequence[str]) -> int | None:
    """The oldest due job of a run whose system is loaded here."""
    runs = Run.objects.under_way().filter(revision__config_hash__in=loaded).values_list("pk", flat=True)
    due = Job.objects.due(database_now()).filter(kind=KIND, queue__in=queues, arguments__run__in=list(runs))
    return due.order_by("pk").values_list("pk", flat=True).first()


def _is_idle_elsewhere(config_hash: str) -> bool:
    """Whether a running worker has the system loaded and does no job."""
    now = database_now()
    at_work = Job.objects.in_work(now).filter(worker__startswith=Concat(OuterRef("worker"), Value(":")))
    warm = WarmSystem.objects.running(now).filter(config_hash=config_hash).exclude(worker=name_process())
    return warm.filter(~Exists(at_work)).exists()


def is_other_work_waiting(job: Job) -> bool:
    """Whether somebody waits for a job other than the shares of the same run, in whichever queue."""
    due = Job.objects.due(database_now()).exclude(kind__in=background_kinds())
    return due.exclude(kind=KIND, arguments__run=job.arguments.get("run")).exists()

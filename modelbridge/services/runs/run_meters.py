"""How busy each worker was with a run: stored batch by batch together with its outputs, read for pages and the API."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Greatest

from annotation.jobs import name_process
from annotation.transactions import write_transaction
from epitome.systems.batching import Failure
from epitome.systems.protocol import Output
from modelbridge.models import Run, RunMeter
from modelbridge.services.runs.system_processes import BatchMeter

TOKENS_IN, TOKENS_OUT = "prompt_tokens", "completion_tokens"
"""Keys of an output's usage."""


@dataclass(frozen=True)
class WorkerMeter:
    """One worker's share of a run. idle_share: of the time between its first and last batch, None where nothing was
    measured. tokens_per_second: written ones while it was busy, None where the system counts none. hours: loading, work
    and waiting together. cost: hours times the stated price of an hour, None where none is stated."""

    worker: str
    device: str
    outputs: int
    batches: int
    busy_seconds: float
    idle_seconds: float
    load_seconds: float
    idle_share: float | None
    tokens_in: int
    tokens_out: int
    tokens_per_second: float | None
    peak_memory: int
    hours: float
    cost: float | None
    currency: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def add_batch(
    run: Run, meter: BatchMeter, results: Sequence[Output | Failure], *, n_stored: int, is_first: bool, loaded: float
) -> None:
    """Add a batch to the meter of this worker. is_first: of this worker's turn, then what the system waited for was not
    this run. loaded: seconds of loading."""
    outputs = [result for result in results if isinstance(result, Output)]
    price, currency = settings.EPITOME_WORKER_HOUR_PRICE or (None, "")
    with write_transaction():
        row, _created = RunMeter.objects.get_or_create(
            run=run,
            worker=name_process(),
            defaults={"device": meter.device[:120], "hour_price": price, "currency": currency},
        )
        RunMeter.objects.filter(pk=row.pk).update(
            n_batches=F("n_batches") + 1,
            n_outputs=F("n_outputs") + n_stored,
            busy_seconds=F("busy_seconds") + meter.worked,
            idle_seconds=F("idle_seconds") + (0.0 if is_first else meter.waited),
            load_seconds=F("load_seconds") + loaded,
            tokens_in=F("tokens_in") + _sum_usage(outputs, TOKENS_IN),
            tokens_out=F("tokens_out") + _sum_usage(outputs, TOKENS_OUT),
            peak_memory=Greatest(F("peak_memory"), meter.peak_memory),
            device=meter.device[:120],
        )


def _sum_usage(outputs: Sequence[Output], key: str) -> int:
    return sum(int(output.usage.get(key, 0)) for output in outputs)


def read_meters(run: Run) -> list[WorkerMeter]:
    """The workers of a run, the first one first."""
    return [_build_meter(row) for row in run.meters.order_by("pk")]


def _build_meter(row: RunMeter) -> WorkerMeter:
    measured = row.busy_seconds + row.idle_seconds
    hours = (measured + row.load_seconds) / 3600
    return WorkerMeter(
        worker=row.worker,
        device=row.device,
        outputs=row.n_outputs,
        batches=row.n_batches,
        busy_seconds=round(row.busy_seconds, 3),
        idle_seconds=round(row.idle_seconds, 3),
        load_seconds=round(row.load_seconds, 3),
        idle_share=row.idle_seconds / measured if measured and row.n_batches > 1 else None,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        tokens_per_second=row.tokens_out / row.busy_seconds if row.tokens_out and row.busy_seconds else None,
        peak_memory=row.peak_memory,
        hours=hours,
        cost=hours * row.hour_price if row.hour_price is not None else None,
        currency=row.currency,
    )

"""The workers of a run as rows of a table."""

from typing import NamedTuple

from epitome.figures.numbers import (
    UNKNOWN,
    format_count,
    format_decimal,
    format_measure,
    format_money,
    format_percent,
)
from epitome.systems.machine import CPU
from modelbridge.models import Run
from modelbridge.services.runs.run_meters import WorkerMeter, read_meters

GIB = 2**30


class WorkerRow(NamedTuple):
    """Every number as it is shown; a dash where nothing was measured or stated."""

    name: str
    device: str
    outputs: str
    idle: str
    tokens_per_second: str
    memory: str
    hours: str
    cost: str

    @property
    def has_gpu(self) -> bool:
        return self.device not in (CPU, UNKNOWN)


def list_worker_rows(run: Run) -> list[WorkerRow]:
    return [_build_row(meter) for meter in read_meters(run)]


def _build_row(meter: WorkerMeter) -> WorkerRow:
    speed = meter.tokens_per_second
    return WorkerRow(
        name=meter.worker,
        device=meter.device or UNKNOWN,
        outputs=format_count(meter.outputs),
        idle=UNKNOWN if meter.idle_share is None else format_percent(meter.idle_share, 1),
        tokens_per_second=UNKNOWN if speed is None else format_measure(speed),
        memory=f"{format_decimal(meter.peak_memory / GIB, 1)} GiB" if meter.peak_memory else UNKNOWN,
        hours=format_decimal(meter.hours, 2),
        cost=UNKNOWN if meter.cost is None else format_money(meter.cost, meter.currency),
    )

"""Writes of workers that share a run, and of grids of trainings, by name; see all_writes.py."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from annotation.jobs import NoProgress
from annotation.models import SourceDocument
from epitome.systems.protocol import Output
from epitome.training.watching import DevText
from modelbridge.services.runs import output_leases, run_meters, warm_systems
from modelbridge.services.runs.run_worker import RunWorker
from modelbridge.services.runs.system_processes import BatchMeter, Reply
from modelbridge.services.runs.system_requests import BatchWork
from modelbridge.services.training import groups
from tests.models.training_text import short_training_text
from tests.tasks.job_writes import PAST, TOKEN, a_run, watch, with_libraries

Work = Callable[[], Any]
METER = BatchMeter(waited=1.0, worked=2.0, device="CPU", peak_memory=1)


def begun(world: Any) -> Work:
    run = a_run(world, state="leased", worker=TOKEN, lease_until=PAST, attempts=0)
    return lambda: output_leases.begin_batch(run, TOKEN, list(run.outputs.all()))


def metered(world: Any) -> Work:
    run = a_run(world, state="waiting")
    fields: dict[str, Any] = {"n_stored": 1, "is_first": False, "loaded": 1.0}
    return lambda: run_meters.add_batch(run, METER, [Output("a", usage={"completion_tokens": 3})], **fields)


def stored_with_meter(world: Any) -> Work:
    run = a_run(world, state="leased", worker=TOKEN, lease_until=PAST, attempts=1)
    worker = RunWorker(run, NoProgress())
    worker.token = TOKEN
    outputs = list(run.outputs.all())
    work = BatchWork({}, outputs, [[] for _ in outputs])

    def store() -> None:
        collected = [(output, Output("a")) for output in outputs]
        with patch.object(BatchWork, "collect", lambda *_given: collected):
            worker._store(work, Reply([Output("a")], METER))

    return store


def loaded_told(_world: Any) -> Work:
    warm_systems.store_loaded("here:1", ["a" * 64, "b" * 64])
    return lambda: warm_systems.store_loaded("here:1", ["b" * 64, "c" * 64])


def grid_started(world: Any) -> Work:
    SourceDocument.objects.filter(project=world.project).update(split="train")
    fields = {"project": world.project, "toml_text": short_training_text(), "by": None}
    faked = patch.object(groups, "_check_dev", lambda *_given: None)

    def start() -> Any:
        with faked:
            return with_libraries(lambda: groups.start_group(grid=["learning_rate=1e-3,1e-4"], **fields))

    return start


def grid_cancelled(world: Any) -> Work:
    group = grid_started(world)()
    return lambda: groups.cancel_group(group=group, by=None)


def training_texts(world: Any) -> Work:
    result = watch(world)
    return lambda: result.texts(1, [DevText("a#1", {"length": "short"}, "text", "reference")])


RUN_WRITES: dict[str, Callable[[Any], Work]] = {
    "batch begun": begun,
    "batch metered": metered,
    "batch stored with its meter": stored_with_meter,
    "loaded systems": loaded_told,
    "grid of trainings": grid_started,
    "grid cancelled": grid_cancelled,
    "training's texts": training_texts,
}

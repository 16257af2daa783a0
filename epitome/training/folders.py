"""The folder of a training: complete checkpoints, and the best weights so far.

checkpoints/checkpoint-150/   everything needed to resume after update 150, with a mark when complete
weights/                      the best weights, with best.json; replaced atomically
metrics.jsonl, training.toml, system.toml, result.json
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from epitome.systems.protocol import SystemFault

WHOLE = "whole"
WEIGHTS = "weights"
BEST = "best.json"
RESULT = "result.json"
CHECKPOINTS = "checkpoints"
_PREFIX = "checkpoint-"


@contextmanager
def one_at_a_time(folder: Path, wait: float = 60.0) -> Iterator[None]:
    """Lock the folder for this process; a killed process releases it. Raises SystemFault if another holds it."""
    with (folder / "lock").open("w") as lock:
        until = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if time.monotonic() > until:
                    raise SystemFault(f"{folder}: another process trains in this folder") from error
                time.sleep(0.2)
        yield


def mark_whole(checkpoint: Path) -> None:
    """Mark a checkpoint as complete, after syncing its files. A checkpoint without the mark is never used."""
    for file in checkpoint.rglob("*"):
        if file.is_file():
            sync_to_disk(file)
    mark = checkpoint / WHOLE
    mark.write_text("", encoding="utf-8")
    sync_to_disk(mark)
    sync_to_disk(checkpoint)


def last_checkpoint(folder: Path) -> Path | None:
    """The newest complete checkpoint; incomplete ones are removed."""
    complete: list[tuple[int, Path]] = []
    for path in (folder / CHECKPOINTS).glob(f"{_PREFIX}*"):
        step = path.name.removeprefix(_PREFIX)
        if step.isdigit() and (path / WHOLE).is_file():
            complete.append((int(step), path))
        else:
            shutil.rmtree(path, ignore_errors=True)
    return max(complete)[1] if complete else None


def step_of(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix(_PREFIX))


def replace_weights(folder: Path, save: Callable[[Path], None], about: Mapping[str, Any]) -> None:
    """Replace the old weights with new ones. A kill at any point leaves old or new ones, never a mixture;
    `recover_weights` repairs the state after a kill between the two renames."""
    new, old, target = folder / f"{WEIGHTS}.new", folder / f"{WEIGHTS}.old", folder / WEIGHTS
    recover_weights(folder)
    save(new)
    write_json(new / BEST, about)
    for file in new.rglob("*"):
        if file.is_file():
            sync_to_disk(file)
    if target.exists():
        target.rename(old)
    new.rename(target)
    sync_to_disk(folder)
    shutil.rmtree(old, ignore_errors=True)


def recover_weights(folder: Path) -> None:
    """Repair a folder after a kill inside `replace_weights`."""
    new, old, target = folder / f"{WEIGHTS}.new", folder / f"{WEIGHTS}.old", folder / WEIGHTS
    if old.exists() and not target.exists():
        old.rename(target)
    for path in (new, old):
        shutil.rmtree(path, ignore_errors=True)


def best_of(folder: Path) -> dict[str, Any]:
    """The step and scores of the best weights so far; empty without any."""
    return read_json(folder / WEIGHTS / BEST)


def read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write the file atomically."""
    temporary = path.with_name(f"{path.name}.part")
    temporary.write_text(json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    sync_to_disk(temporary)
    temporary.replace(path)


def sync_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""A training of several processes, one per GPU, as torchrun or `accelerate launch` starts them.

The first process reads and writes the folder, evaluates and reports; the others compute their share of every update.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from typing import Any, TypeVar

from epitome.systems.neural.libraries import import_library
from epitome.systems.protocol import SystemFault

PATIENCE = timedelta(days=2)
"""How long the others wait for the first one: an evaluation may write hundreds of summaries."""
Shared = TypeVar("Shared")


def process_count() -> int:
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_first() -> bool:
    return int(os.environ.get("RANK", "0")) == 0


def local_device_name(name: str) -> str:
    """The device of this process: its own GPU where the configuration leaves the choice."""
    if process_count() == 1 or name not in ("auto", "cuda"):
        return name
    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if import_library("torch").cuda.is_available() else "cpu"


@cache
def _join_processes(on_cpu: bool) -> Any:
    return import_library("accelerate").PartialState(cpu=on_cpu, timeout=PATIENCE)


def join_processes(device: str) -> None:
    """Meet the other processes, once, before anything else; device: as configured. Nothing in a single process."""
    if process_count() > 1:
        _join_processes(local_device_name(device) == "cpu")


def wait_for_all() -> None:
    """Returns when every process has come here."""
    if process_count() > 1:
        import_library("accelerate").PartialState().wait_for_everyone()


def share_from_first(value: Shared) -> Shared:
    """The first process's value, in every process."""
    if process_count() == 1:
        return value
    values = [value]
    import_library("accelerate.utils").broadcast_object_list(values, from_process=0)
    return values[0]


def share_accumulation(accumulation: int) -> int:
    """Batches per update for each process, so that an update is of as many examples as without them.

    Raises SystemFault where they cannot be divided.
    """
    count = process_count()
    if accumulation % count:
        raise SystemFault(
            f"accumulation = {accumulation} cannot be shared by {count} processes; take a number of processes that "
            "divides it, or change batch_size and accumulation"
        )
    return accumulation // count


def launch_processes(count: int, arguments: Sequence[str] | None = None) -> int:
    """Run this program again in this many processes, by torch's launcher; the exit status. arguments: default those of
    this call. Call it only where `process_count()` is 1."""
    words = list(sys.argv if arguments is None else arguments)
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count)]
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    return subprocess.run([*launcher, *words], env={**os.environ, "OMP_NUM_THREADS": threads}, check=False).returncode

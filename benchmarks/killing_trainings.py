"""Trainings that die and go on: python -m benchmarks.killing_trainings [--kills 200] [--seed 1]

A small training (hard prompt and soft prefixes, dropout, on the CPU) runs once undisturbed and counts its points:
every call to the file system below its folder, every update and every evaluation. Then trainings of the same
configuration are ended with SIGKILL at points drawn at random, every other time at a call to the file system, started
again, killed again, until they finish. Weights, dev curve, losses and the chosen update must be those of the
undisturbed one, bit by bit. --plant uncut leaves the metrics of lost updates in place; --plant unmarked takes
checkpoints that were cut short: both must be found. One JSON line; status 1 if anything differs.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PLANTS = ("uncut", "unmarked")
FILE_EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree", "os.truncate"}
FILES, TRAINING = "files", "training"
Point = tuple[str, int]
"""(kind, how many of it)"""
STEPS, EVERY = 12, 4
MOST_STARTS = 60
"""Starts of one training after which it is given up; a bound, not a measurement."""
CONFIG = f"""
[training]
key = "killed"
method = "hp+sp"
schema = "macsum-doc"
seed = 5

[scratch]
width = 32
layers = 1
heads = 2
feed_forward = 64
vocabulary = 380
positions = 128
dropout = 0.1

[data]
train = "train.json"
dev = "dev.json"

[prefix]
length = 4
middle = 16

[optimisation]
device = "cpu"
learning_rate = 1e-3
prefix_learning_rate = 1e-2
warmup_steps = 2
batch_size = 4
accumulation = 2
steps = {STEPS}
evaluate_every = {EVERY}
log_every = 2
selection = "loss"

[decoding]
beams = 1
max_tokens = 14
min_tokens = 0
"""


class Points:
    """Counts what the training does, and ends the process at one of them."""

    def __init__(self, folder: Path, last: Point | None = None) -> None:
        self.folder, self.last = str(folder), last
        self.counts: Counter[str] = Counter()

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in FILE_EVENTS and arguments and self.folder in str(arguments[0]):
            self.reach(FILES, event)

    def reach(self, kind: str, name: str) -> None:
        self.counts[kind] += 1
        if (kind, self.counts[kind]) == self.last:
            (Path(self.folder).parent / "killed.txt").open("a").write(f"{name}\n")
            os.kill(os.getpid(), signal.SIGKILL)

    # The watch of a training.
    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        self.reach(TRAINING, f"metrics of {split}")

    def texts(self, step: int, texts: Sequence[Any]) -> None:
        self.reach(TRAINING, "texts of dev samples")

    def progress(self, done: int, total: int) -> None:
        self.reach(TRAINING, "update")

    def resumed(self, step: int) -> None:
        self.reach(TRAINING, "resumed")

    def check(self) -> None:
        return None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", choices=PLANTS)
    args = parser.parse_args()
    load_libraries()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        room = write_room(Path(name))
        totals = count_points(room)
        expected = outcome_of(room / "undisturbed")
        if args.plant:
            plant_fault(args.plant)
        differing, kills, trainings = kill_trainings(room, totals, expected, args)
        hits = Counter((room / "killed.txt").read_text().splitlines())
    line = {
        "benchmark": "killing_trainings",
        "seed": args.seed,
        "plant": args.plant,
        "seconds": round(time.perf_counter() - began, 1),
        "points": totals,
        "kills": kills,
        "hits": dict(hits.most_common()),
        "trainings": trainings,
        "differing": len(differing),
        "first_differing": differing[:3],
    }
    print(json.dumps(line), flush=True)
    return 1 if differing else 0


def load_libraries() -> None:
    """Once, in the parent: its children begin with them, and none of them has computed anything yet."""
    import torch

    from epitome.training import trainer

    torch.set_num_threads(1)
    trainer._trainer_class()
    trainer._callback_class()
    import epitome.training.run  # noqa: F401


def write_room(room: Path) -> Path:
    from tests.models import tiny

    tiny.write(room / "train.json", 60, 1)
    tiny.write(room / "dev.json", 6, 2)
    (room / "killed.toml").write_text(CONFIG)
    return room


def count_points(room: Path) -> dict[str, int]:
    """The points of an undisturbed training, in a process of its own."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.close(read)
        points = train(room, "undisturbed")
        os.write(write, json.dumps(points.counts).encode())
        os._exit(0)
    os.close(write)
    status = os.waitpid(child, 0)[1]
    result = os.read(read, 1000)
    if status or not result:
        raise SystemExit("the undisturbed training failed")
    counts: dict[str, int] = json.loads(result)
    return counts


def train(room: Path, name: str, last: Point | None = None) -> Points:
    from epitome.training.config import parse_training
    from epitome.training.run import run_training

    folder = room / name
    points = Points(folder, last)
    sys.addaudithook(points.audit)
    config = parse_training((room / "killed.toml").read_text(), "killed.toml", room)
    run_training(config, folder, points)
    return points


def kill_trainings(
    room: Path, totals: dict[str, int], expected: dict[str, Any], args: argparse.Namespace
) -> tuple[list[str], int, int]:
    """(what differed, kills, finished trainings)"""
    rng = random.Random(args.seed)
    differing: list[str] = []
    kills = trainings = 0
    while kills < args.kills and len(differing) < 5:
        name = f"killed-{trainings}"
        trainings += 1
        for _start in range(MOST_STARTS):
            kind = (FILES, TRAINING)[kills % 2]
            last = (kind, rng.randint(1, totals[kind])) if kills < args.kills else None
            status = start_training(room, name, last)
            if status == signal.SIGKILL:
                kills += 1
                continue
            if status:
                differing.append(f"{name}: ended with status {status}")
            break
        if not differing or not differing[-1].startswith(f"{name}:"):
            differing += [f"{name}: {what}" for what in compare(expected, outcome_of(room / name))]
    return differing, kills, trainings


def start_training(room: Path, name: str, last: Point | None) -> int:
    """0, 1, or the number of the signal that ended it: one start, in a process of its own."""
    if (child := os.fork()) == 0:
        status = 1
        with contextlib.suppress(BaseException):
            with Path(os.devnull).open("w") as nowhere:
                os.dup2(nowhere.fileno(), 2)
            train(room, name, last)
            status = 0
        os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return -code if code < 0 else code


def outcome_of(folder: Path) -> dict[str, Any]:
    """What a finished training left; {} without a result."""
    result = folder / "result.json"
    if not result.is_file():
        return {}
    return {
        "weights": json.loads(result.read_text())["weights_hash"],
        "steps": json.loads(result.read_text())["steps"],
        "metrics": (folder / "metrics.jsonl").read_text(),
        "texts": (folder / "texts.jsonl").read_text(),
        "best": (folder / "weights/best.json").read_text(),
    }


def compare(expected: dict[str, Any], outcome: dict[str, Any]) -> list[str]:
    return [name for name in expected if outcome.get(name) != expected[name]]


def plant_fault(plant: str) -> None:
    from epitome.training import folders, watching

    if plant == "uncut":
        watching.Record.cut = lambda self, step: None  # type: ignore[method-assign]
        return
    folders.mark_whole = lambda checkpoint: None  # type: ignore[assignment]
    folders.last_checkpoint = _take_any_checkpoint  # type: ignore[assignment]


def _take_any_checkpoint(folder: Path) -> Path | None:
    paths = sorted((folder / "checkpoints").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
    return paths[-1] if paths else None


if __name__ == "__main__":
    sys.exit(main())

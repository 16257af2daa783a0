"""A million spoilt inputs: python -m benchmarks.fuzz [--inputs 800000] [--imports 10000] [--calls 200000]
[--forms 10000] [--seed 1]

inputs: files of every import format and the texts of schemas, weights, round designs, systems and predictions, each a
sound one with bytes flipped, cut, doubled, moved or replaced by what parsers stumble over. Each must be read or refused
with a fault of the reader's own: any other error, a dead process, 5 s without an end or memory that grows by a tenth
from the first tenth of the time to the end is a fault. imports: the same files, and the exports of other tools under
EPITOME_SHARED, imported into projects: a traceback, a part of a file that is stored and more than 500 MB of memory are
faults, too. calls: requests made up from the OpenAPI document, sound and spoilt, for every role
(tests/api/test_fuzz.py): an answer of 5xx, or one that the document does not describe, is one. forms: every form of
every page, sent sound and spoilt (tests/pages/test_form_fuzz.py): 5xx, and a refusal that the page does not tell, are.
Prints one JSON line for each part; exit status 1 if there is a fault. --plant crash | hang plants one into the readers.
"""

import argparse
import contextlib
import json
import multiprocessing
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import islice
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.databases import ROOT
from benchmarks.fuzz_files import sound_files

HANG_SECONDS = 5
MOST_ITEMS = 200
GROWTH = 0.10
MOST_MEGABYTES = 500
TOKENS = (
    b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b'"', b"'", b"{", b"[", b"]" * 50, b"[" * 3000,
    b"\\u0000", b"\\ud800", b"NaN", b"-Infinity", b"1e999", b"9" * 400, b"-1", b"null", b"true", b"=1+1", b"\r",
    b"\n\n", b"\t", b",,,", b"../../etc/passwd", b"<script>", b"%00", b"\xe2\x80\xae", b"e\xcc\x81" * 40,
    b"a" * 70_000, b"2026-02-30", b"PK\3\4",
)  # fmt: skip
PLANTS = ("crash", "hang")


class Target(NamedTuple):
    """A reader: sound inputs with their file names, what reads one, and the errors that it may raise."""

    name: str
    seeds: list[tuple[str, bytes]]
    read: Callable[[str, bytes], object]
    refusals: tuple[type[Exception], ...]


class HalfImport(Exception):
    """Something of a refused file is stored, or not what the report says."""


class Hang(BaseException):
    """Not an Exception, so that no reader takes it for a damaged file."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=800_000)
    parser.add_argument("--imports", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=200_000)
    parser.add_argument("--forms", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--plant", choices=PLANTS, default="")
    args = parser.parse_args()
    right = True
    if args.inputs:
        right = fuzz_readers("readers", args.inputs, args.seed, args.processes, args.plant)
    if args.imports:
        right = fuzz_readers("imports", args.imports, args.seed, args.processes, "") and right
    if args.calls:
        right = fuzz_pages("calls", args.calls, args.seed, "tests/api/test_fuzz.py") and right
    if args.forms:
        right = fuzz_pages("forms", args.forms, args.seed, "tests/pages/test_form_fuzz.py") and right
    return 0 if right else 1


def fuzz_readers(part: str, inputs: int, seed: int, processes: int, plant: str) -> bool:
    """Share the inputs out to processes; a process that dies is a fault with the input that it had."""
    queue: Queue[dict[str, Any]] = multiprocessing.Queue()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        workers = [
            multiprocessing.Process(
                target=work, args=(queue, folder, number, part, inputs // processes, f"{seed}:{number}", plant)
            )
            for number in range(processes)
        ]
        for worker in workers:
            worker.start()
        lines = collect(queue, workers)
        died = [read_last_input(folder, number) for number, worker in enumerate(workers) if worker.exitcode != 0]
    tried: Counter[str] = sum((Counter(line["tried"]) for line in lines), Counter())
    faults = [fault for line in lines for fault in line["faults"]] + [f"died: {text}" for text in died]
    growth = max((line["growth"] for line in lines), default=0.0)
    peak = max((line["peak_mb"] for line in lines), default=0)
    line = {
        "benchmark": "fuzz",
        "part": part,
        "inputs": tried.total(),
        "refused": sum(line["refused"] for line in lines),
        "seconds": round(time.perf_counter() - start, 1),
        "slowest_ms": max((line["slowest_ms"] for line in lines), default=0.0),
        "memory_growth": round(growth, 3),
        "peak_mb": peak,
        "tried": dict(tried),
        "faults": len(faults),
        "first_faults": faults[:5],
    }
    print(json.dumps(line), flush=True)
    return not faults and growth <= GROWTH and peak <= MOST_MEGABYTES


def collect(queue: "Queue[dict[str, Any]]", workers: list[multiprocessing.Process]) -> list[dict[str, Any]]:
    lines = []
    while any(worker.is_alive() for worker in workers) or not queue.empty():
        with contextlib.suppress(Exception):  # queue.Empty
            lines.append(queue.get(timeout=1))
    return lines


def read_last_input(folder: str, number: int) -> str:
    raw = Path(folder, f"input-{number}").read_bytes()
    return f"{len(raw)} bytes, {raw[:200]!r}"


def work(
    queue: "Queue[dict[str, Any]]", folder: str, number: int, part: str, inputs: int, seed: str, plant: str
) -> None:
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "epitome.site.settings")
    if part == "imports":
        own = f"{folder}/{number}"
        os.environ.update(EPITOME_DATA_DIR=own, DATABASE_URL=f"sqlite:///{own}.sqlite3")
    django.setup()
    rng = random.Random(seed)
    list_part = list_import_targets if part == "imports" else list_targets
    targets = list_part(Path(folder), number)
    line: dict[str, Any] = {"refused": 0, "faults": [], "slowest_ms": 0.0, "growth": 0.0}
    tried: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _raise_hang)
    warm = 0.0
    for turn in range(inputs):
        target = targets[turn % len(targets)]
        name, sound = rng.choice(target.seeds)
        raw = spoil(sound, rng)
        if plant and turn == inputs // 2:
            raw = plant.encode()
        tried[target.name] += 1
        try_input(target, name, raw, line, plant)
        if turn == inputs // 10:
            warm = read_megabytes()
    line["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    line["growth"] = (read_megabytes() - warm) / warm if warm else 0.0
    queue.put({**line, "tried": dict(tried)})


def try_input(target: Target, name: str, raw: bytes, line: dict[str, Any], plant: str) -> None:
    start = time.perf_counter()
    signal.alarm(HANG_SECONDS)
    try:
        if plant and raw == plant.encode():
            _fail(plant)
        target.read(name, raw)
    except target.refusals:
        line["refused"] += 1
    except Hang:
        line["faults"].append(f"{target.name} {name}: more than {HANG_SECONDS} s: {raw[:200]!r}")
    except Exception as error:  # noqa: BLE001 - what a reader lets through is what is looked for
        line["faults"].append(f"{target.name} {name}: {type(error).__name__}: {error!s:.200}: {raw[:200]!r}")
    finally:
        signal.alarm(0)
    line["slowest_ms"] = max(line["slowest_ms"], round(1000 * (time.perf_counter() - start), 1))


def _raise_hang(_signal: int, _frame: Any) -> None:
    raise Hang


def _fail(plant: str) -> None:
    if plant == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(2 * HANG_SECONDS)


def read_megabytes() -> float:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def spoil(raw: bytes, rng: random.Random) -> bytes:
    """One to four changes of a sound input."""
    changed = bytearray(raw)
    for _change in range(rng.choice((1, 1, 2, 4))):
        at, other = rng.randrange(len(changed) + 1), rng.randrange(len(changed) + 1)
        low, high = min(at, other), max(at, other)
        match rng.randrange(6):
            case 0:
                changed[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del changed[low : min(high, low + rng.choice((1, 8, 200)))]
            case 2:
                changed[at:at] = rng.choice(TOKENS)
            case 3:
                changed[low:high] = rng.choice(TOKENS)
            case 4:
                changed[at:at] = changed[low : min(high, low + 400)]
            case _:
                del changed[at:]
    return bytes(changed)


def list_targets(folder: Path, number: int) -> list[Target]:
    """Every reader. The input of this process is always in the same file, which tells what it died of."""
    from epitome.formats.faults import Fault
    from epitome.formats.guess import guess_mapping
    from epitome.formats.options import ImportOptions
    from epitome.formats.reading import UnreadableFile, input_file
    from epitome.formats.registry import FORMATS, detect_format, has_columns
    from epitome.formats.sources import read_sources
    from epitome.rounds.config_parsing import parse_round
    from epitome.rounds.templates import parse_template
    from epitome.schema import SchemaError
    from epitome.schema.load import parse_schema
    from epitome.schema.presets import load_preset
    from epitome.schema.weights import parse_weights
    from epitome.systems.config import parse_config
    from epitome.systems.predictions import read_predictions

    path = folder / f"input-{number}"
    schema = load_preset("macsum-doc")

    def read_file(name: str, raw: bytes) -> None:
        path.write_bytes(raw)
        for _item in islice(read_sources(input_file(path, name), ImportOptions(with_references=True)), MOST_ITEMS):
            pass

    def read_mapped(name: str, raw: bytes) -> None:
        """As the import page: the first rows, a guessed mapping, then all by this mapping."""
        path.write_bytes(raw)
        file = input_file(path, name)
        kind = detect_format(file)
        if not has_columns(kind):
            return
        rows = [row.values for row in islice(FORMATS[kind].read_rows(file), 20) if not isinstance(row, Fault)]
        mapping = guess_mapping(rows, list(dict.fromkeys(column for row in rows for column in row)))
        if not {"text", "segments"} & mapping.keys():
            return
        options = ImportOptions(kind, mapping=mapping, row_ids="id" not in mapping, exact_mapping=True)
        for _item in islice(read_sources(file, options), MOST_ITEMS):
            pass

    def read_outputs(name: str, raw: bytes) -> None:
        path.write_bytes(raw)
        for _item in islice(read_predictions(input_file(path, name), 100_000), MOST_ITEMS):
            pass

    def text_reader(parse: Callable[[str], object]) -> Callable[[str, bytes], object]:
        return lambda _name, raw: parse(raw.decode("utf-8", "replace"))

    files = list(sound_files(folder))
    texts = list_sound_texts()
    return [
        Target("import", files, read_file, ()),
        Target("import with a mapping", files, read_mapped, (UnreadableFile,)),
        Target("predictions", [("p.jsonl", texts["predictions"])], read_outputs, (UnreadableFile,)),
        Target("schema", [("s.toml", texts["schema"])], text_reader(parse_schema), (SchemaError,)),
        Target(
            "weights",
            [("w.toml", texts["weights"])],
            text_reader(lambda text: parse_weights(text, schema)),
            (SchemaError,),
        ),
        Target(
            "round", [("r.toml", texts["round"])], text_reader(lambda text: parse_round(text, schema)), (SchemaError,)
        ),
        Target(
            "question form",
            [("t.toml", texts["template"])],
            text_reader(lambda text: parse_template.__wrapped__(text, "t.toml")),
            (SchemaError,),
        ),
        Target("system", [("y.toml", texts["system"])], text_reader(parse_config), (SchemaError,)),
    ]


def list_import_targets(folder: Path, number: int) -> list[Target]:
    """The import of a file into a project of its own, in a database of this process."""
    from django.core.management import call_command

    from annotation.models import SourceDocument
    from annotation.services.core.errors import ServiceError
    from annotation.services.people.projects import create_project
    from annotation.services.sources.importing import import_file
    from epitome.formats.options import ImportOptions

    call_command("migrate", verbosity=0)
    path = folder / f"input-{number}"
    n_imports = 0

    def store_file(name: str, raw: bytes) -> None:
        nonlocal n_imports
        n_imports += 1
        path.write_bytes(raw)
        project = create_project(slug=f"p{n_imports}", schema="macsum-dial" if n_imports % 4 == 0 else "macsum-doc")
        options = ImportOptions(with_references=n_imports % 2 == 0, partial=n_imports % 5 == 0)
        expected = 0
        try:
            expected = import_file(project=project, path=path, file_name=name, options=options).stored
        finally:
            n_stored = SourceDocument.objects.filter(project=project).count()
            if n_stored != expected:
                raise HalfImport(f"{n_stored} sources are stored, not {expected}")

    return [Target("stored imports", list(sound_files(folder)), store_file, (ServiceError,))]


def list_sound_texts() -> dict[str, bytes]:
    systems = sorted((ROOT / "epitome/systems/configs").glob("*.toml"))
    lines = [
        {"prediction": "The mill closed.", "position": 0, "seed": 3},
        {"prediction": "Prices rose.", "position": 1},
    ]
    return {
        "schema": (ROOT / "epitome/schema/presets/macsum-dial.toml").read_bytes(),
        "weights": next((ROOT / "epitome/schema/presets/weights").glob("*.toml")).read_bytes(),
        "round": ROUND.encode(),
        "template": next((ROOT / "epitome/rounds/templates").glob("*.toml")).read_bytes(),
        "system": systems[0].read_bytes(),
        "predictions": "\n".join(json.dumps(line) for line in lines).encode(),
    }


ROUND = """[round]
name = "Do the systems follow the request?"
template = "macsum-yes-no"
seed = 7
raters_per_item = 2

[selection]
n = 30

[[target]]
kind = "human"

[[target]]
system = "lead"
"""


def fuzz_pages(part: str, number: int, seed: int, test: str) -> bool:
    """The test of made-up calls or forms with so many of them, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "statuses.json"
        fuzzing = {f"EPITOME_FUZZ_{part.upper()}": str(number), "EPITOME_FUZZ_SEED": str(seed)}
        env = {**os.environ, "EPITOME_TEST_FULL": "1", **fuzzing, "EPITOME_FUZZ_LOG": str(log)}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--show-capture=no", test]
        start = time.perf_counter()
        completed = subprocess.run(command, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
        statuses = json.loads(log.read_text()) if log.exists() else {}
    line = {
        "benchmark": "fuzz",
        "part": part,
        "seed": seed,
        part: sum(statuses.values()),
        "seconds": round(time.perf_counter() - start, 1),
        "peak_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
        "answers": statuses,
        "failure": "" if completed.returncode == 0 else completed.stdout[-1500:],
    }
    print(json.dumps(line), flush=True)
    return completed.returncode == 0


if __name__ == "__main__":
    sys.exit(main())

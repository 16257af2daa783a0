"""Workers that die in the middle of a run: python -m benchmarks.killing_runs [--kills 200] [--engine sqlite|postgresql]

Real Celery workers work off a run of a system whose output is a hash of its request. At random moments, and only while
it holds samples in work, something of a worker is ended with SIGKILL: the system's process (`host`), the Celery child
that leads it (`child`), the worker's main process alone (`parent`), or all of it (`group`). What died is started again,
as a service manager would. With --broker redis a Redis of its own is flushed or restarted on the way (--flushes).
Then the rows are held against the samples: each must have its own output, once, and nothing may have moved to another.
--plant shifted plants a fault that must be found. One JSON line; exit status 1 if anything is wrong.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.databases import engines, own_database

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("host", "child", "parent", "group")
PLANTS = ("shifted",)
KINDS = {
    "generate": "fake",
    "score": "fake-scorer",
    "contrastive": "fake-scorer",
    "rank": "fake-ranker",
    "ranking": "rank-frequency",
    "transform": "fake-rewriter",
    "judge": "fake-judge",
}
"""What is tried -> kind of system; "contrastive" is a scorer over golds and their contrastive examples, "ranking" a
ranker over a release's ranking lists."""
OVERS = {"generate": "", "contrastive": "contrastives", "ranking": "ranking"}
QUESTION = {"question": "Is it about a bridge?", "answers": ["yes", "no"], "shows_request": True}
BATCH = 8
PATIENCE = 600
"""Seconds without any progress after which it is given up; a bound, not a measurement."""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--per-kill", type=int, default=12, help="samples in the run for every kill")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--broker", choices=["memory", "redis"], default="memory")
    parser.add_argument("--flushes", type=int, default=0, help="of Redis; every third is a restart without saving")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--role", choices=list(KINDS), default="generate")
    parser.add_argument("--plant", choices=PLANTS)
    args = parser.parse_args()
    right = True
    for engine in [args.engine] if args.engine else engines():
        with (
            tempfile.TemporaryDirectory() as folder,
            own_database(engine, Path(folder)) as url,
            own_redis(args.broker == "redis") as redis,
        ):
            env = {
                **os.environ,
                "DATABASE_URL": url,
                "EPITOME_DATA_DIR": folder,
                "EPITOME_BROKER_URL": redis.url if redis else "",
                "EPITOME_FAKE_SYSTEMS": "1",
                "EPITOME_JOB_LEASE_SECONDS": "2",
                "EPITOME_JOB_POLL_SECONDS": "1",
                "EPITOME_SWEEP_SECONDS": "1",
                "EPITOME_DB_POOL": "0",
                "EPITOME_PLANT": args.plant or "",
                "EPITOME_KILLING_ROLE": args.role,
                "DJANGO_SETTINGS_MODULE": "benchmarks.killing_settings",
            }
            os.environ.update(env)
            fields = {**vars(args), "engine": engine}
            command = [sys.executable, "-c", "import sys; from benchmarks.killing_runs import one; sys.exit(one())"]
            more = {"KILLING": json.dumps(fields), "KILLING_REDIS": str(redis.port) if redis else ""}
            status = subprocess.run(command, env={**env, **more}, cwd=ROOT, check=False).returncode
            right = status == 0 and right
    return 0 if right else 1


class Redis:
    """A Redis server of one's own, in memory only."""

    def __init__(self, port: int) -> None:
        self.port, self.url = port, f"redis://127.0.0.1:{port}/0"
        self.start()

    def start(self) -> None:
        """Returns when it answers; starts it again while the port of one that was killed is not free yet."""
        command = ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
        ping = ["redis-cli", "-p", str(self.port), "PING"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while b"PONG" not in subprocess.run(ping, capture_output=True).stdout:
            if time.monotonic() > until:
                raise RuntimeError(f"redis-server does not answer on port {self.port}")
            if self.process.poll() is not None:
                self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            time.sleep(0.05)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def own_redis(wanted: bool) -> Iterator[Redis | None]:
    """A server on a port of its own, ended in the end; None where none is wanted."""
    if not wanted:
        yield None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Redis(port)
    try:
        yield server
    finally:
        with contextlib.suppress(OSError):
            for pid in _pids_of(f"redis-server 127.0.0.1:{port}"):
                os.kill(pid, signal.SIGKILL)
        server.stop()


def one() -> int:
    """One engine, in a process of its own with the environment set."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connections

    from modelbridge.services.runs import runs
    from modelbridge.services.systems import systems
    from tests.tasks.factories import make_project

    data = json.loads(os.environ["KILLING"])
    call_command("migrate", verbosity=0, run_syncdb=True)
    documents = max(2, data["kills"] * data["per_kill"] // 4)
    if data["role"] == "ranking":
        from tests.rankings.factories import make_ranked_project

        project = make_ranked_project(2 * documents, slug="runs")
    else:
        project = make_project("runs", documents=documents, groups=2, size=2, frozen=True, n_words=100)
    # Slow enough for every flush to find work in hand: each look of `play` takes up to half a second.
    seconds = max(0.15, data["flushes"] * 0.4 * 2 * data["workers"] * BATCH / (documents * 4))
    if data["role"] == "contrastive":
        make_contrastives(project)
    kind = KINDS[data["role"]]
    toml = f'[system]\nkey = "echo"\nkind = "{kind}"\n'
    if kind.startswith("fake"):
        toml += f"[options]\nbatch_size = {BATCH}\nseconds = {seconds:.2f}\n"
    run = runs.start_run(
        project=project,
        revision=systems.register_system(project=project, toml_text=toml, by=None),
        by=None,
        seed=data["seed"],
        over=OVERS.get(data["role"], "phrases"),
        options=QUESTION if data["role"] == "judge" else None,
    )
    connections.close_all()
    start = time.perf_counter()
    crew = Crew(data["workers"])
    try:
        hits, flushes, ended = play(crew, run, data)
    finally:
        crew.end()
    line = {
        "benchmark": "killing_runs",
        **{name: data[name] for name in ("engine", "workers", "broker", "seed", "role", "plant")},
        "seconds": round(time.perf_counter() - start, 1),
        "samples": run.n_samples,
        "kills": sum(hits.values()),
        "hits": {target: hits[target] for target in TARGETS},
        "flushes": flushes,
        "ended": ended,
        **against_the_samples(run),
    }
    print(json.dumps(line), flush=True)
    return 1 if any(line["faults"].values()) or not ended else 0


class Crew:
    """The workers: each a main process with two children, in a group of its own."""

    def __init__(self, size: int) -> None:
        self.groups: set[int] = set()
        self.workers = [self._new() for _ in range(size)]

    def _new(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", "worker", "--queues", "text", "--concurrency", "2"]
        with open(os.environ.get("KILLING_LOG", os.devnull), "ab") as log:
            started = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
        self.groups.add(started.pid)
        return started

    def replace_dead(self) -> None:
        self.workers = [worker if worker.poll() is None else self._new() for worker in self.workers]

    def kill(self, target: str, holder: int) -> bool:
        """End a part of the worker whose process `holder` holds samples; False if it is gone already."""
        host = next(iter(_children_of(holder)), 0)
        victim = {"host": host, "child": holder, "parent": _parent_of(holder), "group": holder}[target]
        try:
            # A number may belong to somebody else by now: only what these workers started is ended.
            if victim <= 1 or os.getpgid(holder) not in self.groups or os.getpgid(victim) != os.getpgid(holder):
                return False
            if target == "group":
                os.killpg(os.getpgid(holder), signal.SIGKILL)
            else:
                os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def end(self) -> None:
        for group in self.groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGKILL)
        for worker in self.workers:
            worker.wait()


def play(crew: Crew, run: Any, told: dict[str, Any]) -> tuple[Counter[str], int, bool]:
    """Kill, flush and start again until the kills are done; then wait for the end of the run."""
    from modelbridge.models import SystemOutput

    chance = random.Random(told["seed"])
    hits: Counter[str] = Counter()
    flushes, last, seen = 0, time.monotonic(), -1
    while time.monotonic() - last < PATIENCE:
        crew.replace_dead()
        run.refresh_from_db()
        if run.state in ("done", "failed"):
            return hits, flushes, True
        count = SystemOutput.objects.filter(run=run, state__in=["done", "failed"]).count()
        last, seen = (time.monotonic(), count) if count != seen else (last, seen)
        time.sleep(chance.uniform(0.02, 0.5))
        holders = list(SystemOutput.objects.filter(run=run, state="leased").values_list("worker", flat=True).distinct())
        here = [pid for pid in {int(holder.split(":")[-2]) for holder in holders} if Path(f"/proc/{pid}").exists()]
        if here and sum(hits.values()) < told["kills"]:
            target = chance.choice(TARGETS)
            hits[target] += crew.kill(target, chance.choice(here))
        if flushes < told["flushes"] and count > (flushes + 1) * run.n_samples // (told["flushes"] + 2):
            flushes += 1
            upset(flushes)
    return hits, flushes, False


def upset(number: int) -> None:
    """Flush Redis; every third time end it and start it again, empty."""
    port = os.environ["KILLING_REDIS"]
    if number % 3:
        subprocess.run(["redis-cli", "-p", port, "FLUSHALL"], check=True, stdout=subprocess.DEVNULL)
        return
    for pid in _pids_of(f"redis-server 127.0.0.1:{port}"):
        os.kill(pid, signal.SIGKILL)
    Redis(int(port))


def against_the_samples(run: Any) -> dict[str, Any]:
    """What stands in the rows, held against what each sample's output must be."""
    from modelbridge.models import SystemOutput
    from modelbridge.services.runs.system_requests import request_of

    rows = SystemOutput.objects.filter(run=run).select_related(
        "sample__document__source_text", "sample__group", "sample__schema_version"
    )
    faults: Counter[str] = Counter(lost=0, doubled=0, swapped=0, failed=0, unexplained=0)
    is_ranking = run.over.startswith("ranking")
    samples: Counter[int] = Counter()
    attempts: Counter[int] = Counter()
    for row in rows.iterator(500):
        samples[row.sample_id] += 1
        attempts[row.attempts] += 1
        if row.state == "done":
            request = request_of(row.sample, run.seed)
            role = "ranking" if is_ranking else run.revision.role
            is_own = is_contrastive_right if run.over == "contrastives" else partial(is_right, role)
            faults["swapped"] += not is_own(request, row)
            is_told = bool(row.told) or is_ranking  # nothing is asked of a ranker of answers
            faults["unexplained"] += not (is_told and row.versions and row.weights and row.seed is not None)
        else:
            faults["failed" if row.state == "failed" else "lost"] += 1
    faults["doubled"] = sum(n > 1 for n in samples.values())
    faults["lost"] += run.n_samples - len(samples)
    return {"faults": dict(faults), "attempts": {str(n): attempts[n] for n in sorted(attempts)}}


def make_contrastives(project: Any) -> None:
    """A gold and two contrastive examples for every sample; every third sample has a second gold with one."""
    from annotation.models import Sample
    from tests.contrastive_report.factories import add_gold

    for number, sample in enumerate(Sample.objects.filter(project=project).order_by("pk")):
        add_gold(sample, f"Gold {number}.", {"G-N": [f"Swapped {number}."], "S-V": [f"Replaced {number}."]})
        if number % 3 == 0:
            add_gold(sample, f"Second gold {number}.", {"G-P": [f"Turned {number}."]})


def is_contrastive_right(request: Any, row: Any) -> bool:
    """Whether a row holds the fake scorer's scores of exactly the golds and contrastive examples of its sample."""
    from dataclasses import replace

    from annotation.models import Annotation, Contrastive
    from epitome.systems.fakes import score_of

    expected = {}
    for gold in Annotation.objects.filter(sample=row.sample_id):
        expected[f"annotation:{gold.pk}"] = gold.payload["summary"]
    for example in Contrastive.objects.filter(sample=row.sample_id):
        expected[f"contrastive:{example.pk}"] = example.text
    items = [row.scores["gold"], *row.scores["texts"].values()]
    sums = {scored["of"]: scored["sum"] for scored in items}
    return len(items) == len(expected) and sums == {
        origin: score_of(replace(request, text=text)).total for origin, text in expected.items()
    }


def is_right(role: str, request: Any, row: Any) -> bool:
    """Whether a row holds what the fake system of its role gives for this request alone."""
    from dataclasses import replace

    from epitome.systems.fakes import answer_of, echo_of, score_of
    from tests.bridge.phrase_set import PHRASES

    if role == "generate":
        return bool(row.text == echo_of(request))
    if role == "ranking":
        return holds_own_list(row)
    if role == "transform":
        return bool(row.text == f"{echo_of(replace(request, text=PHRASES[0]))} {PHRASES[0].upper()}")
    if role == "judge":
        answer = answer_of(replace(request, text=PHRASES[0]), QUESTION["question"], QUESTION["answers"])
        return bool(row.text == answer["text"] and row.scores["label"] == answer["text"])
    sums = {text: score_of(replace(request, text=text)).total for text in PHRASES}
    if role == "score":
        items = [row.scores["gold"], *row.scores["texts"].values()]
        return [scored["sum"] for scored in items] == list(sums.values())
    best_first = [[text, sums[text]] for text in sorted(PHRASES, key=lambda text: -sums[text])]
    return [[row["text"], row["score"]] for row in row.candidates] == best_first


def holds_own_list(row: Any) -> bool:
    """Whether the ranked candidates are those of the row's own list, best first by how often each is gold in train."""
    from annotation.models import RankingList
    from modelbridge.services.runs.ranking_texts import count_train_golds

    listed = RankingList.objects.select_related("release").get(sample=row.sample_id)
    counts = count_train_golds(row.project, listed.release.tag)
    scores = [ranked["score"] for ranked in row.candidates]
    texts = [ranked["text"] for ranked in row.candidates]
    return sorted(texts) == sorted(listed.candidates) and scores == sorted(
        map(counts.get, texts, [0] * len(texts)), reverse=True
    )


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def _parent_of(pid: int) -> int:
    try:
        return int(_stat(pid)[1])
    except OSError:
        return 0


def _children_of(pid: int) -> list[int]:
    items = []
    for path in Path("/proc").glob("[0-9]*"):
        if _parent_of(int(path.name)) == pid:
            items.append(int(path.name))
    return items


def _pids_of(command: str) -> list[int]:
    items = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if command in (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                items.append(int(path.name))
    return items


if __name__ == "__main__":
    sys.exit(main())

"""Web workers die and nothing is lost: python -m benchmarks.kills [--kills 500] [--engine sqlite|postgresql]

gunicorn with its production settings serves the site with crash points (benchmarks/killing.py). Annotators claim, save
drafts and submit over HTTP, each with a log of their own; now and then a call names a point at which its worker is
ended with SIGKILL. Whoever gets no answer sends the same call again until there is one. Then the logs are held against
the database: lost = acknowledged but not stored, doubled = stored more than once, phantom = stored but never sent;
drafts and claims likewise. All must be 0. --plant drop-key | ack-early | garble plants a fault that must be found;
--only submit:before_commit kills at this point of this call alone, so that a few kills are enough to find one.
One JSON line per engine, with the kills that hit per point; exit status 1 if anything is wrong. EPITOME_KILLS_LOG names
a file for what gunicorn said.
"""

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.annotators import PAYLOAD, Connection
from benchmarks.databases import engines, migrate, own_database

ROOT = Path(__file__).resolve().parent.parent
POINTS = (
    "arrived",
    "begun",
    "written",
    "before_commit",
    "after_commit",
    "before_response",
    "half_response",
    "anywhere",
)
PLANTS = ("drop-key", "ack-early", "garble")
DRAFTS = 2
OFTEN = 0.3  # share of the calls that name a crash point
MOST_TRIES = 400


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=["summary", "aggregation"], default="summary")
    parser.add_argument("--plant", choices=PLANTS)
    parser.add_argument("--only", default=":", metavar="CALL:POINT", help="e.g. submit:before_commit")
    args = parser.parse_args()
    right = True
    for engine in [args.engine] if args.engine else engines():
        with tempfile.TemporaryDirectory() as folder, own_database(engine, Path(folder)) as url:
            env = {
                **os.environ,
                "DATABASE_URL": url,
                "EPITOME_DATA_DIR": folder,
                "EPITOME_WRITES_PER_MINUTE": "0",
                "EPITOME_WORKERS": "2",
                "EPITOME_THREADS": "4",
                "EPITOME_KILLS": str(Path(folder) / "kills.txt"),
                "EPITOME_PLANT": args.plant or "",
                "DJANGO_SETTINGS_MODULE": "epitome.site.settings",
                "KILLS": json.dumps({**vars(args), "engine": engine}),
            }
            command = [sys.executable, "-c", "import sys; from benchmarks.kills import one; sys.exit(one())"]
            right = subprocess.run(command, env=env, cwd=ROOT, check=False).returncode == 0 and right
    return 0 if right else 1


def one() -> int:
    """One engine, in a process of its own with the environment set."""
    import django

    django.setup()
    from django.db import connections

    from tests.tasks.factories import make_people, make_project, make_tokens

    data = json.loads(os.environ["KILLS"])
    migrate()
    samples = 8 + data["kills"] * 2 // 3
    shape = {"documents": 1 + samples // 8, "groups": 4, "size": 2, "overlap": 2, "n_words": 200}
    project = make_project("kills", **shape, frozen=True, claim_unit="sample", kind=data["kind"])
    tokens = make_tokens(make_people(data["people"], project))
    connections.close_all()
    plan = Plan(Path(os.environ["EPITOME_KILLS"]), data["kills"], data["only"])
    start = time.perf_counter()
    with serving(Path(os.environ["EPITOME_DATA_DIR"])) as port:
        logs = everybody(port, tokens, plan, data["seed"], data["kind"])
    hits = plan.hits()
    fields = {**against_the_database(project, logs), "unanswered": sum(log.unanswered for log in logs)}
    refused = [item for log in logs for item in log.refused]
    line = {
        "benchmark": "kills",
        **{name: data[name] for name in ("engine", "kind", "people", "seed", "plant")},
        "seconds": round(time.perf_counter() - start, 1),
        "kills": sum(hits.values()),
        "hits": {point: hits[point] for point in POINTS},
        "claimed": sum(len(log.claimed) for log in logs),
        "drafts": sum(log.saves for log in logs),
        "submitted": sum(len(log.acked) for log in logs),
        "resent": sum(log.resent for log in logs),
        "refused": len(refused),
        "first_refused": refused[:3],
        "faults": fields,
    }
    print(json.dumps(line), flush=True)
    return 1 if any(fields.values()) or refused else 0


@dataclass
class Log:
    """What one annotator sent and was answered."""

    claimed: set[str] = field(default_factory=set)
    drafts: dict[str, tuple[str, int]] = field(default_factory=dict)  # task: the last acknowledged text and revision
    sent: set[tuple[str, str]] = field(default_factory=set)  # task and text handed in; a lost task is given out again
    acked: set[tuple[str, str]] = field(default_factory=set)  # task and text whose submit was acknowledged
    saves: int = 0
    resent: int = 0
    unanswered: int = 0
    refused: list[str] = field(default_factory=list)


class Plan:
    """So many kills in all, as many at each point; a call that named a point and did not reach it is none."""

    def __init__(self, path: Path, kills: int, only: str) -> None:
        self.path, self.kills = path, kills
        self.where, _, point = only.partition(":")
        self.points = [point] if point else POINTS
        path.touch()

    def hits(self) -> Counter[str]:
        return Counter(self.path.read_text().split())

    def next(self, rng: random.Random) -> str:
        """A point with the fewest hits; empty when all are done."""
        hits = self.hits()
        fewest = min(hits[point] for point in self.points)
        return (
            "" if hits.total() >= self.kills else rng.choice([point for point in self.points if hits[point] == fewest])
        )

    @property
    def done(self) -> bool:
        return self.hits().total() >= self.kills


class Person:
    """Works until the plan of kills is used up; sends every call again until it is answered."""

    def __init__(self, port: int, token: str, plan: Plan, seed: str, kind: str) -> None:
        self.port, self.token, self.plan, self.kind = port, token, plan, kind
        self.rng = random.Random(seed)
        self.link = Connection(port, token)
        self.log = Log()

    def point(self, path: str) -> str:
        point = self.plan.next(self.rng) if self.plan.where in path and self.rng.random() < OFTEN else ""
        return f"X-Kill: {point}\r\n" if point else ""

    def call(self, method: str, path: str, body: Any = None, extra: str = "") -> tuple[int, Any]:
        data = b"" if body is None else json.dumps(body).encode()
        kill = self.point(path)
        for _try in range(MOST_TRIES):
            try:
                status, _headers, answer = self.link.call(method, path, data, extra + kill)
                if status < 300:
                    return status, json.loads(answer) if answer else None
                self.log.refused.append(f"{method} {path} {status}: {answer[:200]!r}")
                if status < 500:
                    return status, None
            except (OSError, ValueError):
                self.link = Connection(self.port, self.token)
            kill = ""
            self.log.resent += 1
            time.sleep(self.rng.uniform(0.005, 0.05))
        self.log.unanswered += 1
        return 0, None

    def work(self) -> None:
        while not self.plan.done:
            status, task = self.call("POST", "projects/kills/assignments/claim/")
            if status not in (200, 201):
                return
            self.log.claimed.add(task["id"])
            self.write(task["id"])

    def write(self, task: str) -> None:
        revision, text = 0, ""
        for n in range(DRAFTS):
            text = f"{uuid.uuid4()} the ferry left late, draft {n}."
            draft = {"answers": [text]} if self.kind == "aggregation" else {"summary": text}
            body = {"revision": revision, "payload": draft}
            status, saved = self.call("PUT", f"assignments/{task}/draft/", body)
            if status == 200:
                revision = saved["revision"]
                self.log.drafts[task] = (text, revision)
                self.log.saves += 1
        self.log.sent.add((task, text))
        is_named = self.kind == "aggregation"
        body = {"payload": {"answers": [text], "cannot": False} if is_named else {**PAYLOAD, "summary": text}}
        status, _completed = self.call(
            "POST", f"assignments/{task}/submit/", body, f"Idempotency-Key: {uuid.uuid4()}\r\n"
        )
        if status == 201:
            self.log.acked.add((task, text))


def everybody(port: int, tokens: list[str], plan: Plan, seed: int, kind: str) -> list[Log]:
    people = [Person(port, token, plan, f"{seed}:{n}", kind) for n, token in enumerate(tokens)]
    threads = [threading.Thread(target=item.work, daemon=True) for item in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [item.log for item in people]


def against_the_database(project: Any, logs: list[Log]) -> dict[str, int]:
    """What the logs say against what is stored; 0 everywhere is right."""
    from annotation.kinds import get_task_kind
    from annotation.models import Annotation, Assignment, Draft, RefusedDraft
    from benchmarks.checking import faults

    rows = Annotation.objects.filter(project=project).values_list("assignment__public_id", "payload")
    text_of = get_task_kind(project.kind, has_sample=True).text_of
    stored = Counter((str(task), text_of(payload)) for task, payload in rows)
    acked = {pair for log in logs for pair in log.acked}
    sent = {pair for log in logs for pair in log.sent}
    drafts = {
        str(task): (text_of(payload), revision)
        for task, payload, revision in Draft.objects.filter(assignment__project=project).values_list(
            "assignment__public_id", "payload", "revision"
        )
    }
    expected = {task: last for log in logs for task, last in log.drafts.items()}
    attempts = {
        str(assignment) for assignment in Assignment.objects.filter(project=project).values_list("public_id", flat=True)
    }
    claimed = {task for log in logs for task in log.claimed}
    return {
        "lost": sum(pair not in stored for pair in acked),
        "doubled": sum(n > 1 for n in stored.values()),
        "phantom": sum(pair not in sent for pair in stored),
        "lost_drafts": sum(drafts.get(task, ("", 0))[0] != text for task, (text, _n) in expected.items()),
        "doubled_drafts": sum(drafts[task][1] != DRAFTS for task in expected if task in drafts),
        "phantom_drafts": len(drafts.keys() - expected.keys()),
        "refused_drafts": RefusedDraft.objects.filter(assignment__project=project).count(),
        "lost_claims": len(claimed - attempts),
        "phantom_claims": len(attempts - claimed),
        **faults(project),
    }


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[int]:
    """gunicorn with crash points on a free port, until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    env = {**os.environ, "EPITOME_BIND": f"127.0.0.1:{port}"}
    command = [sys.executable, "-m", "gunicorn", "-c", "epitome/site/gunicorn_conf.py", "benchmarks.killing"]
    with (folder / "gunicorn.txt").open("wb") as result:
        server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=result, stderr=result)
        try:
            wait_for(port, server, folder)
            yield port
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
            if keep := os.environ.get("EPITOME_KILLS_LOG"):
                shutil.copy(folder / "gunicorn.txt", keep)


def wait_for(port: int, server: "subprocess.Popen[bytes]", folder: Path) -> None:
    for _try in range(300):
        if server.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    raise SystemExit(f"gunicorn did not start: {(folder / 'gunicorn.txt').read_text()[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())

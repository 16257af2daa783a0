"""PostgreSQL ends connections under load: python -m benchmarks.cuts [--cuts 231] [--seconds 30] [--people 16]

gunicorn with its production settings (epitome/site/gunicorn_conf.py) serves the site from a database of its own
(EPITOME_TEST_DATABASE_URL names the server). Annotators claim, open and submit over HTTP while one backend after the
other is ended with pg_terminate_backend; whoever is answered 5xx sends the same call again, a submit with the same
key. Then the acknowledged summaries are compared with the stored ones. Prints one JSON line with the answers by status;
exit status 1 if any answer was 500, or if a summary was lost, doubled or stored without being sent.
"""

import argparse
import json
import os
import random
import sys
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from benchmarks.annotators import PAYLOAD, Connection
from benchmarks.databases import migrate, run_served

SLUG = "cuts"
PAUSE = 0.05
MAX_TRIES = 400


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=231)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--people", type=int, default=16)
    parser.add_argument("--documents", type=int, default=500, help="of eight samples each, for two summaries each")
    args = parser.parse_args()
    return run_served("benchmarks.cuts", "CUTS", vars(args))


def run_here() -> int:
    """The benchmark, in a process of its own with the environment set."""
    import django

    django.setup()
    from benchmarks.load import serving
    from tests.tasks.factories import make_people, make_project, make_tokens

    options = json.loads(os.environ["CUTS"])
    migrate()
    project = make_project(
        SLUG, documents=options["documents"], groups=4, size=2, overlap=2, frozen=True, claim_unit="sample", n_words=200
    )
    tokens = make_tokens(make_people(options["people"], project))
    with serving() as (port, _server):
        deadline = time.monotonic() + options["seconds"]
        clients = [Client(port, token, deadline) for token in tokens]
        cuts = run_all(clients, options["cuts"], options["seconds"])
    line = {
        "benchmark": "cuts",
        **options,
        "cuts": cuts,
        "answers": dict(sorted(sum((client.log.statuses for client in clients), Counter()).items())),
        "resent": sum(client.log.resent for client in clients),
        **compare_with_database(project, [client.log for client in clients]),
        "first_refused": [text for client in clients for text in client.log.refused][:3],
    }
    print(json.dumps(line), flush=True)
    right = line["acknowledged"] == line["stored"] and not any(line["faults"].values())
    return 0 if right and "500" not in line["answers"] else 1


@dataclass
class Log:
    """What one annotator sent and was answered."""

    statuses: Counter[str] = field(default_factory=Counter)
    sent: set[str] = field(default_factory=set)
    acknowledged: set[str] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    resent: int = 0
    seconds: dict[str, list[float]] = field(default_factory=dict)  # by kind of request, of those that were answered


class Client:
    """Claims, opens and submits until the time is over; sends every call again until it is answered below 500."""

    slug = SLUG

    def __init__(self, port: int, token: str, deadline: float) -> None:
        self.port, self.token, self.deadline = port, token, deadline
        self.link = Connection(port, token)
        self.log = Log()

    def call(self, method: str, path: str, body: Any = None, extra: str = "") -> tuple[int, Any]:
        return self.send("call", method, path, body, extra)

    def send(self, kind: str, method: str, path: str, body: Any = None, extra: str = "") -> tuple[int, Any]:
        """A request with a body in JSON, and its answer."""
        data = b"" if body is None else json.dumps(body).encode()
        status, _headers, answer = self.ask(kind, method, path, data, extra)
        return status, json.loads(answer) if answer else None

    def ask(
        self, kind: str, method: str, path: str, data: bytes = b"", extra: str = ""
    ) -> tuple[int, dict[str, str], bytes]:
        for _try in range(MAX_TRIES):
            begun = time.perf_counter()
            try:
                status, headers, answer = self.link.call(method, path, data, extra)
            except (OSError, ValueError):
                self.log.statuses["no answer"] += 1
                self.link = Connection(self.port, self.token)
            else:
                self.log.statuses[str(status)] += 1
                self.log.seconds.setdefault(kind, []).append(time.perf_counter() - begun)
                if status < 500:
                    return status, headers, answer
                self.log.refused.append(f"{method} {path} {status}: {answer[:200]!r}")
            self.log.resent += 1
            time.sleep(random.uniform(0, PAUSE))
        raise SystemExit(f"{method} {path}: no answer below 500 in {MAX_TRIES} tries")

    def work(self) -> None:
        while time.monotonic() < self.deadline:
            status, task = self.call("POST", f"projects/{self.slug}/assignments/claim/")
            if status not in (200, 201):
                return
            self.call("GET", f"assignments/{task['id']}/")
            text = self.write(task["id"])
            self.log.sent.add(text)
            body = {"payload": {**PAYLOAD, "summary": text}}
            key = f"Idempotency-Key: {uuid.uuid4()}\r\n"
            status, _completed = self.call("POST", f"assignments/{task['id']}/submit/", body, key)
            if status == 201:
                self.log.acknowledged.add(text)

    def write(self, _task: str) -> str:
        """The text of the summary."""
        return f"{uuid.uuid4()} the ferry left late."


def run_all(clients: list[Client], cuts: int, seconds: float) -> int:
    """Let all work while connections are cut; returns the number of backends ended."""
    threads = [threading.Thread(target=client.work, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    ended = cut_connections(cuts, seconds)
    for thread in threads:
        thread.join()
    return ended


def cut_connections(cuts: int, seconds: float) -> int:
    """End so many backends of the database, evenly over the time, each chosen at random."""
    import psycopg

    ended, start = 0, time.monotonic()
    statement = (
        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY random() LIMIT 1) AS chosen"
    )
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        while ended < cuts and time.monotonic() - start < 2 * seconds:
            time.sleep(max(0.001, start + ended * seconds / cuts - time.monotonic()))
            ended += len(connection.execute(statement).fetchall())
    return ended


def compare_with_database(project: Any, logs: list[Log]) -> dict[str, Any]:
    """Acknowledged against stored summaries; every fault must be 0."""
    from annotation.models import Annotation
    from benchmarks.checking import faults

    rows = Annotation.objects.filter(project=project).values_list("payload", flat=True)
    stored = Counter(payload["summary"] for payload in rows)
    acknowledged = {text for log in logs for text in log.acknowledged}
    sent = {text for log in logs for text in log.sent}
    return {
        "acknowledged": len(acknowledged),
        "stored": stored.total(),
        "faults": {
            "lost": len(acknowledged - stored.keys()),
            "doubled": sum(n > 1 for n in stored.values()),
            "phantom": len(stored.keys() - sent),
            **faults(project),
        },
    }


if __name__ == "__main__":
    sys.exit(main())

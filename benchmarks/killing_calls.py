"""Workers killed while calls are paid for: python -m benchmarks.killing_calls [--calls 1000] [--kills 50]

A construction asks a chat server of our own for rewrites of as many papers. At random moments, and only while calls are
under way, SIGKILL ends the command with its whole process group (`group`), or the process that sends the calls as well
(`both`, as when a machine dies); then the command is started again. The server counts what it has answered, which is
what a provider charges for. One JSON line: `charged_again`, answers beyond one per call; `lost`, calls without their
own answer; `unrecorded`, calls charged again that the rows do not count as interrupted. With --gateway the server
answers a known Idempotency-Key from its store. Exit status 1 where anything is lost or unrecorded, a stored answer was
asked for again, or (except with `both` and no gateway) anything was charged twice."""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.databases import engines, own_database

ROOT = Path(__file__).resolve().parent.parent
TARGETS = ("group", "both")
SECONDS_PER_CALL = 0.15
CONCURRENCY = 4
PATIENCE = 600
"""Seconds without any answer after which it is given up; a bound, not a measurement."""
TOML = f"""
[system]
key = "rewriter"
kind = "chat-rewrite"
[options]
server = "lab"
model = "tiny"
attempts = 1
concurrency = {CONCURRENCY}
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=["sqlite", "postgresql"])
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--target", choices=TARGETS, default="group")
    parser.add_argument("--gateway", action="store_true", help="the server knows idempotency keys")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    status = 0
    for engine in [options.engine] if options.engine else engines():
        with tempfile.TemporaryDirectory() as folder, own_database(engine, Path(folder)) as url:
            env = {
                **os.environ,
                "DATABASE_URL": url,
                "EPITOME_DATA_DIR": folder,
                "EPITOME_JOB_LEASE_SECONDS": "5",
                "EPITOME_DB_POOL": "0",
                "DJANGO_SETTINGS_MODULE": "benchmarks.killing_settings",
            }
            command = [sys.executable, "-c", "import sys; from benchmarks.killing_calls import one; sys.exit(one())"]
            settings = json.dumps({**vars(options), "engine": engine, "folder": folder})
            completed = subprocess.run(command, env={**env, "KILLING": settings}, cwd=ROOT, check=False)
            status = status or completed.returncode
    return status


def one() -> int:
    """One engine, in a process of its own with the environment set."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connections

    from tests.construction.rule_server import RuleServer

    options = json.loads(os.environ["KILLING"])
    call_command("migrate", verbosity=0, run_syncdb=True)
    import_papers(options["calls"], Path(options["folder"]))
    connections.close_all()
    server = RuleServer(seconds=SECONDS_PER_CALL, remembers=options["gateway"])
    os.environ["EPITOME_CHAT_SERVERS"] = f"lab={server.base}"
    config = Path(options["folder"]) / "rewriter.toml"
    config.write_text(TOML, encoding="utf-8")
    begin = time.perf_counter()
    try:
        kills = play(server, options, ["--system", str(config)])
    finally:
        seconds = round(time.perf_counter() - begin, 1)
        server.close()
    by_key = {name: options[name] for name in ("engine", "calls", "target", "gateway", "seed")}
    line = {"benchmark": "killing_calls", **by_key, "seconds": seconds, "kills": len(kills), **compare(server, kills)}
    print(json.dumps(line), flush=True)
    may_charge_again = options["target"] == "both" and not options["gateway"]
    faults = line["lost"] + line["unrecorded"] + line["asked_although_stored"]
    return 1 if faults or (line["charged_again"] and not may_charge_again) else 0


def import_papers(n: int, folder: Path) -> None:
    """A project with n papers: those of the tests, numbered, so that no two abstracts are the same."""
    from annotation.jobs import NoProgress
    from annotation.services.people.projects import create_project
    from annotation.services.sources import papers
    from tests.construction.make_papers import list_papers, write_papers

    texts = list_papers()
    rows = [
        {**texts[place % len(texts)], "id": f"paper-{place}", "abstract": f"{place}. {texts[place % 30]['abstract']}"}
        for place in range(n)
    ]
    path = write_papers(folder / "papers.jsonl", rows)
    project = create_project(slug="papers", schema="ccsbench")
    options = papers.PaperOptions()
    papers.import_papers(project=project, files=[(path, path.name)], options=options, progress=NoProgress())


class Command:
    """The command that works on the step, in a group of its own."""

    def __init__(self, arguments: list[str]) -> None:
        command = [sys.executable, "manage.py", "construct_ccsbench", "papers", "readability", *arguments]
        with open(os.environ.get("KILLING_LOG", os.devnull), "ab") as log:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)

    def kill(self, *, with_caller: bool) -> None:
        """End its group; with_caller: first the process that sends the calls, which has a group of its own."""
        callers = _children_of(self.process.pid) if with_caller else []
        for pid in (*callers, self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        self.process.wait()


def _children_of(pid: int) -> list[int]:
    with contextlib.suppress(OSError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def play(server: Any, options: dict[str, Any], arguments: list[str]) -> list[dict[str, Any]]:
    """Kill and start again until the step has ended; (calls under way, conversations stored) at every kill."""
    chance = random.Random(options["seed"])
    kills: list[dict[str, Any]] = []
    marks = sorted(chance.sample(range(options["calls"]), options["kills"]))
    command = Command(arguments)
    while marks:
        mark = marks.pop(0)
        wait_until(lambda mark=mark: server.under_way and len(server.answered) >= mark)
        time.sleep(chance.random() * SECONDS_PER_CALL)
        under_way = server.under_way
        command.kill(with_caller=options["target"] == "both")
        kills.append({"under_way": under_way, "stored": stored_hashes(), "n_asked": len(server.asked)})
        command = Command(arguments)
    if command.process.wait(PATIENCE):
        raise RuntimeError("the command did not end well; KILLING_LOG=FILE shows why")
    return kills


def wait_until(is_so: Any) -> None:
    until = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > until:
            raise RuntimeError("nothing is asked any more; KILLING_LOG=FILE shows why")
        time.sleep(0.005)


def stored_hashes() -> set[str]:
    from django.db import connections

    from modelbridge.models import Rewrite

    hashes = set(Rewrite.objects.done().values_list("prompt_hash", flat=True))
    connections.close_all()
    return hashes


def compare(server: Any, kills: list[dict[str, Any]]) -> dict[str, Any]:
    """What the server charged for against what the rows have."""
    from epitome.prompts.rewrites import hash_conversation
    from modelbridge.models import Rewrite
    from tests.construction.rule_server import simplify

    results = [hash_conversation(request["messages"]) for request in server.asked]
    charged = Counter(hash_conversation(json.loads(conversation)) for conversation in server.answered)
    rows = list(Rewrite.objects.all())
    right = [row for row in rows if row.state == "done" and row.texts == {"summary": simplify(row.text)}]
    interrupted = {row.prompt_hash for row in rows if row.interrupted}
    again = {key for key, n in charged.items() if n > 1}
    return {
        "under_way_at_kills": sum(kill["under_way"] for kill in kills),
        "charged": sum(charged.values()),
        "charged_again": sum(charged.values()) - len(charged),
        "interrupted": sum(row.interrupted for row in rows),
        "unrecorded": len(again - interrupted),
        "asked_although_stored": sum(len(kill["stored"] & set(results[kill["n_asked"] :])) for kill in kills),
        "lost": len(rows) - len(right),
    }


if __name__ == "__main__":
    sys.exit(main())

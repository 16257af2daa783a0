"""Annotators who write: claim, three draft saves, a heartbeat, submit; at once or paced. For benchmarks.load --drafts.

Paced annotators each send `PER_WINDOW` requests in `WINDOW` seconds, spread evenly and each in a place of its own, as
people at work do; a request that is late is sent at once and the next ones keep their places.
"""

import json
import threading
import time
import uuid
from dataclasses import dataclass, field

from benchmarks.annotators import MOST_WAITS, PAYLOAD, Connection

CALLS = ("claim", "draft", "heartbeat", "submit")
DRAFTS = 3
WINDOW, PER_WINDOW = 30.0, 6
TARGET_P95 = 200.0
PASTES = [{"size": 40, "origin": "source"}]


@dataclass
class Tally:
    """What one annotator saw: seconds by call, ids of stored annotations, whatever was not the expected answer."""

    calls: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in CALLS})
    stored: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    locked: int = 0
    waits: int = 0


class Pace:
    """When this annotator's next request is due; without a window at once."""

    def __init__(self, place: float, window: float) -> None:
        self.step, self.place = window / PER_WINDOW, place
        self.next = 0.0

    def begin(self) -> None:
        self.next = time.perf_counter() + self.place * self.step

    def wait(self) -> None:
        if not self.step:
            return
        time.sleep(max(0.0, self.next - time.perf_counter()))
        self.next += self.step


class Refused(Exception):
    """An answer that was not expected."""


def write_one(link: Connection, slug: str, tally: Tally, pace: Pace) -> bool:
    """One whole task; False when there is none for this person any more."""
    for _look in range(MOST_WAITS):
        status, headers, body = timed(link, tally, pace, "claim", "POST", f"projects/{slug}/assignments/claim/")
        if status != 204:
            break
        if headers.get("x-reason") != "leased":
            return False
        tally.waits += 1
        time.sleep(0.02)
    else:
        return False
    task = json.loads(body)["id"]
    words = PAYLOAD["summary"].split()
    for number in range(DRAFTS):
        text = " ".join(words[: (number + 1) * len(words) // DRAFTS])
        counts = {"page": "bench", "typed": len(text), "deleted": number, "bursts": 1, "longest_burst": len(text)}
        draft = {
            "revision": number,
            "payload": {"summary": text},
            "step": "write",
            "authorship": {**counts, "pastes": PASTES},
        }
        timed(link, tally, pace, "draft", "PUT", f"assignments/{task}/draft/", draft)
    timed(link, tally, pace, "heartbeat", "POST", f"assignments/{task}/heartbeat/", {"step": "mark", "active": True})
    key = f"Idempotency-Key: {uuid.uuid4()}\r\n"
    _status, _headers, body = timed(
        link, tally, pace, "submit", "POST", f"assignments/{task}/submit/", {"payload": PAYLOAD}, key
    )
    tally.stored.append(json.loads(body)["id"])
    return True


def timed(
    link: Connection, tally: Tally, pace: Pace, name: str, method: str, path: str, sent: object = None, extra: str = ""
) -> tuple[int, dict[str, str], bytes]:
    pace.wait()
    start = time.perf_counter()
    answer = link.call(method, path, b"" if sent is None else json.dumps(sent).encode(), extra)
    tally.calls[name].append(time.perf_counter() - start)
    status, _headers, body = answer
    tally.locked += b"database is locked" in body
    if status not in (200, 201, 204):
        raise Refused(f"{name} {status}: {body[:200]!r}")
    return answer


def work(
    port: int,
    token: str,
    slug: str,
    todo: list[int],
    gate: threading.Barrier,
    tally: Tally,
    place: float,
    window: float,
) -> None:
    link = Connection(port, token)
    gate.wait()
    pace = Pace(place, window)
    pace.begin()
    while True:
        try:
            todo.pop()
        except IndexError:
            return
        try:
            if not write_one(link, slug, tally, pace):
                return
        except (Refused, OSError, ValueError, KeyError) as error:
            tally.errors.append(f"{type(error).__name__}: {error}")
            link = Connection(port, token)


def run(port: int, tokens: list[str], slug: str, tasks: int, *, paced: bool) -> tuple[float, Tally]:
    """All annotators until `tasks` are done; returns the seconds and everything they saw."""
    window = WINDOW if paced else 0.0
    gate = threading.Barrier(len(tokens) + 1)
    todo = [0] * tasks
    tallies = [Tally() for _token in tokens]
    threads = [
        threading.Thread(
            target=work, args=(port, token, slug, todo, gate, tally, number / len(tokens), window), daemon=True
        )
        for number, (token, tally) in enumerate(zip(tokens, tallies, strict=True))
    ]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    other_tally = Tally(waits=sum(tally.waits for tally in tallies), locked=sum(tally.locked for tally in tallies))
    for new_tally in tallies:
        other_tally.stored += new_tally.stored
        other_tally.errors += new_tally.errors
        for name in CALLS:
            other_tally.calls[name] += new_tally.calls[name]
    return seconds, other_tally


def show(found: dict) -> None:
    print(f"\n{found['engine']}  settings {found['settings']}, load average {found['load_average']:.1f}")
    print(f"queries {found['queries']}  memory idle {found['idle_mb']} MB, after {found['loaded_mb']} MB")
    print(
        "samples  people  paced  tasks  tasks/s  req/s | any p50   p95 |"
        " claim p95 draft p95 beat p95 submit p95 | errors"
    )
    for run in found["runs"]:
        ms = [run[f"{name}_ms"]["p95"] for name in ("claim", "draft", "heartbeat", "submit")]
        print(
            f"{run['samples']:7} {run['annotators']:7} {run['paced']!s:>6} {run['tasks']:6} {run['tasks_per_s']:8}"
            f" {run['requests_per_s']:6} | {run['request_ms']['p50']:7} {run['request_ms']['p95']:5} |"
            f" {ms[0]:9} {ms[1]:9} {ms[2]:8} {ms[3]:10} | {run['errors']:6}"
        )
    slow = [run for run in found["runs"] if run["paced"] and run["request_ms"]["p95"] > TARGET_P95]
    locked = sum(run["locked"] for run in found["runs"])
    print(f"locked answers: {locked}; paced runs with a p95 over {TARGET_P95:.0f} ms: {len(slow)}")
    print(f"checks: {found['checks']}")

"""Lean annotators over HTTP: one thread and one kept connection each, so that they take little of the machine."""

import json
import socket
import threading
import time
import uuid
from dataclasses import dataclass, field

API = "/api/v1/"
MOST_WAITS = 500
SUMMARY = "The night ferry left the harbour late because a storm had closed the outer channel for hours. " * 3
PAYLOAD = {
    "summary": SUMMARY,
    "title": "The late ferry",
    "relevant_segments": [0, [2, 5]],
    "spans": [],
    "confirmed_segments": True,
    "reread": True,
}


class Connection:
    """A kept HTTP/1.1 connection that understands Content-Length and nothing else. credential: a token for the API, or
    the session cookie of a browser, as name=value."""

    def __init__(self, port: int, credential: str) -> None:
        self.port = port
        self.headers = f"Authorization: Token {credential}\r\n"
        if "=" in credential:
            csrf = "c" * 32
            self.headers = f"Cookie: {credential}; csrftoken={csrf}\r\nX-CSRFToken: {csrf}\r\n"
        self.socket: socket.socket | None = None
        self.task = ""  # the one that the last answer brought

    def _open(self) -> socket.socket:
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self.socket

    def call(self, method: str, path: str, body: bytes = b"", extra: str = "") -> tuple[int, dict[str, str], bytes]:
        sent_as = "" if "Content-Type:" in extra else "Content-Type: application/json\r\n"
        head = (
            f"{method} {path if path.startswith('/') else API + path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self.headers}"
            f"{sent_as}Content-Length: {len(body)}\r\n{extra}\r\n"
        )
        line = self._open()
        line.sendall(head.encode() + body)
        return self._answer(line)

    def _answer(self, line: socket.socket) -> tuple[int, dict[str, str], bytes]:
        data = b""
        while b"\r\n\r\n" not in data:
            more = line.recv(65536)
            if not more:
                raise ConnectionError("closed before the answer")
            data += more
        raw, _, rest = data.partition(b"\r\n\r\n")
        first, *lines = raw.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (row.partition(":") for row in lines)}
        length = int(headers.get("content-length", "0"))
        items, size = [rest], len(rest)
        while size < length:
            more = line.recv(65536)
            if not more:
                raise ConnectionError("closed inside the answer")
            items.append(more)
            size += len(more)
        if headers.get("connection", "").lower() == "close":
            line.close()
            self.socket = None
        return int(first.split(" ", 2)[1]), headers, b"".join(items)


@dataclass
class Tally:
    """What one annotator saw: seconds per call, ids of stored annotations, unexpected answers."""

    fresh: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    submits: list[float] = field(default_factory=list)
    tasks: list[float] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    waits: int = 0


def work(port: int, token: str, slug: str, todo: list[int], gate: threading.Barrier, tally: Tally, way: str) -> None:
    """Claim and submit until `todo` is used up by all or there is nothing left."""
    link = Connection(port, token)
    one_task = ONE_TASK[way]
    gate.wait()
    while True:
        try:
            todo.pop()
        except IndexError:
            return
        try:
            if not one_task(link, slug, tally):
                return
        except (OSError, ValueError, KeyError) as error:
            tally.errors.append(f"{type(error).__name__}: {error}")
            link = Connection(port, token)


def one_task(link: Connection, slug: str, tally: Tally) -> bool:
    """One task; False when there is none for this person any more."""
    for _look in range(MOST_WAITS):
        start = time.perf_counter()
        status, headers, body = link.call("POST", f"projects/{slug}/assignments/claim/")
        claimed = time.perf_counter()
        if status != 204:
            break
        if headers.get("x-reason") != "leased":
            return False
        tally.waits += 1
        time.sleep(0.02)
    else:
        return False
    if status not in (200, 201):
        tally.errors.append(f"claim {status}: {body[:200]!r}")
        return True
    (tally.fresh if status == 201 else tally.again).append(claimed - start)
    task = json.loads(body)["id"]
    sent = json.dumps({"payload": PAYLOAD}).encode()
    key = f"Idempotency-Key: {uuid.uuid4()}\r\n"
    started_before = time.perf_counter()
    status, _headers, body = link.call("POST", f"assignments/{task}/submit/", sent, key)
    started = time.perf_counter()
    if status != 201:
        tally.errors.append(f"submit {status}: {body[:200]!r}")
        return True
    tally.submits.append(started - started_before)
    tally.tasks.append(claimed - start + started - started_before)
    tally.stored.append(json.loads(body)["id"])
    return True


def submit_and_next(link: Connection, slug: str, tally: Tally) -> bool:
    """One task, and the next one with its answer; the first of all is claimed outside the measured time."""
    browser = "Cookie" in link.headers
    if not link.task:
        link.task = first_task(link, slug, browser)
    body = json.dumps({"payload": PAYLOAD} if browser else {"payload": PAYLOAD, "next": "task"}).encode()
    path = f"/tasks/{link.task}/submit/" if browser else f"assignments/{link.task}/submit/"
    start = time.perf_counter()
    status, _headers, raw = link.call("POST", path, body, f"Idempotency-Key: {uuid.uuid4()}\r\n")
    seconds = time.perf_counter() - start
    if status != 201:
        tally.errors.append(f"submit {status}: {raw[:200]!r}")
        link.task = ""
        return True
    answer = json.loads(raw)
    tally.tasks.append(seconds)
    tally.submits.append(seconds)
    tally.stored.append(answer["id"])
    following = (answer.get("page") or {}).get("task") if browser else answer["task"]
    link.task = following["id"] if following else ""
    return following is not None


def first_task(link: Connection, slug: str, browser: bool) -> str:
    if not browser:
        return str(json.loads(link.call("POST", f"projects/{slug}/assignments/claim/")[2])["id"])
    _status, headers, _body = link.call("POST", f"/p/{slug}/next/")
    link.call("GET", headers["location"])
    return headers["location"].rstrip("/").rsplit("/", 1)[1]


ONE_TASK = {"calls": one_task, "next": submit_and_next, "browser": submit_and_next}


def run(port: int, tokens: list[str], slug: str, tasks: int, way: str = "calls") -> tuple[float, Tally]:
    """All annotators at once until `tasks` are done; returns the seconds and everything they saw."""
    gate = threading.Barrier(len(tokens) + 1)
    todo = [0] * tasks
    tallies = [Tally() for _token in tokens]
    threads = [
        threading.Thread(target=work, args=(port, token, slug, todo, gate, tally, way), daemon=True)
        for token, tally in zip(tokens, tallies, strict=True)
    ]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - start
    other_tally = Tally(waits=sum(tally.waits for tally in tallies))
    for new_tally in tallies:
        for name in ("fresh", "again", "submits", "tasks", "stored", "errors"):
            getattr(other_tally, name).extend(getattr(new_tally, name))
    return seconds, other_tally

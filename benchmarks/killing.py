"""The site with crash points, for benchmarks/kills.py alone: gunicorn loads this module in place of epitome.site.wsgi.

A request that names a point in X-Kill ends its worker there with SIGKILL, once the point is reached; the point is
written to the file that EPITOME_KILLS names first, so that only kills of work in flight count. The production
settings never import this module.

Points: arrived (before the application), begun (after BEGIN), written (after the first INSERT or UPDATE),
before_commit, after_commit, before_response, half_response (after half of the body), anywhere (some milliseconds in).
EPITOME_PLANT plants a fault that the checks must find: drop-key, ack-early, garble.
"""

import json
import os
import random
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.transaction import Atomic

from epitome.site.wsgi import application as site

LOG = os.environ["EPITOME_KILLS"]
PLANT = os.environ.get("EPITOME_PLANT", "")
ANYWHERE = 0.03  # seconds; about as long as a call takes on a busy machine
Environ = dict[str, Any]
armed = threading.local()


def die(point: str) -> None:
    """Write down the point, then end the process as a power button would."""
    log = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(log, f"{point}\n".encode())
    os.kill(os.getpid(), signal.SIGKILL)


def reached(point: str) -> None:
    if getattr(armed, "point", "") == point:
        die(point)


def watch_statements(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    result = execute(sql, params, many, context)
    if sql.lstrip()[:6].upper() in ("INSERT", "UPDATE"):
        reached("written")
    return result


def watch_transactions() -> None:
    commit, enter = BaseDatabaseWrapper.commit, Atomic.__enter__

    def watched_commit(self: Any) -> None:
        reached("before_commit")
        commit(self)
        reached("after_commit")

    def watched_enter(self: Any) -> None:
        enter(self)
        reached("begun")

    BaseDatabaseWrapper.commit = watched_commit  # type: ignore[method-assign]
    Atomic.__enter__ = watched_enter  # type: ignore[method-assign]


def application(environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
    point = environ.get("HTTP_X_KILL", "")
    if PLANT == "ack-early" and environ["PATH_INFO"].endswith("/submit/"):
        return acknowledged_first(environ, start_response, point)
    return answer(environ, start_response, point)


def answer(environ: Environ, start_response: Callable[..., Any], point: str) -> Iterator[bytes]:
    """The site's answer, unless the worker dies on the way."""
    armed.point = point
    over = threading.Event()
    if point == "anywhere":
        timer = threading.Timer(random.uniform(0, ANYWHERE), lambda: over.is_set() or die(point))
        timer.daemon = True
        timer.start()
    reached("arrived")
    with connection.execute_wrapper(watch_statements):
        result = site(environ, start_response)
        body = b"".join(result)
        result.close()
    reached("before_response")
    half = len(body) // 2
    yield body[:half]
    reached("half_response")
    armed.point = ""
    over.set()
    yield body[half:]


def acknowledged_first(environ: Environ, start_response: Callable[..., Any], point: str) -> Iterator[bytes]:
    """Planted: the answer is sent before anything is stored."""
    body = json.dumps({"id": "early", "next": None}).encode()
    start_response("201 Created", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    yield body
    for _item in answer(environ, lambda *_head: None, point):
        pass


def submit_part(name: str) -> Callable[..., Any]:
    from annotation.services.tasks import submit

    result: Callable[..., Any] = getattr(submit, name)
    return result


def replace_in_submit(**functions: Callable[..., Any]) -> None:
    """Put faulty functions in the place of parts of the submit, which must exist under these names."""
    from annotation.services.tasks import submit

    for name, function in functions.items():
        submit_part(name)
        setattr(submit, name, function)


def without_keys() -> None:
    """Planted: a submit that comes again is stored again.

    Replaces private functions of the submit on purpose: the fault must be where no public call can put it. A function
    that is renamed stops the benchmark with an AttributeError (`submit_part`).
    """
    import uuid

    from annotation.models import AssignmentState, Slot

    insert = submit_part("_insert_annotation")
    numbers = iter(range(2, 10**9))
    AssignmentState.LATE = (*AssignmentState.LATE, AssignmentState.SUBMITTED)
    AssignmentState.WRITABLE = (*AssignmentState.WRITABLE, AssignmentState.SUBMITTED)
    replace_in_submit(
        _fill_slot=lambda own: Slot.objects.filter(pk=own.slot_id).update(state="filled") and own.slot_id,
        _find_stored_answer=lambda *_arguments: None,
        _earlier_revisions=lambda _own: [(os.getpid() * 10_000 + next(numbers), {})],
        _insert_annotation=lambda *arguments, **more: insert(*arguments, **{**more, "key": uuid.uuid4().hex}),
    )


def garbled() -> None:
    """Planted: what is stored is not quite what was sent."""
    from dataclasses import replace

    insert = submit_part("_insert_annotation")

    def spoiled(assignment: Any, done: Any, answer: Any, **more: Any) -> None:
        text = done.payload["summary"].replace("e", "a")
        insert(assignment, replace(done, payload={**done.payload, "summary": text}), answer, **more)

    replace_in_submit(_insert_annotation=spoiled)


watch_transactions()
{"drop-key": without_keys, "garble": garbled}.get(PLANT, lambda: None)()

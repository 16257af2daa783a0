"""New connections go to the web process that holds fewest; what ended or hangs takes nothing from the others."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from epitome.site.connection_shares import LONGEST_WAIT, SLOTS, WAIT_STEP, choose_wait, forget_process, note_connections

ROOT = Path(__file__).resolve().parent.parent
CONNECTIONS = 30

APP = """
import os
from epitome.site import connection_shares
# So long that the other process asks in time on a busy machine too.
connection_shares.WAIT_STEP = connection_shares.LONGEST_WAIT = 0.1
def application(environ, start_response):
    body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Length", str(len(body)))])
    return [body]
"""


@pytest.fixture(autouse=True)
def empty_board():
    for process in range(SLOTS):
        forget_process(process)
    yield
    for process in range(SLOTS):
        forget_process(process)


def test_a_process_alone_never_waits():
    note_connections(1, 40)
    assert choose_wait(1, 40) == 0


def test_a_process_lets_others_ask_first_for_each_connection_that_it_holds_more():
    note_connections(1, 3)
    note_connections(2, 1)
    assert choose_wait(1, 3) == 2 * WAIT_STEP
    assert choose_wait(2, 1) == 0
    assert choose_wait(1, 200) == LONGEST_WAIT


def test_nobody_waits_for_a_process_that_ended():
    note_connections(1, 3)
    note_connections(2, 0)
    forget_process(2)
    assert choose_wait(1, 3) == 0


def test_processes_that_come_late_have_a_place_too():
    note_connections(SLOTS + 5, 2)
    note_connections(SLOTS + 6, 0)
    assert choose_wait(SLOTS + 5, 2) == 2 * WAIT_STEP


def test_thirty_connections_at_once_are_shared_evenly_by_two_processes(tmp_path, socket_enabled):
    (tmp_path / "pidapp.py").write_text(APP)
    listening = socket.create_server(("127.0.0.1", 0), backlog=200)
    command = [sys.executable, "-m", "gunicorn", "pidapp", "--workers", "2", "--threads", "2", "--no-control-socket"]
    command += ["--bind", f"fd://{listening.fileno()}", "--worker-class", "epitome.site.web_worker.WebWorker"]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(command, pass_fds=[listening.fileno()], env=env, stderr=subprocess.DEVNULL)
    try:
        port = listening.getsockname()[1]
        wait_for_both(port)
        with contextlib.ExitStack() as stack:
            connections = [http.client.HTTPConnection("127.0.0.1", port, timeout=20) for _i in range(CONNECTIONS)]
            for connection in connections:
                stack.callback(connection.close)
                connection.connect()
            answered = [ask_process(connection) for connection in connections]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        listening.close()
    counts = sorted(answered.count(pid) for pid in set(answered))
    assert sum(counts) == CONNECTIONS
    assert counts[0] >= CONNECTIONS // 2 - 2, f"one process holds {counts[-1]} of {CONNECTIONS} connections"


def ask_process(connection: http.client.HTTPConnection) -> int:
    connection.request("GET", "/")
    return int(connection.getresponse().read())


def wait_for_both(port: int) -> None:
    """Until both processes have answered; each of these connections is closed again."""
    seen: set[int] = set()
    for _try in range(2000):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            seen.add(ask_process(connection))
        if len(seen) == 2:
            return
    raise AssertionError(f"only process {seen} answers")

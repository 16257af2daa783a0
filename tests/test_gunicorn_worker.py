"""The web server's worker: fair when all threads are busy, and deaf to clients that say nothing."""

import contextlib
import http.client
import inspect
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path

import pytest
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn, ThreadWorker

from epitome.gunicorn_worker import FairWorker

ROOT = Path(__file__).resolve().parent.parent
THREADS = 2

APP = """
import pathlib
def application(environ, start_response):
    if environ["PATH_INFO"] == "/hold":
        pathlib.Path(environ["HTTP_X_GATE"] + ".in").write_text("")  # a fifo: both wait for the test
        pathlib.Path(environ["HTTP_X_GATE"] + ".out").read_text()
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
"""


PRIVATE_METHODS = {
    "enqueue_req": "(self, conn)",
    "finish_request": "(self, conn, fs)",
    "on_pending_socket_readable": "(self, conn, client)",
}
READ_BY_GUNICORN = {"run": "self.nr_conns < self.worker_connections", "handle_request": "self.max_keepalived"}
USED_ATTRIBUTES = {"initialized", "data_ready", "timeout", "sock"}


@pytest.mark.parametrize(("method", "signature"), PRIVATE_METHODS.items())
def test_the_overridden_methods_of_gunicorns_worker_are_as_expected(method, signature):
    assert str(inspect.signature(getattr(ThreadWorker, method))) == signature, (
        f"read FairWorker again: {method} changed"
    )


@pytest.mark.parametrize(("method", "expression"), READ_BY_GUNICORN.items())
def test_gunicorns_worker_still_reads_the_overridden_limits(method, expression):
    assert expression in inspect.getsource(getattr(ThreadWorker, method)), f"read FairWorker again: {method} changed"


def test_gunicorns_connections_still_have_the_used_attributes():
    near, far = socket.socketpair()
    with near, far:
        connection = TConn(Config(), near, ("127.0.0.1", 1), ("127.0.0.1", 2))
        assert vars(connection).keys() >= USED_ATTRIBUTES
        assert isinstance(FairWorker(0, 0, [], None, 0, Config(), None).pending_conns, deque)


@pytest.fixture
def server(tmp_path, socket_enabled):
    """The port of a server with one process and two threads."""
    (tmp_path / "slowapp.py").write_text(APP)
    listening = socket.create_server(("127.0.0.1", 0))
    command = [sys.executable, "-m", "gunicorn", "slowapp", "--workers", "1", "--threads", str(THREADS), "--bind"]
    command += [f"fd://{listening.fileno()}", "--worker-class", "epitome.gunicorn_worker.FairWorker"]
    command += ["--keep-alive", "30", "--graceful-timeout", "1", "--no-control-socket"]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(command, pass_fds=[listening.fileno()], env=env, stderr=subprocess.DEVNULL)
    try:
        yield listening.getsockname()[1]
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        listening.close()


def get(port: int, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer


@contextlib.contextmanager
def held(port: int, gate: Path):
    """A request that stays in its thread for the block."""
    for end in (".in", ".out"):
        os.mkfifo(f"{gate}{end}")
    request = threading.Thread(target=get, args=(port, "/hold"), kwargs={"X-Gate": str(gate)})
    request.start()
    Path(f"{gate}.in").read_text()  # returns when the request is in its thread
    try:
        yield
    finally:
        Path(f"{gate}.out").write_text("")
        request.join()


def test_a_connection_is_kept_while_threads_are_free(server):
    assert get(server).getheader("Connection") != "close"


def test_a_connection_is_closed_when_all_threads_are_busy_so_that_the_client_queues_again(server, tmp_path):
    with held(server, tmp_path / "gate"):
        assert get(server).getheader("Connection") == "close"


def test_clients_that_say_nothing_hold_no_thread(server):
    silent = [socket.create_connection(("127.0.0.1", server)) for _ in range(10 * THREADS)]
    try:
        assert get(server).status == 200
    finally:
        for one in silent:
            one.close()

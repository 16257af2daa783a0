"""The web server's worker: slow clients hold no thread and are cut; what was received is answered before the end."""

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer, create_server

from epitome.site import web_worker

ROOT = Path(__file__).resolve().parent.parent
THREADS = 2
HALF_HEADER = b"GET / HTTP/1.1\r\nHost: 127"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\nx"

APP = """
import pathlib
def application(environ, start_response):
    if environ["PATH_INFO"] == "/hold":
        pathlib.Path(environ["HTTP_X_GATE"] + ".in").write_text("")  # a fifo: both wait for the test
        pathlib.Path(environ["HTTP_X_GATE"] + ".out").read_text()
    start_response("200 OK", [("Content-Length", "2")])
    return [b"ok"]
"""


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (HTTPChannel, {"request", "requests_lock", "total_outbufs_len", "last_activity", "will_close"}),
        (HTTPRequestParser, {"headers_finished", "body_bytes_received"}),
        (BaseWSGIServer, {"readable", "active_channels", "accept("}),
    ],
)
def test_waitress_still_has_the_attributes_that_are_read(owner, names):
    source = Path(sys.modules[owner.__module__].__file__).read_text()
    missing = {name for name in names if name not in source}
    assert not missing, f"read epitome/site/web_worker.py again: {owner.__name__} has no {missing}"
    assert "self.accepting" in source or owner is not BaseWSGIServer


@pytest.fixture
def server(tmp_path, socket_enabled):
    """A server of one process and two threads: its port and its process."""
    (tmp_path / "slowapp.py").write_text(APP)
    listening = socket.create_server(("127.0.0.1", 0), backlog=200)
    command = [sys.executable, "-m", "gunicorn", "slowapp", "--workers", "1", "--threads", str(THREADS), "--bind"]
    command += [f"fd://{listening.fileno()}", "--worker-class", "epitome.site.web_worker.WebWorker"]
    command += ["--keep-alive", "30", "--graceful-timeout", "20", "--no-control-socket"]
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(command, pass_fds=[listening.fileno()], env=env, stderr=subprocess.DEVNULL)
    try:
        yield listening.getsockname()[1], process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        listening.close()


def get(port: int, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer


@contextlib.contextmanager
def open_connections(port: int, count: int, first_bytes: bytes):
    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
    try:
        for connection in connections:
            connection.sendall(first_bytes)
        yield
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.parametrize("first_bytes", [b"", HALF_HEADER, HALF_BODY], ids=["silent", "half a header", "half a body"])
def test_slow_clients_hold_no_thread(server, first_bytes):
    port, _process = server
    with open_connections(port, 10 * THREADS, first_bytes):
        assert get(port).status == 200


def test_headers_beyond_the_limit_are_refused(server):
    port, _process = server
    assert get(port, **{"X-Long": "x" * web_worker.MAX_HEADER_BYTES}).status == 431


def test_requests_that_were_received_are_answered_before_the_process_ends(server, tmp_path):
    """One per thread is under way and one more waits for a thread when the server is told to stop."""
    port, process = server
    gates = [tmp_path / f"gate{number}" for number in range(THREADS)]
    for gate in gates:
        os.mkfifo(f"{gate}.in")
        os.mkfifo(f"{gate}.out")
    statuses: list[int] = []
    holding = [
        threading.Thread(target=lambda gate=gate: statuses.append(get(port, "/hold", **{"X-Gate": str(gate)}).status))
        for gate in gates
    ]
    for request in holding:
        request.start()
    for gate in gates:
        Path(f"{gate}.in").read_text()  # returns when the request is in its thread
    with socket.create_connection(("127.0.0.1", port), timeout=20) as waiting:
        waiting.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        process.send_signal(signal.SIGTERM)
        for gate in gates:
            Path(f"{gate}.out").write_text("")
        for request in holding:
            request.join()
        assert statuses == [200] * THREADS
        assert waiting.makefile("rb").read().endswith(b"ok")
    assert process.wait(20) == 0


@pytest.fixture
def own_loop(socket_enabled):
    """waitress in this process, its loop turned by the test: the port and the sockets it watches."""
    sockets: dict = {}
    listening = socket.create_server(("127.0.0.1", 0))
    application = create_server(lambda environ, start_response: [], map=sockets, sockets=[listening], threads=1)
    try:
        yield listening.getsockname()[1], sockets
    finally:
        application.task_dispatcher.shutdown()
        wasyncore.close_all(sockets)


def turn_until(sockets: dict, condition) -> None:
    for _turn in range(100):
        if condition():
            return
        wasyncore.loop(timeout=0.1, map=sockets, count=1)
    raise AssertionError("the loop turned 100 times")


@pytest.mark.parametrize(
    ("first_bytes", "seconds"),
    [(HALF_HEADER, web_worker.HEADER_SECONDS), (HALF_BODY, web_worker.BODY_SECONDS)],
    ids=["half a header", "half a body"],
)
def test_a_client_that_trickles_is_cut_at_the_deadline_and_not_before(own_loop, first_bytes, seconds):
    port, sockets = own_loop
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.sendall(first_bytes)
        turn_until(sockets, lambda: any(channel.request for channel in web_worker.find_channels(sockets)))
        begun = time.monotonic()
        receptions = web_worker.cut_slow_clients(web_worker.find_channels(sockets), {}, begun)
        client.sendall(b"x")  # another byte does not move the deadline
        wasyncore.loop(timeout=0.1, map=sockets, count=1)
        receptions = web_worker.cut_slow_clients(web_worker.find_channels(sockets), receptions, begun + seconds - 1)
        assert not any(channel.will_close for channel in web_worker.find_channels(sockets))
        web_worker.cut_slow_clients(web_worker.find_channels(sockets), receptions, begun + seconds + 1)
        turn_until(sockets, lambda: not web_worker.find_channels(sockets))
        assert client.recv(100) == b""

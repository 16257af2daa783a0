"""One exchange: what is sent, and how little of an answer is taken, however it comes."""

import socket
import threading
import time

import pytest

from annotation.services.webhooks import posting
from annotation.services.webhooks.posting import post_body
from annotation.services.webhooks.targets import NotSent, find_target
from epitome.site.webhook_hosts import read_hosts


def test_the_body_arrives_with_its_headers(receiver):
    answer = post_body(find_target(receiver.url), b'{"a": 1}', {"Epitome-Event": "run.done"})
    ((path, headers, body),) = receiver.got
    assert (answer.status, path, body) == (204, "/epitome?from=news", b'{"a": 1}')
    assert headers["Epitome-Event"] == "run.done"
    assert headers["Host"] == f"127.0.0.1:{receiver.port}"


def test_a_redirect_is_not_followed(receiver):
    receiver.status, receiver.headers = 302, {"Location": f"{receiver.url}&again"}
    assert post_body(find_target(receiver.url), b"{}", {}).status == 302
    assert len(receiver.got) == 1


def test_a_proxy_of_the_machine_is_not_used(receiver, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert post_body(find_target(receiver.url), b"{}", {}).status == 204


def test_little_of_the_answer_is_kept_as_one_line_of_text(receiver):
    receiver.status, receiver.answer = 200, b"no\x00\xff\n" + b"<b> " * 2_000_000
    answer = post_body(find_target(receiver.url), b"{}", {})
    assert answer.status == 200
    assert answer.excerpt.startswith("no \ufffd <b> <b>")
    assert len(answer.excerpt) <= posting.MAX_EXCERPT
    assert answer.excerpt.isprintable()


def test_a_slow_receiver_is_cut(receiver, monkeypatch):
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.3)
    receiver.may_answer.clear()
    with pytest.raises(NotSent, match="did not answer in time"):
        post_body(find_target(receiver.url), b"{}", {})
    receiver.may_answer.set()


@pytest.fixture
def raw_server(settings):
    """raw_server(talk) -> the URL of a server that talks as the test wants on each connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    settings.EPITOME_WEBHOOK_HOSTS = read_hosts([f"http://127.0.0.1:{port}", f"private:localhost:{port}"])

    def start(talk) -> str:
        def serve() -> None:
            try:
                connection, _address = listener.accept()
                with connection:
                    talk(connection)
            except OSError:
                return

        threading.Thread(target=serve, daemon=True).start()
        return f"http://127.0.0.1:{port}/"

    yield start
    listener.close()


def test_a_header_that_comes_byte_by_byte_is_cut_at_the_end_of_the_time(raw_server, monkeypatch):
    monkeypatch.setattr(posting, "TOTAL_SECONDS", 0.5)
    stopped = threading.Event()

    def drip(connection) -> None:
        while not stopped.wait(0.05):
            connection.sendall(b"H")

    begun = time.monotonic()
    with pytest.raises(NotSent, match="in time"):
        post_body(find_target(raw_server(drip)), b"{}", {})
    stopped.set()
    assert time.monotonic() - begun < 5


def test_what_is_no_http_is_a_connection_that_broke_off(raw_server):
    with pytest.raises(NotSent, match="broke off"):
        post_body(find_target(raw_server(lambda connection: connection.sendall(b"SSH-2.0\r\n"))), b"{}", {})


def test_the_status_counts_though_the_answer_breaks_off(raw_server):
    def answer(connection) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nhalf")

    assert post_body(find_target(raw_server(answer)), b"{}", {}).status == 200


def test_https_needs_a_certificate_of_the_name(raw_server, tmp_path):
    """A server that speaks no TLS is not answered in plain."""
    got = []

    def answer(connection) -> None:
        got.append(connection.recv(65536))
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    url = raw_server(answer).replace("http://127.0.0.1", "https://localhost")
    with pytest.raises(NotSent, match="not reached"):
        post_body(find_target(url), b"secret body", {})
    assert b"secret" not in got[0]

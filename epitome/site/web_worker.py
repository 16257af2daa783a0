"""A gunicorn worker that receives requests with waitress: a slow client costs a socket, never a thread.

gunicorn supervises the processes: it binds the address, forks, restarts what dies and replaces all of them at a reload.
In each process one loop of waitress receives headers and bodies and sends what the kernel did not take at once; only a
complete request takes a thread. A housekeeper beside the loop cuts clients that take too long and ends the process in
order: no new connections, every request that was received is answered, then the end.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from gunicorn.workers.base import Worker
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer, create_server

from epitome.site import connection_shares
from epitome.site import environment as env

HEADER_SECONDS = 20.0
BODY_SECONDS = 30.0  # and one second more for every BODY_RATE bytes received
BODY_RATE = 8 * 1024
STALLED_SECONDS = 60.0  # a client that takes nothing of its response
MAX_HEADER_BYTES = 64 * 1024
FORM_BYTES = 4 * 1024 * 1024  # what a form may hold beside the largest upload
TICK_SECONDS = 0.5


@dataclass
class Reception:
    """A request that is being received on a connection, and since when."""

    request: Any
    since: float

    def deadline(self) -> float:
        if not self.request.headers_finished:
            return self.since + HEADER_SECONDS
        return self.since + BODY_SECONDS + float(self.request.body_bytes_received) / BODY_RATE


class WebWorker(Worker):
    def run(self) -> None:
        # The sentence on every request that waits for a thread would fill the log.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        sockets: dict[int, Any] = {}
        server = create_server(
            self.answer,
            map=sockets,
            sockets=[listener.sock for listener in self.sockets],
            threads=self.cfg.threads,
            backlog=self.cfg.backlog,
            connection_limit=self.cfg.worker_connections,
            channel_timeout=self.cfg.keepalive,
            max_request_header_size=MAX_HEADER_BYTES,
            max_request_body_size=env.read_max_upload() + FORM_BYTES,
            asyncore_use_poll=True,
            log_socket_errors=False,
            clear_untrusted_proxy_headers=False,  # annotation.views.core.client_ip decides whom to believe
            ident=None,
        )
        connection_shares.note_connections(self.age, 0)
        for listening in find_servers(sockets):
            listening.accept = connection_shares.accept_in_turn(self.age, listening)
        threading.Thread(target=self.keep_house, args=(sockets,), daemon=True).start()
        server.run()  # until SystemExit; then it waits for its threads

    def answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """The application, with gunicorn's count of requests and its access log."""
        self.nr += 1
        if self.nr >= self.max_requests:
            self.alive = False
        if not self.cfg.accesslog:
            return self.wsgi(environ, start_response)  # type: ignore[no-any-return]
        started = time.monotonic()

        def log_and_start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
            sent = dict(headers).get("Content-Length")
            response = SimpleNamespace(status=status, headers=headers, sent=sent)
            request = SimpleNamespace(headers=[])
            self.log.access(response, request, environ, timedelta(seconds=time.monotonic() - started))
            return start_response(status, headers, exc_info)

        return self.wsgi(environ, log_and_start)  # type: ignore[no-any-return]

    def keep_house(self, sockets: dict[int, Any]) -> None:
        """Notify gunicorn that the process is alive, and cut slow clients, until the process is to end; then end it."""
        receptions: dict[HTTPChannel, Reception] = {}
        while self.alive and os.getppid() == self.ppid:
            self.notify()
            channels = find_channels(sockets)
            connection_shares.note_connections(self.age, len(channels))
            receptions = cut_slow_clients(channels, receptions, time.monotonic())
            time.sleep(TICK_SECONDS)
        self.answer_the_rest(sockets)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)  # gunicorn's handler raises SystemExit

    def answer_the_rest(self, sockets: dict[int, Any]) -> None:
        connection_shares.forget_process(self.age)
        for server in find_servers(sockets):
            server.accepting = False
        deadline = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < deadline and any(map(is_busy, find_channels(sockets))):
            self.notify()
            time.sleep(0.02)


def find_servers(sockets: dict[int, Any]) -> list[Any]:
    return [server for server in list(sockets.values()) if isinstance(server, BaseWSGIServer)]


def find_channels(sockets: dict[int, Any]) -> list[HTTPChannel]:
    return [channel for channel in list(sockets.values()) if isinstance(channel, HTTPChannel)]


def is_busy(channel: HTTPChannel) -> bool:
    """Whether a request of this connection is complete, or its body is on the way, or its response."""
    receiving_body = channel.request is not None and channel.request.headers_finished
    return bool(channel.requests or receiving_body or channel.total_outbufs_len)


def cut_slow_clients(
    channels: list[HTTPChannel], before: dict[HTTPChannel, Reception], now: float
) -> dict[HTTPChannel, Reception]:
    """Close the connections whose request or response takes too long; returns what is being received now."""
    receptions = {}
    for channel in channels:
        request = channel.request
        if request is not None:
            known = before.get(channel)
            reception = known if known and known.request is request else Reception(request, now)
            receptions[channel] = reception
            if now > reception.deadline():
                channel.will_close = True
        if channel.total_outbufs_len and time.time() - channel.last_activity > STALLED_SECONDS:
            channel.will_close = True
    return receptions

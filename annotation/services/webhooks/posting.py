"""One delivery over HTTP, within limits: to addresses that were checked, no redirects, no proxies, 1 kB of answer."""

import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException

from django.utils.translation import gettext as _

from annotation.services.webhooks.targets import NotSent, Target, find_addresses

CONNECT_SECONDS = 5.0
TOTAL_SECONDS = 10.0
MAX_ANSWER = 1024
MAX_EXCERPT = 200


@dataclass(frozen=True)
class Answer:
    """What came back. excerpt: how the body began, as one line."""

    status: int
    excerpt: str


class _CheckedConnection(HTTPConnection):
    """Connects to addresses that were checked; the name of the host serves the certificate only. A timer cuts the
    connection at the end of the time, however slowly bytes come. end: on the monotonic clock."""

    def __init__(self, target: Target, end: float) -> None:
        super().__init__(target.host, target.port)
        self.target, self.end = target, end
        self.timer: threading.Timer | None = None

    def connect(self) -> None:
        opened = self._open_socket(find_addresses(self.target, CONNECT_SECONDS))
        if self.target.scheme == "https":
            context = ssl.create_default_context()
            opened = context.wrap_socket(opened, server_hostname=self.target.host, do_handshake_on_connect=False)
        self.sock = opened
        self.timer = threading.Timer(max(0.0, self.end - time.monotonic()), _cut_connection, [opened])
        self.timer.daemon = True
        self.timer.start()
        if isinstance(opened, ssl.SSLSocket):
            opened.do_handshake()
        opened.settimeout(TOTAL_SECONDS)

    def _open_socket(self, addresses: list[str]) -> socket.socket:
        end = time.monotonic() + CONNECT_SECONDS
        last_error: OSError = TimeoutError()
        for address in addresses:
            remaining = end - time.monotonic()
            if remaining <= 0:
                break
            try:
                return socket.create_connection((address, self.target.port), timeout=remaining)
            except OSError as error:
                last_error = error
        raise last_error


def post_body(target: Target, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a body; the answer, whatever its status. Raises NotSent."""
    connection = _CheckedConnection(target, time.monotonic() + TOTAL_SECONDS)
    try:
        _open_connection(connection)
        return _exchange(connection, body, headers)
    finally:
        if connection.timer is not None:
            connection.timer.cancel()
        connection.close()


def _open_connection(connection: _CheckedConnection) -> None:
    try:
        connection.connect()
    except ssl.SSLCertVerificationError as error:
        raise NotSent(_("The certificate was refused: %(why)s.") % {"why": error.verify_message[:100]}) from None
    except TimeoutError:
        raise NotSent(_("The host did not take the connection in time.")) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise NotSent(_("The host was not reached: %(why)s.") % {"why": why[:100]}) from None


def _exchange(connection: _CheckedConnection, body: bytes, headers: Mapping[str, str]) -> Answer:
    target = connection.target
    try:
        connection.request("POST", target.path, body, {**headers, "Host": target.host_header, "Connection": "close"})
        response = connection.getresponse()
    except (OSError, HTTPException, ValueError) as error:
        if time.monotonic() >= connection.end:
            raise NotSent(_("The host did not answer in time.")) from None
        raise NotSent(_("The connection broke off (%(why)s).") % {"why": type(error).__name__}) from None
    try:
        start = response.read(MAX_ANSWER)
    except (OSError, HTTPException, ValueError):  # the status says whether the delivery succeeded
        start = b""
    finally:
        response.close()
    return Answer(response.status, _make_excerpt(start))


def _cut_connection(opened: socket.socket) -> None:
    try:
        socket.socket.shutdown(opened, socket.SHUT_RDWR)  # past TLS, whose state belongs to the waiting thread
    except OSError:
        return


def _make_excerpt(start: bytes) -> str:
    text = "".join(char if char.isprintable() else " " for char in start.decode("utf-8", "replace"))
    return " ".join(text.split())[:MAX_EXCERPT]

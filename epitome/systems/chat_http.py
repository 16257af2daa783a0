"""One HTTP exchange: JSON out, bytes back, within limits. Redirects are not followed, proxies not used."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from socket import socket as Socket
from typing import Any
from urllib.parse import urlsplit

CHUNK = 64 * 1024


class NoAnswer(Exception):
    """No complete answer: not reached, interrupted, or too slow. Retrying may help."""


class NotReached(NoAnswer):
    """No connection could be opened."""


class TooMuch(Exception):
    """The answer is longer than the limit."""


@dataclass(frozen=True)
class Reply:
    """A complete answer. headers: names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Limits:
    """connect and total: seconds, for the connection and for the whole exchange. size: bytes of the answer."""

    connect: float = 10.0
    total: float = 300.0
    size: int = 4 * 1024 * 1024


def post_json(
    url: str,
    data: Mapping[str, Any],
    *,
    key: str = "",
    limits: Limits | None = None,
    more_headers: Mapping[str, str] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Reply:
    """Post JSON to a URL of the list of servers. Raises NotReached, NoAnswer, TooMuch; no message holds the key."""
    limits = limits or Limits()
    address = urlsplit(url)
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.hostname or "", address.port, timeout=limits.connect)
    headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
    headers |= {"Connection": "close", "User-Agent": "Epitome", **(more_headers or {})}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    end = clock() + limits.total
    try:
        _open_connection(connection)
        socket = connection.sock  # the connection drops its reference when the answer begins
        socket.settimeout(limits.total)
        connection.request("POST", address.path, json.dumps(data).encode(), headers)
        response = connection.getresponse()
        body = _read_body(socket, response, limits, end, clock)
    except TimeoutError:
        raise NoAnswer(f"did not answer within {limits.total:g} s") from None
    except HTTPException as error:
        raise NoAnswer(f"broke off its answer ({type(error).__name__})") from None
    except OSError as error:
        raise NoAnswer(f"broke off its answer ({error.strerror or type(error).__name__})") from None
    finally:
        connection.close()
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, body)


def _open_connection(connection: HTTPConnection) -> None:
    try:
        connection.connect()
    except OSError as error:
        raise NotReached(f"was not reached ({error.strerror or type(error).__name__})") from None


def _read_body(socket: Socket, response: HTTPResponse, limits: Limits, end: float, clock: Callable[[], float]) -> bytes:
    """The complete body, read in chunks, so that a slow or endless one is stopped at the deadline."""
    body = bytearray()
    while True:
        remaining = end - clock()
        if remaining <= 0:
            raise TimeoutError
        socket.settimeout(remaining)
        piece = response.read1(CHUNK)
        if not piece:
            break
        body += piece
        if len(body) > limits.size:
            raise TooMuch(f"answered with more than {limits.size // 1024} KiB")
    if response.length:  # fewer bytes than Content-Length
        raise NoAnswer("broke off its answer")
    return bytes(body)

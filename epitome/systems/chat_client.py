"""Requests to a chat server with retries: which refusals are retried, and the messages for the others."""

import itertools
import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from epitome.systems.chat_context import ContextCounts, advise_on_context, read_context_counts
from epitome.systems.chat_http import Limits, NoAnswer, NotReached, Reply, TooMuch, post_json
from epitome.systems.chat_servers import SETTING, Server, read_key
from epitome.systems.chat_text import Answer, BadAnswer, read_answer
from epitome.systems.chat_waiting import Backoff, Gate, parse_retry_after, seconds_until_reset
from epitome.systems.protocol import SystemFault, Unavailable

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
USED_UP = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_SECRET = re.compile(r"(?i)\b(?:[sp]k-|bearer )[^\s\"',]{6,}")


class ChatFault(SystemFault):
    """One request failed for good."""


class ContextFault(ChatFault):
    """One conversation is too long for the server. why: as the server says it."""

    def __init__(self, why: str, counts: ContextCounts, n_words: int = 0) -> None:
        super().__init__(f"{why}. {advise_on_context(counts, n_words)}")
        self.why, self.counts = why, counts


class ServerFault(Unavailable):
    """Other requests to this server would fail too."""


class Stopped(ChatFault):
    """The request was not sent, because the server is unavailable."""


class _Again(Exception):
    """A temporary failure of one attempt. wait: seconds the server asks for. then: the fault after the last attempt.
    is_away: the server is not there, or not ready."""

    def __init__(
        self, why: str, *, wait: float | None = None, then: type[SystemFault] = ChatFault, is_away: bool = False
    ) -> None:
        super().__init__(why)
        self.wait, self.then, self.is_away = wait, then, is_away


class ChatClient:
    """Client of one server, with its limits and retries. Thread-safe.

    sleep: how to wait; by default until the time has passed or the batch is stopped. jitter: returns 0 to 1.
    """

    def __init__(
        self,
        server: Server,
        *,
        key_env: str = "",
        limits: Limits | None = None,
        backoff: Backoff | None = None,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.server = server
        self.key_env = key_env or server.key_env
        self.limits = limits or Limits()
        self.backoff = backoff or Backoff()
        self.gate = Gate(clock)
        self.environ = environ
        self._sleep = sleep
        self.jitter = jitter

    def ask(self, data: Mapping[str, Any], stop: threading.Event | None = None, *, call_id: str = "") -> Answer:
        """The answer to one chat completion. call_id: sent with every attempt as `Idempotency-Key`, by which a gateway
        that knows this header answers a repeated request from its store. Raises ChatFault with a message for users,
        without the key; ServerFault when other requests would fail too."""
        stop = stop or threading.Event()
        waited = 0.0
        for attempt in itertools.count(1):
            self._wait_for_gate(stop)
            try:
                return replace(self._try(data, call_id), attempts=attempt)
            except _Again as again:
                failed = again
            if self.backoff.ends(attempt, waited, is_away=failed.is_away):
                break
            wait = self.backoff.wait(attempt, self.jitter()) if failed.wait is None else failed.wait
            self._pause(wait, stop)
            waited += wait
        raise failed.then(f"{self._name} {failed}; gave up after {attempt} attempts")

    @property
    def _name(self) -> str:
        return f"the chat server {self.server.name}"

    def _try(self, data: Mapping[str, Any], call_id: str) -> Answer:
        """One attempt. Raises _Again; ChatFault and ServerFault if retrying would not help."""
        key = self._key()
        more_headers = {"Idempotency-Key": call_id} if call_id else {}
        url = f"{self.server.base}/chat/completions"
        try:
            reply = post_json(url, data, key=key, limits=self.limits, more_headers=more_headers)
            self.gate.close_for(min(seconds_until_reset(reply.headers), self.backoff.patience))
            if reply.status == 200:
                return read_answer(reply.body)
        except NotReached as error:
            raise _Again(str(error), then=ServerFault, is_away=True) from None
        except NoAnswer as error:
            raise _Again(str(error)) from None
        except TooMuch as error:
            raise ChatFault(f"{self._name} {error}") from None
        except BadAnswer as error:
            if error.again:
                raise _Again(str(error)) from None
            raise ChatFault(f"{self._name} {error}") from None
        raise self._fault_of_reply(reply, key)

    def _fault_of_reply(self, reply: Reply, key: str) -> Exception:
        """The exception for a status other than 200."""
        detail, code = _parse_error(reply.body, key)
        if reply.status not in AGAIN or code in USED_UP:
            message = f"{self._name} {self._refusal_message(reply.status, detail)}"
            if reply.status not in (400, 413, 422):
                return ServerFault(message)
            counts = read_context_counts(reply.body)
            return ContextFault(message, counts) if counts else ChatFault(message)
        wait = parse_retry_after(reply.headers)
        if wait is not None and wait > self.backoff.patience:
            return ServerFault(f"{self._name} asks to wait {wait:.0f} s; resume the run later")
        self.gate.close_for(wait or 0.0)
        then = ServerFault if reply.status in (429, 503) else ChatFault
        return _Again(f"answered {reply.status}{detail}", wait=wait, then=then, is_away=reply.status == 503)

    def _refusal_message(self, status: int, detail: str) -> str:
        if 300 <= status < 400:
            return f"answered with a redirect ({status}), which is not followed; correct its URL in {SETTING}"
        if status in (401, 403):
            key = f"the key in {self.key_env}" if self.key_env else "a request without a key"
            return f"refused {key} ({status})"
        return f"refused the request ({status}){detail}"

    def _key(self) -> str:
        try:
            return read_key(self.server, self.key_env, self.environ)
        except SystemFault as error:
            raise ServerFault(str(error)) from None

    def _wait_for_gate(self, stop: threading.Event) -> None:
        """Wait while the gate is closed."""
        while (seconds := self.gate.left()) > 0:
            self._pause(seconds, stop)
        if stop.is_set():
            raise Stopped(f"{self._name} was not asked any more")

    def _pause(self, seconds: float, stop: threading.Event) -> None:
        if seconds > 0:
            (self._sleep or stop.wait)(seconds)
        if stop.is_set():
            raise Stopped(f"{self._name} was not asked any more")


def _parse_error(body: bytes, key: str) -> tuple[str, str]:
    """(": the server's message", its code), shortened, on one line, with anything that looks like a key removed."""
    try:
        data = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return "", ""
    error = data.get("error", data) if isinstance(data, Mapping) else {}
    if isinstance(error, str):
        error = {"message": error}
    if not isinstance(error, Mapping):
        return "", ""
    message = next((error[name] for name in ("message", "detail") if isinstance(error.get(name), str)), "")
    if key:
        message = message.replace(key, "[key]")
    message = _SECRET.sub("[key]", message[:2000])
    message = " ".join("".join(char if char.isprintable() else " " for char in message).split())
    code = error.get("code") or error.get("type")
    return (f": {message[:200]}" if message else ""), code if isinstance(code, str) else ""

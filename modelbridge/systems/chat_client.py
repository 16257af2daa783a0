"""Asking a chat server until it answers: which refusals are tried again, and what a person is told of the others."""

import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from modelbridge.systems.chat_http import Limits, NoAnswer, Reply, TooMuch, post_json
from modelbridge.systems.chat_servers import SETTING, Server, read_key
from modelbridge.systems.chat_text import Answer, BadAnswer, read_answer
from modelbridge.systems.chat_waiting import Backoff, Gate, pause_told, seconds_asked
from modelbridge.systems.protocol import SystemFault

AGAIN = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
USED_UP = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_SECRET = re.compile(r"(?i)\b(?:[sp]k-|bearer )[^\s\"',]{6,}")


class ChatFault(SystemFault):
    """A request failed for good. for_all: no other request to this server would fare better."""

    def __init__(self, message: str, *, for_all: bool = False) -> None:
        super().__init__(message)
        self.for_all = for_all


class Stopped(ChatFault):
    """Not asked any more, because another request failed for all."""


class ChatClient:
    """One server and the manners of asking it. Safe to use from many threads.

    sleep: how to wait; by default until the time is over or the batch is stopped. jitter: gives 0 to 1.
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
        self._environ = environ
        self._sleep = sleep
        self._jitter = jitter

    def ask(self, data: Mapping[str, Any], stop: threading.Event | None = None) -> Answer:
        """The answer to one chat completion. Raises ChatFault in words for a person, without the key."""
        stop = stop or threading.Event()
        reason = ""
        for attempt in range(1, self.backoff.attempts + 1):
            self._hold(stop)
            answer, reason, asked = self._try(data)
            if answer is not None:
                return replace(answer, attempts=attempt)
            if attempt < self.backoff.attempts:
                self._pause(asked if asked is not None else self.backoff.wait(attempt, self._jitter()), stop)
        raise ChatFault(f"{self._name} {reason}; gave up after {self.backoff.attempts} attempts")

    @property
    def _name(self) -> str:
        return f"the chat server {self.server.name}"

    def _try(self, data: Mapping[str, Any]) -> tuple[Answer | None, str, float | None]:
        """(answer, why there is none, seconds that the server asks to wait). Raises ChatFault where trying again is
        of no use."""
        key = self._key()
        try:
            url = f"{self.server.base}/chat/completions"
            reply = post_json(url, data, key=key, limits=self.limits)
            self.gate.close_for(min(pause_told(reply.headers), self.backoff.patience))
            if reply.status == 200:
                return read_answer(reply.body), "", None
        except NoAnswer as error:
            return None, str(error), None
        except TooMuch as error:
            raise ChatFault(f"{self._name} {error}") from None
        except BadAnswer as error:
            if not error.again:
                raise ChatFault(f"{self._name} {error}") from None
            return None, str(error), None
        return None, *self._refused(reply, key)

    def _refused(self, reply: Reply, key: str) -> tuple[str, float | None]:
        """(why, seconds to wait) of a refusal that may heal. Raises ChatFault for any other."""
        said, code = _said(reply.body, key)
        if reply.status in AGAIN and code not in USED_UP:
            asked = seconds_asked(reply.headers)
            if asked is not None:
                if asked > self.backoff.patience:
                    raise ChatFault(f"{self._name} asks to wait {asked:.0f} s; start the run again later", for_all=True)
                self.gate.close_for(asked)
            return f"answered {reply.status}{said}", asked
        raise ChatFault(
            f"{self._name} {self._refusal(reply.status, said)}", for_all=reply.status not in (400, 413, 422)
        )

    def _refusal(self, status: int, said: str) -> str:
        if 300 <= status < 400:
            return f"answered with a redirect ({status}), which is not followed; correct its URL in {SETTING}"
        if status in (401, 403):
            key = f"the key in {self.key_env}" if self.key_env else "a request without a key"
            return f"refused {key} ({status})"
        return f"refused the request ({status}){said}"

    def _key(self) -> str:
        try:
            return read_key(self.server, self.key_env, self._environ)
        except SystemFault as error:
            raise ChatFault(str(error), for_all=True) from None

    def _hold(self, stop: threading.Event) -> None:
        """Wait while the server wants a pause."""
        while (left := self.gate.left()) > 0:
            self._pause(left, stop)
        if stop.is_set():
            raise Stopped(f"{self._name} was not asked any more")

    def _pause(self, seconds: float, stop: threading.Event) -> None:
        if seconds > 0:
            (self._sleep or stop.wait)(seconds)
        if stop.is_set():
            raise Stopped(f"{self._name} was not asked any more")


def _said(body: bytes, key: str) -> tuple[str, str]:
    """(": what the server said", its code), cut short, on one line, without anything that looks like a key."""
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

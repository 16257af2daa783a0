"""The systems loaded by this worker process, each in its own child process; the least recently used is evicted."""

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from epitome.systems.batching import Failure
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import Output
from epitome.systems.serialization import encode_message, result_from_json

POLL_SECONDS = 0.5
"""Seconds between checks whether the work is still wanted."""
LOAD_SECONDS = 1800
CHUNK = 1 << 20


class HostDied(Exception):
    """The system's process ended during its work; the message says how."""


class HostFault(Exception):
    """The system as a whole cannot work; the message is its own."""


class WorkCancelled(Exception):
    """The work was cancelled while it was running."""


IsWanted = Callable[[], bool]


@dataclass(frozen=True)
class BatchMeter:
    """What a system's process says of one batch. waited, worked: seconds without a message, and over this one.
    device: name. peak_memory: bytes at most since the process began."""

    waited: float = 0.0
    worked: float = 0.0
    device: str = ""
    peak_memory: int = 0


@dataclass(frozen=True)
class Reply:
    """results: one per request, in the same order."""

    results: list[Output | Failure]
    meter: BatchMeter


class Host:
    """One system in a child process. It may be sent a second batch while it works on the first."""

    def __init__(self, config: SystemConfig) -> None:
        self.config = config
        self.buffer = bytearray()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "epitome.systems.host", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(python_paths())},
        )
        assert self.process.stdin is not None
        os.set_blocking(self.process.stdin.fileno(), False)
        self.outgoing = bytearray()
        self.sent: deque[int] = deque()
        self.limit = 1
        self.load_seconds = 0.0

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def load(self, is_wanted: IsWanted) -> None:
        """Raises HostFault, HostDied, WorkCancelled."""
        began = time.monotonic()
        self._write({"config": self.config.text, "name": f"{self.config.key}.toml"})
        self.limit = int(self._read(LOAD_SECONDS, is_wanted)["limit"])
        self.load_seconds = time.monotonic() - began

    def take_load_seconds(self) -> float:
        """How long loading took, in seconds; 0 after the first call."""
        seconds, self.load_seconds = self.load_seconds, 0.0
        return seconds

    def send(self, message: dict[str, Any]) -> None:
        """Send a batch; `receive` gives the results, in the order of sending. Raises HostDied."""
        self.sent.append(len(message["requests"]))
        self._write(message)

    def receive(self, is_wanted: IsWanted) -> Reply:
        """The results of the oldest batch without any. Raises HostFault, HostDied, WorkCancelled."""
        reply = self._read(settings.EPITOME_BATCH_SECONDS, is_wanted)
        expected = self.sent.popleft()
        self.limit = int(reply["limit"])
        results = [result_from_json(result) for result in reply["results"]]
        if len(results) != expected:
            raise HostDied(f"The system gave {len(results)} outputs for {expected} requests.")
        return Reply(results, BatchMeter(**reply["meter"]))

    def _write(self, message: dict[str, Any]) -> None:
        """What the pipe does not take at once is written while the next answer is awaited."""
        self.outgoing += encode_message(message)
        self._flush()

    def _flush(self) -> None:
        assert self.process.stdin is not None
        try:
            while self.outgoing:
                written = os.write(self.process.stdin.fileno(), self.outgoing[:CHUNK])
                del self.outgoing[:written]
        except BlockingIOError:
            return
        except (OSError, ValueError):  # its end of the pipe is closed, or ours
            self._died()

    def _read(self, seconds: float, is_wanted: IsWanted) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self._answer(time.monotonic() + seconds, seconds, is_wanted))
        if "fault" in reply:
            self.close()  # a batch sent ahead would be answered to nobody
            raise HostFault(reply["fault"])
        return reply

    def _answer(self, deadline: float, seconds: float, is_wanted: IsWanted) -> bytes:
        assert self.process.stdout is not None and self.process.stdin is not None
        handle, write_handle = self.process.stdout.fileno(), self.process.stdin.fileno()
        while b"\n" not in self.buffer:
            readable, writable, _ = select.select([handle], [write_handle] if self.outgoing else [], [], POLL_SECONDS)
            if writable:
                self._flush()
            if readable:
                piece = os.read(handle, CHUNK)
                if not piece:
                    self._died()
                self.buffer += piece
            elif writable:
                continue
            elif not is_wanted():
                self.close()
                raise WorkCancelled
            elif time.monotonic() > deadline:
                self.close()
                raise HostDied(f"The system gave no answer within {seconds:g} seconds and was stopped.")
        end = self.buffer.index(b"\n")
        answer = bytes(self.buffer[:end])
        del self.buffer[: end + 1]
        return answer

    def _died(self) -> None:
        code = self.process.wait()
        self.close()
        raise HostDied(how_ended(code))

    def close(self) -> None:
        """Kill the process; its current work is lost."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):  # unwritten data is lost
                    pipe.close()


def how_ended(code: int) -> str:
    """A process's return code in words."""
    if code == -signal.SIGKILL:
        return "The system's process was killed (SIGKILL), perhaps because the memory ran out."
    if code < 0:
        return f"The system's process crashed ({signal.Signals(-code).name})."
    return f"The system's process ended with exit code {code}."


def python_paths() -> list[str]:
    """Where processes of ours find our packages."""
    return [str(settings.BASE_DIR), *filter(None, [os.environ.get("PYTHONPATH")])]


class Hosts:
    """At most `capacity` loaded systems; the least recently used is closed before another is loaded."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.loaded: OrderedDict[str, Host] = OrderedDict()
        self.owner = os.getpid()

    def get(self, config: SystemConfig, is_wanted: IsWanted) -> Host:
        """The host of a configuration, loaded and without a batch. Raises HostFault, HostDied, WorkCancelled."""
        if self.owner != os.getpid():  # a fork: the children belong to the parent
            self.loaded, self.owner = OrderedDict(), os.getpid()
        host = self.loaded.pop(config.hash, None)
        if host is None or not host.alive or host.sent:
            if host is not None:
                host.close()
            while len(self.loaded) >= self.capacity:
                self.loaded.popitem(last=False)[1].close()
            host = Host(config)
            try:
                host.load(is_wanted)
            except BaseException:
                host.close()
                raise
        self.loaded[config.hash] = host
        return host

    def close(self) -> None:
        """End all of them."""
        if self.owner == os.getpid():
            while self.loaded:
                self.loaded.popitem()[1].close()


HOSTS = Hosts(capacity=settings.EPITOME_LOADED_SYSTEMS)
atexit.register(HOSTS.close)

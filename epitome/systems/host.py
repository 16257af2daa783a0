"""One system in a process of its own: `python -m epitome.systems.host PARENT_PID`.

A model that crashes in native code, exhausts the memory or never returns affects only this process; the worker that
started it survives and knows which samples were being generated. One JSON line in, one out. The next batch is taken in
while one is being generated, so that the model does not wait for it. The process ends with its parent, at the end of
its input, and after an idle timeout, which frees the memory of the loaded model.
"""

import ctypes
import json
import logging
import os
import queue
import signal
import sys
import threading
import time
from typing import Any, BinaryIO

from epitome.systems.batching import FATAL_FAULTS, Batcher, describe_error
from epitome.systems.config import parse_config
from epitome.systems.machine import describe_machine
from epitome.systems.protocol import SystemFault
from epitome.systems.registry import make_system
from epitome.systems.serialization import Schemas, encode_message, result_as_json

PR_SET_PDEATHSIG = 1
CHUNK = 1 << 20
IDLE_SECONDS = int(os.environ.get("EPITOME_SYSTEM_IDLE_SECONDS", "600"))


class Host:
    def __init__(self) -> None:
        self.schemas = Schemas()
        self.batcher: Batcher | None = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to one message; a fault of the system as a whole is returned under `fault`."""
        try:
            if "config" in message:
                return self._load(message["config"], message["name"])
            return self._generate(message)
        except SystemFault as error:
            return {"fault": describe_error(error), "stop": isinstance(error, FATAL_FAULTS)}
        except Exception as error:  # loading can fail in any way; the run records the error
            logging.getLogger(__name__).exception("a system broke")
            return {"fault": describe_error(error), "stop": False}

    def _load(self, config: str, name: str) -> dict[str, Any]:
        self.batcher = Batcher(make_system(parse_config(config, name)))
        return {"limit": self.batcher.limit}

    def _generate(self, message: dict[str, Any]) -> dict[str, Any]:
        assert self.batcher is not None
        self.schemas.add(message["schemas"])
        self.batcher.options = message.get("options", {})
        results = self.batcher.run([self.schemas.request(request) for request in message["requests"]])
        return {"results": [result_as_json(result) for result in results], "limit": self.batcher.limit}


def end_with_parent(parent: int) -> None:
    """On Linux the kernel ends this process with its parent, even by kill -9. The worker's own signals are ignored."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # the parent ended before prctl was called
        sys.exit(0)


def read_lines(handle: int, lines: "queue.Queue[bytes]") -> None:
    """Pass on every line of a file descriptor as it comes, and b"" at the end; for a thread of its own."""
    rest = bytearray()
    while piece := os.read(handle, CHUNK):
        rest += piece
        while (end := rest.find(b"\n")) >= 0:
            lines.put(bytes(rest[: end + 1]))
            del rest[: end + 1]
    lines.put(b"")


def serve_requests(handle: int, out: BinaryIO) -> None:
    """Answer messages until the input ends or the idle timeout. Each answer says how long the system had waited for its
    message and worked on it (`meter`, seconds)."""
    host = Host()
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=read_lines, args=(handle, lines), daemon=True).start()
    while True:
        began = time.monotonic()
        try:
            received = lines.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            break
        if not received:
            break
        taken = time.monotonic()
        answer = host.answer(json.loads(received))
        meter = {"waited": taken - began, "worked": time.monotonic() - taken, **describe_machine()}
        out.write(encode_message({**answer, "meter": meter}))
        out.flush()


if __name__ == "__main__":
    end_with_parent(int(sys.argv[1]))
    logging.basicConfig(level=logging.WARNING)
    # Libraries may print: standard output is reserved for the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve_requests(0, answers)

"""Processes that make batches of examples beside this one: parsing keeps a core busy each."""

import os
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from queue import SimpleQueue
from typing import TypeVar

from django.conf import settings

from epitome.contrastives import MadeTuple
from epitome.contrastives.batches import BatchRequest, decode_answer, make_batch
from epitome.contrastives.parsing import load_parser

Batch = TypeVar("Batch")
PROCESSES = min(2, os.cpu_count() or 1)
PROCESSES_FROM = 300
"""With fewer golds the start of the processes, a second or two each, is not worth it."""
AHEAD = 2
"""Batches that wait for each process, so that none is idle while rows are stored."""


class MakerBroke(RuntimeError):
    """A process ended early."""


class MakerProcess:
    """One process; `make` answers one request at a time."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "epitome.contrastives.batches"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=settings.BASE_DIR)

    def make(self, request: BatchRequest) -> list[MadeTuple]:
        """Raises MakerBroke."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(request.as_line())
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            raise MakerBroke(f"the process that makes examples ended with {self._process.wait()}; start again")
        return decode_answer(answer)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(BrokenPipeError):  # what was written and never read
                if stream is not None:
                    stream.close()


def make_batches(
    requests: Iterable[tuple[Batch, BatchRequest]], n_golds: int
) -> Generator[tuple[Batch, list[MadeTuple]], None, None]:
    """(batch, its examples) in the order of the requests; many golds are shared among processes."""
    if n_golds < PROCESSES_FROM:
        parser = load_parser()
        for batch, request in requests:
            yield batch, make_batch(request, parser)
        return
    with ExitStack() as stack:
        processes: SimpleQueue[MakerProcess] = SimpleQueue()
        for _number in range(PROCESSES):
            process = MakerProcess()
            stack.callback(process.close)
            processes.put(process)
        # Closed last in, first out: the threads' processes end before the pool waits for the threads.
        pool = ThreadPoolExecutor(PROCESSES)
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)

        def make(request: BatchRequest) -> list[MadeTuple]:
            process = processes.get()
            try:
                return process.make(request)
            finally:
                processes.put(process)

        waiting: deque[tuple[Batch, Future[list[MadeTuple]]]] = deque()
        for batch, request in requests:
            waiting.append((batch, pool.submit(make, request)))
            if len(waiting) > PROCESSES * AHEAD:
                done_batch, answer = waiting.popleft()
                yield done_batch, answer.result()
        for done_batch, answer in waiting:
            yield done_batch, answer.result()

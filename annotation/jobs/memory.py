"""A worker of one process gives the memory of ended jobs back: once idle it begins again as a new program.

Language pipelines and models stay loaded after a job, for the next one; Python returns little of that to the system. So
a worker that has been idle for a while and has grown ends as on SIGTERM, and its command starts it again in its place,
under the same process id.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

CHECK_SECONDS = 5.0
MEGABYTE = 1024 * 1024


def resident_megabytes() -> float:
    """Memory of this process; 0 where the system does not say (it is then never given back)."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


class MemoryWatch:
    """Watches one worker. idle_seconds: 0 switches it off. spare_megabytes: growth that is left alone."""

    def __init__(
        self,
        idle_seconds: float,
        spare_megabytes: float,
        *,
        measure: Callable[[], float] = resident_megabytes,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.idle_seconds, self.spare_megabytes = idle_seconds, spare_megabytes
        self.measure, self.clock = measure, clock
        self.base: float | None = None
        self.n_running = 0
        self.last_ended: float | None = None
        self.begins_again = False

    def job_begins(self) -> None:
        self.n_running += 1
        if self.base is None:
            self.base = self.measure()

    def job_ends(self) -> None:
        self.n_running -= 1
        self.last_ended = self.clock()

    def is_due(self) -> bool:
        """Whether the worker is idle and holds much more than before its first job."""
        if self.base is None or self.last_ended is None or self.n_running or not self.idle_seconds:
            return False
        return self.clock() - self.last_ended >= self.idle_seconds and self.measure() > self.base + self.spare_megabytes

    def run(self, stop: threading.Event) -> None:
        """Until the worker stops: end it as its operator would, when it is due."""
        while not stop.wait(min(CHECK_SECONDS, self.idle_seconds)):
            if self.is_due():
                self.begins_again = True
                os.kill(os.getpid(), signal.SIGTERM)
                return

    def start(self, stop: threading.Event) -> None:
        if self.idle_seconds:
            threading.Thread(target=self.run, args=[stop], name="worker-memory", daemon=True).start()

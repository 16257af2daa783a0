"""One step in a process of its own, which outlives the worker that started it for as long as calls are under way:
`python -m modelbridge.services.construction.call_process STEP SECONDS`.

A call that was sent will be charged for, so its answer must be received. A worker, a command or a whole process group
that is killed does not touch this process: it has a session of its own. It notices by the end of its input that nobody
waits for it any more, sends no further call, stores the answers that are still to come, and ends.
"""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
from typing import Any

ENDED, FAILED = 0, 3
"""Exit codes: it did what it could; the step cannot go on, and its row says why."""


class CallProcess:
    """A process that works on a step, as its worker sees it."""

    def __init__(self, step_id: int, seconds: float | None, paths: list[str]) -> None:
        command = [sys.executable, "-m", __name__, str(step_id), "" if seconds is None else f"{seconds:g}"]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,
        )

    def wait(self, seconds: float) -> bool:
        """Whether it has ended within this many seconds."""
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def dismiss(self) -> None:
        """Let it end by itself: it sends no further call and stores the answers that are still to come."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()


def _stop_at_end_of_input(stopping: threading.Event) -> None:
    while os.read(0, 1024):  # not sys.stdin, whose lock would be held when the interpreter ends
        pass
    stopping.set()


def main(arguments: list[str]) -> int:
    """Work on the step of an id for this many seconds, "" for as long as it takes; returns the exit code."""
    import django

    django.setup()
    from django.db import InterfaceError, OperationalError

    from annotation.jobs import STOPPING
    from modelbridge.models import ConstructionStep
    from modelbridge.services.construction.step_worker import StepFault, work_in_process

    def stop(*_signal: Any) -> None:
        STOPPING.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    threading.Thread(target=_stop_at_end_of_input, args=(STOPPING,), daemon=True).start()
    step = ConstructionStep.objects.select_related("revision__system", "project").filter(pk=arguments[0]).first()
    if step is None:
        return ENDED
    try:
        work_in_process(step, seconds=float(arguments[1]) if arguments[1] else None)
    except StepFault:
        return FAILED
    except (OperationalError, InterfaceError):  # the database is down: the starting process tries again
        logging.getLogger(__name__).exception("the database does not answer")
    return ENDED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

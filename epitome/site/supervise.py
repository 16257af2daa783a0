"""The parent of web process and worker on one machine: starts both, reports when they answer, stops them at its end.

Imports nothing of Django, so that it needs little memory beside the processes it starts.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass, field
from types import FrameType

START_SECONDS = 40
STOP_SECONDS = 3.0
PR_SET_PDEATHSIG = 1
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass
class Plan:
    """What to start, where to ask whether it answers, and the lines to print once it does. step: the words of this step
    of the start, printed before its time. preparation: a command that works beside the others, ends, and prints step
    and lines as a JSON object. later: what is started once the pages answer."""

    commands: list[list[str]]
    probe: str
    lines: list[str] = field(default_factory=list)
    preparation: list[str] = field(default_factory=list)
    later: list[list[str]] = field(default_factory=list)
    seconds: float = START_SECONDS
    stop_seconds: float = STOP_SECONDS
    step: str = ""

    def as_json(self) -> str:
        return json.dumps(asdict(self))


class StopRequested(Exception):
    """A signal requested the stop."""


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _die_with_parent() -> None:
    """Linux: a child whose parent is gone, even by kill -9, is ended too."""
    os.setpgid(0, 0)  # Ctrl-C goes to the parent alone, which then ends the children in order
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def is_answering(probe: str) -> bool:
    try:
        with urllib.request.urlopen(probe, timeout=5) as response:  # noqa: S310 - http, by its callers
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def stop_children(children: list[subprocess.Popen[bytes]], seconds: float) -> None:
    """Send SIGTERM to each process group, after these seconds SIGKILL. An interrupted job resumes at the next start."""
    for child in children:
        _signal_group(child, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    for child in children:
        try:
            child.wait(max(0.05, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            continue
    for child in children:
        _signal_group(child, signal.SIGKILL)
        child.wait()


def _signal_group(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(child.pid, number)
    except ProcessLookupError:
        return


def _on_signal(number: int, frame: FrameType | None) -> None:
    for signal_number in SIGNALS:  # a second signal must not interrupt the shutdown
        signal.signal(signal_number, signal.SIG_IGN)
    raise StopRequested


def run_plan(plan: Plan) -> int:
    for number in SIGNALS:
        signal.signal(number, _on_signal)
    children: list[subprocess.Popen[bytes]] = []
    try:
        for command in plan.commands:
            children.append(subprocess.Popen(command, preexec_fn=_die_with_parent))
        return run_preparation(plan, children) or _watch_children(plan, children)
    except StopRequested:
        return 0
    finally:
        stop_children(children, plan.stop_seconds)


def run_preparation(plan: Plan, children: list[subprocess.Popen[bytes]]) -> int:
    """Run the preparation, if there is one, and take step and lines from it. Returns its exit status."""
    if not plan.preparation:
        return 0
    preparing = subprocess.Popen(plan.preparation, stdout=subprocess.PIPE, preexec_fn=_die_with_parent)
    children.append(preparing)
    printed, _errors = preparing.communicate()
    children.remove(preparing)
    if preparing.returncode == 0:
        announcement = json.loads(printed)
        plan.step, plan.lines = announcement["step"], announcement["lines"]
    return preparing.returncode


def _watch_children(plan: Plan, children: list[subprocess.Popen[bytes]]) -> int:
    """Wait until the pages answer, print the lines, then stay until a child ends."""
    started, announced = time.monotonic(), False
    if plan.step:
        print(plan.step, end=" ", file=sys.stderr, flush=True)
    while True:
        for child in children:
            if child.poll() is not None:
                print(f"epitome: a process ended with {child.returncode}; stopping", file=sys.stderr)
                return 1
        if not announced and is_answering(plan.probe):
            if plan.step:
                print(f"{time.monotonic() - started:.1f} s", file=sys.stderr, flush=True)
            print("\n".join(plan.lines), flush=True)
            announced = True
            for command in plan.later:
                children.append(subprocess.Popen(command, preexec_fn=_die_with_parent))
        elif not announced and time.monotonic() - started > plan.seconds:
            print(f"epitome: no answer from {plan.probe} after {plan.seconds:g} s; stopping", file=sys.stderr)
            return 1
        time.sleep(0.5 if announced else 0.1)


if __name__ == "__main__":
    with os.fdopen(int(sys.argv[1]), encoding="utf-8") as plan_file:
        received = Plan(**json.loads(plan_file.read()))
    sys.exit(run_plan(received))

"""A database and a data folder that can be put back, and workers that are forked and end where they are told to. For
benchmarks/killing_jobs.py, which runs in a process without connections of its own."""

import contextlib
import os
import pickle
import resource
import shutil
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

FILE_EVENTS = {"open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "shutil.rmtree", "os.truncate"}
KILLS, CUTS, FULL, FLUSHES = "kill", "cut", "full", "flush"
PATIENCE = 300
"""Seconds that a forked worker may take; a bound, not a measurement."""
Point = tuple[str, int]
"""(kind of point, how many of it)"""


class Room:
    """`keep` remembers what is there, `restore` puts it back. Databases: the one that Django's settings name."""

    def __init__(self, engine: str, url: str, folder: Path) -> None:
        self.engine, self.url, self.folder = engine, url, folder
        self.data, self.temporary = folder / "data", folder / "tmp"
        self.kept: set[str] = set()

    def keep(self, name: str) -> None:
        self.kept.add(name)
        _replace_folder(self.data, self.folder / f"data-{name}")
        if self.engine == "sqlite":
            shutil.copy(self._file(), self.folder / f"{name}.sqlite3")
        else:
            self._copy_database(self._name(), f"{self._name()}_{name}")

    def restore(self, name: str) -> None:
        _replace_folder(self.folder / f"data-{name}", self.data)
        _replace_folder(None, self.temporary)
        if self.engine == "sqlite":
            for ending in ("-wal", "-shm", "-journal"):
                Path(f"{self._file()}{ending}").unlink(missing_ok=True)
            shutil.copy(self.folder / f"{name}.sqlite3", self._file())
        else:
            self._copy_database(f"{self._name()}_{name}", self._name())

    def close(self) -> None:
        if self.engine == "postgresql":
            for name in self.kept:
                self._run(f'DROP DATABASE IF EXISTS "{self._name()}_{name}" WITH (FORCE)')

    def _file(self) -> Path:
        return Path(self.url.removeprefix("sqlite:///"))

    def _name(self) -> str:
        return urlsplit(self.url).path.strip("/")

    def _copy_database(self, source: str, target: str) -> None:
        self._run(f'DROP DATABASE IF EXISTS "{target}" WITH (FORCE)')
        self._run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{source}'",
            f'CREATE DATABASE "{target}" TEMPLATE "{source}"',
        )

    def _run(self, *statements: str) -> None:
        import psycopg

        for tries_left in range(20, -1, -1):
            try:
                with psycopg.connect(urlunsplit(urlsplit(self.url)._replace(path="/postgres")), autocommit=True) as db:
                    for statement in statements:
                        db.execute(statement)
                return
            except psycopg.errors.ObjectInUse:
                if not tries_left:
                    raise
                time.sleep(0.1)


def _replace_folder(source: Path | None, target: Path) -> None:
    shutil.rmtree(target, ignore_errors=True)
    if source is None:
        target.mkdir(parents=True)
    else:
        shutil.copytree(source, target)


class Points:
    """Counts what a worker does, in its main thread, and brings the fault at one of them."""

    def __init__(
        self, folders: tuple[Path, ...], last: Point | None = None, fault: str = KILLS, *, group: bool = False
    ):
        self.folders = tuple(str(folder) for folder in folders)
        self.last, self.fault, self.group = last, fault, group
        self.counts: Counter[str] = Counter()
        self.thread = threading.get_ident()
        self.is_counting = False

    def watch(self) -> None:
        """From now on: statements, commits, and calls to the file system below the folders."""
        from django.db import connection
        from django.db.backends.base.base import BaseDatabaseWrapper

        commit = BaseDatabaseWrapper.commit

        def watched_commit(wrapper: Any) -> None:
            self.reach("before a commit")
            commit(wrapper)
            self.reach("after a commit")

        BaseDatabaseWrapper.commit = watched_commit  # type: ignore[method-assign]
        connection.execute_wrappers.append(self.execute)
        sys.addaudithook(self.audit)
        self.is_counting = True

    def execute(self, run: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        self.reach("before a statement")
        result = run(sql, params, many, context)
        self.reach("after a statement")
        return result

    def audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_counting and event in FILE_EVENTS and arguments and str(arguments[0]).startswith(self.folders):
            self.reach("at a file")

    def reach(self, kind: str) -> None:
        if not self.is_counting or threading.get_ident() != self.thread:
            return
        self.counts[kind] += 1
        if (kind, self.counts[kind]) == self.last:
            self.is_counting = False
            self.bring()

    def bring(self) -> None:
        if self.fault == KILLS and self.group:
            os.killpg(0, signal.SIGKILL)
        if self.fault == KILLS:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == FULL:
            fill_disk()
        if self.fault == CUTS:
            cut_connections()


def fill_disk() -> None:
    """From now on no file of this process grows, as on a full disk; what it starts finds the same."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def cut_connections() -> None:
    """PostgreSQL ends every connection of its database, as when it is restarted."""
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def serve_job(scenario: Any, job_id: int, broker: str, *, flushes: bool) -> int:
    """Be a Celery worker, which does not sweep, until the job and all that follow from it are over; how often Redis was
    flushed meanwhile."""
    from unittest.mock import patch

    from celery.platforms import SecurityWarning

    from epitome.site.celery import app

    warnings.filterwarnings("ignore", category=SecurityWarning)
    watch = Watch(scenario, job_id, broker, flushes=flushes)
    watch.start()
    arguments = ["worker", "--pool=solo", "--queues=default,text,gpu", "--loglevel=CRITICAL"]
    unswept = patch("annotation.jobs.run_sweepers", lambda: 0)
    with scenario.around(), unswept, contextlib.suppress(SystemExit):
        app.worker_main(["--quiet", "--skip-checks", *arguments, "--without-gossip", "--without-mingle"])
    watch.join(30)
    return watch.n_flushes


class Watch(threading.Thread):
    """Empties Redis five times a second, and stops the worker of this process in order once the job is over."""

    def __init__(self, scenario: Any, job_id: int, broker: str, *, flushes: bool) -> None:
        super().__init__(daemon=True)
        self.scenario, self.job_id, self.broker, self.flushes = scenario, job_id, broker, flushes
        self.n_flushes = 0

    def run(self) -> None:
        import redis
        from django.db import connections

        server, until = redis.Redis.from_url(self.broker), time.monotonic() + PATIENCE / 2
        while self.scenario.jobs_to_do(self.job_id) and time.monotonic() < until:
            if self.flushes:
                server.flushall()
                self.n_flushes += 1
            time.sleep(0.2)
        connections.close_all()
        os.kill(os.getpid(), signal.SIGTERM)


class Ended(Exception):
    """A forked process ended in another way than it should have."""


def fork(work: Callable[[], Any], room: Room) -> tuple[int, Any, int]:
    """(number of the signal that ended it or 0, what `work` returned, its process id), from a process of its own, which
    has a session of its own. Raises Ended with what `work` raised."""
    sys.stdout.flush()
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.close(read)
        os.setsid()
        os.environ["TMPDIR"] = str(room.temporary)
        _send(write, _run_here(work, room))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        content = _read_all(pipe, child)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        return -code, None, child
    if not content:
        raise Ended(f"a worker ended with status {code}")
    is_right, result = pickle.loads(content)  # what this program's own child wrote into the pipe
    if not is_right:
        raise Ended(result)
    return 0, result, child


class Result:
    """What a worker's function returned, or how it broke: (whether it returned, that)."""

    def __init__(self) -> None:
        self.content: tuple[bool, Any] = (True, None)

    def __enter__(self) -> "Result":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> bool:
        if kind is not None:
            self.content = (False, "".join(traceback.format_exception(kind, error, trace)))
        return True


def _run_here(work: Callable[[], Any], room: Room) -> tuple[bool, Any]:
    import tempfile

    from django.db import connections

    tempfile.tempdir = str(room.temporary)
    with Result() as result:
        result.content = (True, work())
    with Result():
        connections.close_all()
    return result.content


def _send(pipe: int, result: Any) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.getrlimit(resource.RLIMIT_FSIZE)[1],) * 2)
    with os.fdopen(pipe, "wb") as out:
        pickle.dump(result, out)


def _read_all(pipe: Any, child: int) -> bytes:
    timer = threading.Timer(PATIENCE, lambda: os.killpg(child, signal.SIGKILL))
    timer.start()
    try:
        return bytes(pipe.read())
    finally:
        timer.cancel()


def list_session(session: int) -> list[int]:
    """The processes of a session that are still there."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] != "Z":
                found.append(int(path.name))
    return found


def wait_for_session(session: int, seconds: float = 15.0) -> int:
    """How many processes of a session outlive its leader by so long; they are ended then."""
    until = time.monotonic() + seconds
    while (left := list_session(session)) and time.monotonic() < until:
        time.sleep(0.05)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)

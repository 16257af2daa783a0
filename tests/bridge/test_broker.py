"""What somebody else puts into the broker is dropped and not executed, and the worker lives on."""

import base64
import json
import os
import pickle
import shutil
import signal
import socket
import uuid

import pytest

from benchmarks.killing_runs import Redis
from tests.jobs.machine import Machine

BROKEN = [b"not json", b'"text"', b"{}", b'{"body": "x", "properties": {}}', b"\xff\xfe", b"[" * 100_000]


class Canary:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (os.system, (f"touch {self.path}",))


def envelope(body, content_type, task):
    """A message as a client would send it."""
    tag = str(uuid.uuid4())
    return json.dumps(
        {
            "body": base64.b64encode(body).decode(),
            "content-encoding": "binary" if "python" in content_type else "utf-8",
            "content-type": content_type,
            "headers": {"lang": "py", "task": task, "id": tag, "root_id": tag, "parent_id": None, "group": None},
            "properties": {"delivery_tag": tag, "delivery_mode": 2, "body_encoding": "base64", "priority": 0,
                           "delivery_info": {"exchange": "", "routing_key": "default"}, "correlation_id": tag},
        }
    ).encode()  # fmt: skip


def evil(folder):
    task = json.dumps([[1], {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}]).encode()
    return [
        *BROKEN,
        envelope(pickle.dumps(Canary(folder / "canary")), "application/x-python-serialize", "annotation.run_job"),
        envelope(task, "application/json", "os.system"),
        envelope(b"[[", "application/json", "annotation.run_job"),
        envelope(json.dumps([["x"], {"y": 1}, {}]).encode(), "application/json", "annotation.run_job"),
    ]


def push_redis(port, folder):
    import redis

    redis.Redis(port=port).lpush("default", *evil(folder))


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="there is no redis-server on this machine")
def test_nothing_pushed_by_hand_is_executed_or_ends_the_worker(tmp_path, migrated):
    machine = Machine(migrated(tmp_path / "jobs.sqlite3"), tmp_path, "redis")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = Redis(port)
    machine.env |= {"EPITOME_BROKER_URL": server.url, "DJANGO_SETTINGS_MODULE": "tests.bridge.quick_settings"}
    worker = None
    try:
        push_redis(port, tmp_path)
        worker = machine.worker()
        machine.python("jobs.create_job(kind='linger', project=None, by=None)")
        machine.until(lambda row: row["progress_done"] >= 1)
        assert worker.poll() is None
        assert not (tmp_path / "canary").exists()
    finally:
        if worker is not None:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
        server.stop()

"""gunicorn's settings for production: `gunicorn -c epitome/site/gunicorn_conf.py epitome.site.wsgi`.

One process per core; each serves a few requests at once by threads, because requests wait for the database; more
threads only wait for each other. Idle and slow clients hold no thread (epitome/site/web_worker.py). Settings from the
environment:
EPITOME_BIND (127.0.0.1:8000), EPITOME_WORKERS (cores, at most 8), EPITOME_THREADS (4; at most half of EPITOME_DB_POOL,
because an export reads with two connections: with fewer, exports at once would wait for each other).
"""

import os
from typing import Any

from epitome.site import environment as env

bind = env.read_list("EPITOME_BIND") or ["127.0.0.1:8000"]
workers = env.read_number("EPITOME_WORKERS", max(2, min(8, os.cpu_count() or 2)), low=1, high=64)
threads = env.read_number("EPITOME_THREADS", 4, low=1, high=64)
pool = env.read_number("EPITOME_DB_POOL", 8, low=0, high=200)
if env.read_text("DATABASE_URL").startswith("postgres") and 0 < pool < 2 * threads:
    message = f"EPITOME_DB_POOL={pool} is too few for EPITOME_THREADS={threads}"
    raise env.BadSetting(f"{message}: set it to {2 * threads} or more")
del pool
worker_class = "epitome.site.web_worker.WebWorker"
worker_connections = 1000
keepalive = 75
timeout = 60
graceful_timeout = 30
# The code is loaded once and shared by all workers, which saves memory.
preload_app = True
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112 - heartbeats, never on a disk
max_requests = 50_000
max_requests_jitter = 5_000
accesslog = env.read_text("EPITOME_ACCESS_LOG") or None
errorlog = "-"
control_socket_disable = True  # it would be written to the home folder


def when_ready(_server: Any) -> None:
    """Exclude objects loaded before the fork from garbage collection, so that their memory pages stay shared."""
    import gc

    gc.collect()
    gc.freeze()


def child_exit(_server: Any, worker: Any) -> None:
    """A process that ended holds no connections."""
    from epitome.site.connection_shares import forget_process

    forget_process(worker.age)

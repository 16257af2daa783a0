"""gunicorn's threaded worker, fair under load: the client that waited longest is served next, by any free process.

A keep-alive connection belongs to one process. With more active clients than threads, one process may hold most of
them, and its clients wait several times as long as the others. So, while all threads of a process are busy, it accepts
no new connection and keeps none alive after its response: the client reconnects through the queue of the listening
socket, which is in order. With free threads, connections are kept alive as usual.
A client that connects and sends nothing waits in the poller and occupies no thread. gunicorn's own worker keeps a
thread five seconds for each: with four threads, twenty such clients stop the site for 25 seconds.

No public setting does this, so parts of the threaded worker that gunicorn does not document are overridden.
pyproject.toml caps its version, and tests/test_gunicorn_worker.py names each part and fails when it changes.
"""

import selectors
import time
from functools import partial
from typing import Any

from gunicorn.workers.gthread import ThreadWorker


class FairWorker(ThreadWorker):
    busy = 0  # requests in threads or waiting for one; only the main thread changes it
    _connections = _kept = 0

    @property
    def worker_connections(self) -> int:
        """How many connections may be open before no more are accepted; gunicorn reads it before every wait."""
        return self._connections if self.busy < self.cfg.threads else 0

    @worker_connections.setter
    def worker_connections(self, limit: int) -> None:
        self._connections = limit

    @property
    def max_keepalived(self) -> int:
        """How many idle connections are kept alive; gunicorn reads it before each response's headers."""
        return self._kept if self.busy < self.cfg.threads else 0

    @max_keepalived.setter
    def max_keepalived(self, limit: int) -> None:
        self._kept = limit

    def enqueue_req(self, conn: Any) -> None:
        if not (conn.initialized or conn.data_ready):
            self.park(conn)
            return
        self.busy += 1
        super().enqueue_req(conn)

    def park(self, conn: Any) -> None:
        """Wait for the first byte of a new connection without a thread."""
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + self.cfg.keepalive
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def finish_request(self, conn: Any, fs: Any) -> None:
        self.busy -= 1
        super().finish_request(conn, fs)

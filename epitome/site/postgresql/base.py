"""Django's PostgreSQL backend; a pooled connection that the server has closed is replaced before anybody uses it.

When PostgreSQL restarts or ends a connection, the client's socket becomes readable. Polling the socket costs a system
call and no round trip, so every connection is polled before it is handed out. A readable connection, and one unused
for IDLE_SECONDS (a network that broke says nothing), is asked with an empty statement.

CONN_HEALTH_CHECKS, the pool's own check, costs a round trip (.03 to .15 ms on one machine) and pauses longer after each
dead connection: with four of them a request waits beyond the pool's timeout of five seconds.
"""

import select
import time
from typing import Any
from weakref import WeakKeyDictionary

from django.db.backends.postgresql import base
from psycopg import Connection
from psycopg import Error as PsycopgError
from psycopg_pool import ConnectionPool

IDLE_SECONDS = 30.0


class DatabaseWrapper(base.DatabaseWrapper):
    last_uses: "WeakKeyDictionary[Connection[Any], float]" = WeakKeyDictionary()

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        pool = self.pool
        if pool is None:
            return connection
        for _replacement in range(pool.max_size):
            if self.is_alive(connection):
                break
            connection.close()
            pool.putconn(connection)
            connection = pool.getconn()
        self.last_uses[connection] = time.monotonic()
        return connection

    def is_alive(self, connection: "Connection[Any]") -> bool:
        """Whether the server still answers on this connection; without asking it where nothing speaks against."""
        unused = time.monotonic() - self.last_uses.get(connection, time.monotonic())
        try:
            if unused < IDLE_SECONDS and not is_readable(connection.fileno()):
                return True
            ConnectionPool.check_connection(connection)
        except (PsycopgError, OSError):
            return False
        return True


def is_readable(file_descriptor: int) -> bool:
    """Whether something arrived on the socket, or it was closed."""
    poll = select.poll()
    poll.register(file_descriptor, select.POLLIN)
    return bool(poll.poll(0))

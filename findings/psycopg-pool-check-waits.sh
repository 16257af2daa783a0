#!/usr/bin/env bash
# psycopg_pool: `check` waits longer after each dead connection, so a few of them outlast the timeout of a request.
#
# A pool with `check=ConnectionPool.check_connection` tests a connection before it hands it out. Expected: a pool whose
# connections the server has ended (a restart, a failover, an administrator) throws them away and opens a new one at once,
# since the server is up again. Seen with psycopg 3.3.9 and psycopg-pool 3.3.3: after each dead connection the request
# sleeps, twice as long each time (1, 2, 4 s ...). With one dead connection it takes some milliseconds, with two about 1 s,
# with three about 3 s, and with four or more and a timeout of 5 s the request ends with PoolTimeout, although a new
# connection would have taken milliseconds. So `CONN_HEALTH_CHECKS` with Django's pool does not carry a site over a
# restart of the server without failed requests.
#
# Needs a PostgreSQL server that may be connected to and whose own connections may be ended: PGURL, by default the local one.
set -euo pipefail
PGURL=${PGURL:-postgresql://postgres@127.0.0.1:5432/postgres}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'psycopg[binary]==3.3.9' 'psycopg-pool==3.3.3'
PGURL=$PGURL "$folder/venv/bin/python" - <<'PYTHON'
import logging
import os
import sys
import time

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

URL = os.environ["PGURL"]
logging.disable(logging.CRITICAL)
try:
    psycopg.connect(URL, connect_timeout=3).close()
except psycopg.OperationalError as error:
    sys.exit(f"not run: no PostgreSQL server answers ({error})")


def time_request(n_dead):
    """(seconds, outcome) of one request after the server ended all connections of a pool."""
    check = ConnectionPool.check_connection
    with ConnectionPool(URL, min_size=n_dead, max_size=n_dead, timeout=5, check=check, open=True) as pool:
        pool.wait()
        held = [pool.getconn() for _ in range(n_dead)]
        keys = [connection.info.backend_pid for connection in held]
        for connection in held:
            pool.putconn(connection)
        with psycopg.connect(URL, autocommit=True) as admin:
            for key in keys:
                admin.execute("select pg_terminate_backend(%s)", [key])
        time.sleep(0.3)
        began = time.monotonic()
        try:
            with pool.connection() as connection:
                connection.execute("select 1")
            return time.monotonic() - began, "answered"
        except PoolTimeout as error:
            return time.monotonic() - began, f"PoolTimeout: {error}"


seen = {}
for n_dead in (1, 2, 3, 4, 6):
    seconds, seen[n_dead] = time_request(n_dead)
    print(f"{n_dead} dead connections: {seen[n_dead]} after {seconds:.2f} s")
expected = {n: "answered" if n < 4 else "PoolTimeout: couldn't get a connection after 5.00 sec" for n in seen}
sys.exit(0 if seen == expected else f"changed: expected {expected}")
PYTHON

"""A connection that PostgreSQL has ended is replaced before a request gets it; a live one costs no round trip."""

import os
import time

import psycopg
import pytest
from django.db.utils import ConnectionHandler
from psycopg_pool import ConnectionPool

from epitome.site import environment as env
from epitome.site.postgresql.base import IDLE_SECONDS

SERVER = os.environ.get("EPITOME_TEST_DATABASE_URL", "")
pytestmark = [
    pytest.mark.db_engine,
    pytest.mark.skipif(not SERVER, reason="EPITOME_TEST_DATABASE_URL names no PostgreSQL server"),
]


@pytest.fixture(params=["1"])  # with more, connections are handed out in turn
def database(request, monkeypatch, tmp_path, django_db_blocker):
    """A pooled connection of Django's, closed afterwards."""
    monkeypatch.setenv("DATABASE_URL", SERVER)
    monkeypatch.setenv("EPITOME_DB_POOL", request.param)
    settings = env.database_settings("DATABASE_URL", tmp_path)
    handler = ConnectionHandler({"default": settings, "pooled": settings})
    with django_db_blocker.unblock():
        yield handler["pooled"]
        handler["pooled"].close()
        handler["pooled"].close_pool()


def backend_of(database) -> int:
    """Like a request: take a connection, use it, give it back."""
    with database.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        pid = cursor.fetchone()[0]
    database.close()
    return pid


def end_backend(pid: int) -> None:
    with psycopg.connect(SERVER, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", [pid])
        while connection.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone():
            pass


def test_an_ended_connection_is_replaced_before_it_is_used(database):
    pid = backend_of(database)
    assert backend_of(database) == pid
    end_backend(pid)
    assert backend_of(database) != pid


@pytest.mark.parametrize("database", ["4"], indirect=True)
def test_a_request_is_served_when_the_server_has_ended_every_connection(database):
    backend_of(database)  # opens the pool
    connections = [database.pool.getconn() for _place in range(4)]
    pids = {connection.info.backend_pid for connection in connections}
    for connection in connections:
        database.pool.putconn(connection)
    for pid in pids:
        end_backend(pid)
    assert backend_of(database) not in pids


@pytest.fixture
def asked(monkeypatch):
    """The connections that were asked with a round trip."""
    connections, ask = [], ConnectionPool.check_connection
    monkeypatch.setattr(ConnectionPool, "check_connection", lambda conn: connections.append(conn) or ask(conn))
    return connections


def test_a_live_connection_costs_no_round_trip_unless_it_was_idle_for_long(database, asked, monkeypatch):
    pid = backend_of(database)
    assert backend_of(database) == pid
    assert asked == []
    later = time.monotonic() + IDLE_SECONDS + 1
    monkeypatch.setattr("epitome.site.postgresql.base.time.monotonic", lambda: later)
    assert backend_of(database) == pid
    assert len(asked) == 1

"""Parts read ahead by a thread: the same parts, and nothing left behind by whoever stops halfway."""

import threading

import pytest
from django.db import connection

from annotation.models import Project
from annotation.services.exports.prefetch import read_ahead
from annotation.services.people.projects import create_project


def names():
    for number in range(5):
        yield number, threading.current_thread().name, list(Project.objects.values_list("slug", flat=True))


def readers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("read-ahead")]


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_parts_come_in_order_from_a_thread_that_ends():
    create_project(slug="one", schema="macsum-doc")
    items = list(read_ahead(names()))
    assert [number for number, _thread, _slugs in items] == [0, 1, 2, 3, 4]
    assert all(thread.startswith("read-ahead") and slugs == ["one"] for _number, thread, slugs in items)
    assert readers() == []


def count_connections():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        return cursor.fetchone()[0]


@pytest.mark.db_engine
@pytest.mark.django_db(transaction=True)
def test_who_stops_halfway_leaves_no_thread_and_no_connection():
    ahead = read_ahead(names())
    next(ahead)
    ahead.close()
    assert readers() == []
    if connection.vendor == "postgresql":
        assert any(count_connections() == 1 for _look in range(500))  # the server ends a process after its connection


@pytest.mark.django_db(transaction=True)
def test_a_fault_while_reading_reaches_the_caller():
    def broken():
        yield 1
        raise ValueError("the table is gone")

    ahead = read_ahead(broken())
    assert next(ahead) == 1
    with pytest.raises(ValueError, match="the table is gone"):
        next(ahead)
    assert readers() == []


@pytest.mark.django_db
def test_within_a_transaction_what_it_wrote_is_seen():
    create_project(slug="uncommitted", schema="macsum-doc")
    items = list(read_ahead(names()))
    assert {thread for _number, thread, _slugs in items} == {threading.current_thread().name}
    assert all(slugs == ["uncommitted"] for _number, _thread, slugs in items)

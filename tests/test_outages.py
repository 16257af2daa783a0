"""What people and scripts are answered while the database is away or a disk is full; never a bare 500."""

import errno
import json
import logging
import sqlite3
from contextlib import contextmanager
from io import BytesIO

import psycopg
import pytest
from django.core.signals import request_finished, request_started
from django.db import InterfaceError, OperationalError, close_old_connections
from django.test import Client, RequestFactory
from django.urls import reverse

from annotation.models import Annotation
from annotation.outages import find_outage
from annotation.services.core.log_filters import ShortenKnown
from annotation.services.tasks import submit
from annotation.views.accounts.sign_in import SignIn
from epitome.site.repeating import read_repeatable_body
from epitome.site.wsgi import application
from tests.tasks.conftest import Caller
from tests.tasks.factories import make_people, make_project, payload

BROKEN, UNAVAILABLE, FULL = 500, 503, 507


def caused(error, cause):
    error.__cause__ = cause
    return error


def sqlite_error(name, text):
    error = sqlite3.OperationalError(text)
    error.sqlite_errorname = name
    return error


def lost_connection():
    text = "server closed the connection unexpectedly"
    return caused(OperationalError(text), psycopg.OperationalError(text))


def fail_with(error, monkeypatch, times=100):
    """Let the sign-in page fail so many times; returns the list of its calls."""
    calls, show = [], SignIn.get

    def get(self, request, *arguments, **options):
        calls.append(request)
        if len(calls) <= times:
            raise error
        return show(self, request, *arguments, **options)

    monkeypatch.setattr(SignIn, "get", get)
    return calls


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (lost_connection(), UNAVAILABLE),
        (caused(InterfaceError("closed"), psycopg.InterfaceError("the connection is closed")), UNAVAILABLE),
        (caused(OperationalError("locked"), sqlite_error("SQLITE_BUSY", "database is locked")), UNAVAILABLE),
        (caused(OperationalError("full"), sqlite_error("SQLITE_FULL", "database or disk is full")), FULL),
        (caused(OperationalError("full"), psycopg.errors.DiskFull("No space left on device")), FULL),
        (OSError(errno.ENOSPC, "No space left on device"), FULL),
        (caused(OperationalError("no such table"), sqlite_error("SQLITE_ERROR", "no such table: x")), None),
        (OSError(errno.ENOENT, "No such file"), None),
        (ValueError("a fault of the program"), None),
    ],
)
def test_outages_are_told_from_faults_of_the_program(error, status):
    outage = find_outage(error)
    assert (outage.status if outage else None) == status


def test_what_sqlite_says_of_a_full_disk_is_understood():
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.OperationalError) as full:
        connection.execute("CREATE TABLE rows AS SELECT zeroblob(100000)")
    connection.close()
    assert find_outage(caused(OperationalError("full"), full.value)).status == FULL


@pytest.mark.parametrize(
    ("error", "status", "wait", "words"),
    [
        (lost_connection(), UNAVAILABLE, "5", "The database is not responding"),
        (OSError(errno.ENOSPC, "No space left on device"), FULL, "60", "out of disk space"),
    ],
)
def test_a_page_says_what_is_wrong_and_when_to_come_back(db, monkeypatch, error, status, wait, words):
    fail_with(error, monkeypatch)
    answer = Client(raise_request_exception=False).get("/sign-in/")
    assert (answer.status_code, answer["Retry-After"]) == (status, wait)
    assert words in answer.content.decode()
    assert "Something went wrong" not in answer.content.decode()


def test_a_call_answers_a_problem_document(db, monkeypatch):
    def fail(**_options):
        raise lost_connection()

    project = make_project(documents=1)
    caller = Caller(*make_people(1, project))
    caller.client.raise_request_exception = False
    monkeypatch.setattr("annotation.services.tasks.claim.claim_next", fail)
    answer = caller.claim()
    assert (answer.status_code, answer["Retry-After"]) == (UNAVAILABLE, "5")
    assert answer["Content-Type"] == "application/problem+json"
    assert (answer.data_out["status"], answer.data_out["code"]) == (UNAVAILABLE, "unavailable")
    assert "try again" in answer.data_out["detail"]


def test_a_session_that_cannot_be_loaded_is_no_fault_of_the_program(db, monkeypatch):
    def fail(_store):
        raise lost_connection()

    monkeypatch.setattr("annotation.services.accounts.sessions.SessionStore.load", fail)
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "k" * 32
    assert client.get("/").status_code == UNAVAILABLE


@contextmanager
def keep_connection():
    """Requests that do not come from Django's test client leave the transaction of the test open."""
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


def run_wsgi(request):
    """(status, body) of a request through the application that gunicorn serves."""
    heads = []
    with keep_connection():
        response = application(request.environ, lambda *head: heads.append(head))
        body = b"".join(response)
        response.close()
    return heads[-1][0], body


def test_a_page_is_rendered_again_on_another_connection(db, monkeypatch):
    calls = fail_with(lost_connection(), monkeypatch, times=1)
    status, body = run_wsgi(RequestFactory(SERVER_NAME="localhost").get("/sign-in/"))
    assert (status, len(calls)) == ("200 OK", 2)
    assert b"password" in body


@pytest.mark.parametrize(
    "error",
    [
        caused(OperationalError("x"), type("PoolTimeout", (psycopg.OperationalError,), {})("too long")),
        ValueError("a fault of the program"),
    ],
)
def test_a_page_that_would_fail_again_is_rendered_once(db, monkeypatch, error):
    calls = fail_with(error, monkeypatch)
    status, _body = run_wsgi(RequestFactory(SERVER_NAME="localhost").get("/sign-in/"))
    assert status.startswith("5")
    assert len(calls) == 1


def test_a_call_that_may_have_stored_something_runs_once(db, monkeypatch):
    calls = []

    def fail(**_options):
        calls.append(1)
        raise lost_connection()

    caller = Caller(*make_people(1, make_project(documents=1)))
    address = reverse("api-skip", args=[caller.claim().data_out["id"]])
    monkeypatch.setattr("annotation.services.tasks.skip.skip_task", fail)
    request = RequestFactory(**caller.client.defaults).post(address, b'{"reason": "other"}', "application/json")
    status, _body = run_wsgi(request)
    assert (status, len(calls)) == ("503 Service Unavailable", 1)


@pytest.mark.db_engine
def test_a_submit_whose_commit_was_not_confirmed_is_sent_again_and_stored_once(db, monkeypatch):
    store, stored = submit._store_submission, []

    def store_and_lose(*arguments, **options):
        stored.append(store(*arguments, **options))
        if len(stored) == 1:
            raise lost_connection()
        return stored[-1]

    project = make_project(documents=1, groups=1, size=2, frozen=True)
    caller = Caller(*make_people(1, project))
    task = caller.claim().data_out["id"]
    monkeypatch.setattr("annotation.services.tasks.submit._store_submission", store_and_lose)
    body = json.dumps({"payload": payload()}).encode()
    headers = {**caller.client.defaults, "HTTP_IDEMPOTENCY_KEY": "key-1"}
    request = RequestFactory().post(reverse("api-submit", args=[task]), body, "application/json", **headers)
    status, answer = run_wsgi(request)
    assert status == "201 Created"
    assert json.loads(answer)["id"] == str(Annotation.objects.get().public_id)


def test_a_claim_and_a_submit_with_a_key_keep_their_body_for_a_second_run():
    def read(path, **headers):
        request = RequestFactory().post(path, b"{}", "application/json", **headers)
        return read_repeatable_body({**request.environ, "wsgi.input": BytesIO(b"{}")})

    address = reverse("api-submit", args=["5d6a1c2e-0000-4000-8000-000000000000"])
    assert read(address, HTTP_IDEMPOTENCY_KEY="k") == b"{}"
    assert read(address) is None
    assert read(reverse("api-claim", args=["news"])) == b"{}"
    assert read("/api/v1/projects/", HTTP_IDEMPOTENCY_KEY="k") is None
    assert read(address, HTTP_IDEMPOTENCY_KEY="k", CONTENT_LENGTH=str(3 * 1024 * 1024)) is None


def log_line(name, error):
    record = logging.LogRecord(name, logging.ERROR, "", 1, "%s: %s", ("Bad", "/x/%s/"), (type(error), error, None))
    assert ShortenKnown().filter(record)
    return logging.Formatter().format(record)


def test_an_outage_takes_one_line_of_the_log_and_a_fault_keeps_its_traceback():
    assert log_line("django.request", lost_connection()) == (
        "Bad: /x/%s/ (OperationalError: server closed the connection unexpectedly)"
    )
    assert "ValueError" in log_line("django.request", ValueError("x"))
    assert "\n" in log_line("django.request", ValueError("x"))


def test_a_foreign_host_takes_one_line_of_the_log(db, capfd, settings):
    stream = logging.StreamHandler()
    logger = logging.getLogger("django.security.DisallowedHost")
    logger.addHandler(stream)
    try:
        assert Client().get("/sign-in/", SERVER_NAME="evil.example").status_code == 400
    finally:
        logger.removeHandler(stream)
    lines = capfd.readouterr().err.splitlines()
    assert lines and not any("Traceback" in line for line in lines)

"""EPITOME_LOG_FORMAT=json: one JSON object per line, in web processes and workers."""

import io
import json
import logging

import pytest

from annotation.jobs import run_job
from annotation.jobs.registry import HANDLERS, Handler
from annotation.services.core.job_start import start_job
from epitome.site.log_format import JsonFormatter
from epitome.site.request_log import current_request, loggable_path
from tests.commands import run_manage


@pytest.fixture
def lines():
    """The lines that the root handler would write."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.mark.django_db
def test_each_request_is_one_object_with_its_status_and_time(lines, client):
    client.get("/sign-in/?next=/secret")
    (line,) = [line for line in lines() if line["logger"] == "epitome.site.request_log"]
    assert (line["level"], line["method"], line["path"], line["status"]) == ("INFO", "GET", "/sign-in/", 200)
    assert line["ms"] >= 0
    assert line["time"].endswith("+00:00")
    assert len(line["request_id"]) == 32
    assert current_request() == {}


@pytest.mark.django_db
def test_every_line_of_a_request_has_its_id(lines, client):
    client.get("/nothing-here/")
    assert {line["logger"] for line in lines()} >= {"epitome.site.request_log", "django.request"}
    assert len({line["request_id"] for line in lines()}) == 1


@pytest.mark.django_db
def test_a_page_that_breaks_tells_the_traceback_and_its_request_in_one_line(lines, client, monkeypatch):
    from django.contrib.auth.forms import AuthenticationForm

    def broken(*_args, **_named):
        logging.getLogger("somewhere").warning("first\nsecond %s", "\u202e")
        raise RuntimeError("broken here")

    monkeypatch.setattr(AuthenticationForm, "__init__", broken)
    client.raise_request_exception = False
    assert client.get("/sign-in/").status_code == 500
    warning = next(line for line in lines() if line["logger"] == "somewhere")
    error = next(line for line in lines() if "exception" in line)
    assert warning["message"] == "first\nsecond \u202e"
    assert "RuntimeError: broken here" in error["exception"]
    assert (error["level"], error["status"], error["path"]) == ("ERROR", 500, "/sign-in/")
    assert error["request_id"] == warning["request_id"]


@pytest.mark.django_db
def test_a_job_that_breaks_is_one_object(lines, monkeypatch):
    def break_job(_job, _progress):
        raise RuntimeError("no memory")

    monkeypatch.setitem(HANDLERS._extensions, "broken", Handler("broken", "Broken", "default", break_job))
    run_job(start_job(kind="broken", project=None, by=None).pk)
    line = next(line for line in lines() if line["logger"] == "annotation.jobs.running")
    assert "no memory" in line["exception"]
    assert "request_id" not in line


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/join/abc/", "/join/..."),
        ("/take-part/abc/", "/take-part/..."),
        ("/password/reset/MQ/token/", "/password/reset/..."),
        ("/password/reset/", "/password/reset/"),
        ("/p/news/", "/p/news/"),
    ],
)
def test_links_that_let_people_in_are_not_logged(path, logged):
    assert loggable_path(path) == logged


def test_the_setting_chooses_the_format(tmp_path):
    command = ("shell", "--no-imports", "-c", "import logging; logging.getLogger('a.b').warning('said %s', 1)")
    line = json.loads(run_manage(tmp_path, *command, EPITOME_LOG_FORMAT="json").stderr)
    assert (line["level"], line["logger"], line["message"]) == ("WARNING", "a.b", "said 1")
    assert "WARNING a.b: said 1" in run_manage(tmp_path, *command).stderr
    refused = run_manage(tmp_path, *command, EPITOME_LOG_FORMAT="xml")
    assert refused.returncode == 1
    assert "EPITOME_LOG_FORMAT" in refused.stderr

"""`manage.py demo` as a new user starts it: it prints where to go and who to be, and leaves nothing running."""

import io
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from contextlib import closing, contextmanager
from http.cookiejar import CookieJar
from importlib.util import find_spec
from pathlib import Path

import pytest

from annotation.management.start_steps import StartSteps
from epitome.site import demo_start, settings, supervise

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 600  # seconds until a start that hangs is ended; says nothing about how quick it is
WITH_MODELS = all(find_spec(name) for name in ("torch", "transformers"))
ROLES = {"annotator", "rater", "reviewer", "researcher", "admin"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def read_until(process, pattern):
    """Lines of its output up to the first that matches; a process that takes too long is ended."""
    lines, watchdog = [], threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    try:
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if re.search(pattern, line):
                return lines
    finally:
        watchdog.cancel()
    raise AssertionError(f"no line matching {pattern!r} in {lines}")


def processes_in(folder):
    """Ids of processes whose environment names the folder."""
    items = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (
                    str(folder).encode() in (entry / "environ").read_bytes()
                    and "zombie" not in (entry / "status").read_text().split("State:")[1].split("\n")[0]
                ):
                    items.append(int(entry.name))
            except OSError:
                continue
    return items


class Browser:
    """A cookie-keeping reader of pages, without JavaScript."""

    def __init__(self, base):
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def get(self, path):
        return self.opener.open(self.base + path, timeout=20).read().decode()

    def post(self, path, page, **fields):
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page).group(1)
        data = urllib.parse.urlencode({"csrfmiddlewaretoken": token, **fields}).encode()
        with self.opener.open(self.base + path, data, timeout=20) as answer:
            return answer.url, answer.read().decode()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="reads /proc to find processes that were left behind")
def test_the_demo_starts_serves_a_task_and_ends_whole(tmp_path):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("EPITOME_", "DATABASE_"))}
    env = {
        **env,
        "EPITOME_DATA_DIR": str(tmp_path),
        "DATABASE_URL": "",
        "DJANGO_SETTINGS_MODULE": "epitome.site.settings",
    }
    with running_demo(tmp_path, env) as (browser, logins):
        assert set(logins) == ROLES
        home = sign_in(browser, logins["annotator"])
        assert 'data-action="next-task"' in home
        for slug in ("example-news", "example-meetings"):
            work = browser.get(f"/p/{slug}/work/")
            url, page = browser.post(f"/p/{slug}/next/", work)
            assert "/tasks/" in url
            assert "turn-text" in page
        assert ("/p/training-example/" in home) == WITH_MODELS

    assert demo_start.holds_migrations(tmp_path / "epitome.sqlite3", settings.INSTALLED_APPS)
    with running_demo(tmp_path, env) as (browser, logins):
        assert set(logins) == ROLES
        assert "data-jobs-menu" in sign_in(browser, logins["admin"]), "a second start, its checks beside the web server"


@contextmanager
def running_demo(folder, env):
    """A demo that has printed its lines: a browser, the logins. It ends whole, also by an impatient second signal."""
    port = free_port()
    demo = subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", str(port)], cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True
    )
    try:
        lines = read_until(demo, "Ctrl-C")
        assert f"http://127.0.0.1:{port}/" in lines[0]
        logins = {line.split()[1]: line.split()[2:] for line in lines if line.startswith("login: ")}
        yield Browser(f"http://127.0.0.1:{port}"), logins
    finally:
        demo.send_signal(signal.SIGTERM)
        demo.send_signal(signal.SIGINT)
        code = demo.wait(timeout=PATIENCE)
    assert code == 0
    assert processes_in(folder) == []


def sign_in(browser, login):
    """The page after it."""
    name, password = login
    _url, home = browser.post("/sign-in/", browser.get("/sign-in/"), username=name, password=password)
    return home


def record_migrations(database, migrations):
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE django_migrations (app TEXT, name TEXT)")
        connection.executemany("INSERT INTO django_migrations VALUES (?, ?)", migrations)


def test_the_web_server_comes_first_only_with_every_migration_of_this_code(tmp_path):
    apps = ["annotation", "django.contrib.auth", "django.contrib.staticfiles"]
    migrations = demo_start.list_migrations(apps)
    assert {("annotation", "0001_initial"), ("auth", "0001_initial")} <= migrations
    assert not demo_start.holds_migrations(tmp_path / "deleted.sqlite3", apps)
    (tmp_path / "damaged.sqlite3").write_bytes(b"no database")
    assert not demo_start.holds_migrations(tmp_path / "damaged.sqlite3", apps)
    record_migrations(tmp_path / "older.sqlite3", sorted(migrations)[:-1])
    assert not demo_start.holds_migrations(tmp_path / "older.sqlite3", apps)
    record_migrations(tmp_path / "newer.sqlite3", [*migrations, ("annotation", "9999_of_a_later_version")])
    assert demo_start.holds_migrations(tmp_path / "newer.sqlite3", apps)


@pytest.mark.parametrize(
    ("words", "port"),
    [
        ([], 8000),
        (["--port", "9000"], 9000),
        (["--port", "x"], None),
        (["--port", "70000"], None),
        (["--reset"], None),
        (["--port", "9000", "--with-model"], None),
    ],
)
def test_other_options_than_the_port_are_left_to_the_command(words, port):
    assert demo_start.read_port(words) == port


def test_a_preparation_gives_the_lines_or_its_exit_status():
    printed = json.dumps({"step": "4/4 web ...", "lines": ["login: admin"]})
    children = []
    plan = supervise.Plan(commands=[], probe="", preparation=[sys.executable, "-c", f"print({printed!r})"])
    assert supervise.run_preparation(plan, children) == 0
    assert (plan.step, plan.lines, children) == ("4/4 web ...", ["login: admin"], [])
    plan.preparation = [sys.executable, "-c", "raise SystemExit(3)"]
    assert supervise.run_preparation(plan, children) == 3


def test_each_step_of_a_start_is_printed_with_its_number_and_time():
    stream = io.StringIO()
    steps = StartSteps(stream, 2)
    with steps.step("static files"):
        assert stream.getvalue() == "1/2 static files ... ", "printed before the work, not after it"
    assert re.fullmatch(r"1/2 static files \.\.\. \d+\.\d s\n", stream.getvalue())
    assert steps.name_next("web server") == "2/2 web server ..."


def test_steps_go_on_from_those_of_make(monkeypatch):
    monkeypatch.setenv("STEPS_BEFORE", "1")
    assert StartSteps(io.StringIO(), 4).name_next("database") == "2/5 database ..."


@pytest.mark.django_db
def test_a_database_that_is_up_to_date_is_not_migrated(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("migrated")

    monkeypatch.setattr("annotation.management.start_steps.call_command", refuse)
    stream = io.StringIO()
    StartSteps(stream, 1).migrate()
    assert stream.getvalue().startswith("1/1 database (up to date) ... ")


def test_a_port_in_use_is_said_in_words(tmp_path):
    with socket.socket() as result:
        result.bind(("127.0.0.1", 0))
        result.listen()
        port = result.getsockname()[1]
        env = {**os.environ, "EPITOME_DATA_DIR": str(tmp_path), "DATABASE_URL": ""}
        completed = subprocess.run(
            [sys.executable, "manage.py", "demo", "--port", str(port)],
            cwd=ROOT,
            env=env,
            capture_output=True,
            text=True,
        )

    assert completed.returncode == 1
    assert f"port {port} is in use" in completed.stderr
    assert "Traceback" not in completed.stderr

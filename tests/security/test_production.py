"""Production: what every kind of answer carries, and what the start refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "EPITOME_ENV": "production",
    "EPITOME_SECRET_KEY": "s" * 25 + "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
    "EPITOME_HOSTS": "epitome.example.org",
    "DATABASE_URL": "postgresql://epitome@127.0.0.1:9/nothing",  # nobody listens there
    "EPITOME_DB_POOL": "0",
    "EPITOME_EMAIL_HOST": "127.0.0.1",
}
STATIC = {"static", "static script"}
PROBLEMS = {"a call", "no such endpoint", "a broken body"}
STATUS = {
    "a page": 200,
    "nothing there": 404,
    "way to the sign-in": 302,
    "without a token": 403,
    "wrong method": 405,
    "colours": 302,
    "another host": 400,
    "static": 200,
    "static script": 200,
    "no such static": 404,
    "a call": 401,
    "no such endpoint": 404,
    "a broken body": 401,
    "without TLS": 301,
    "broken": 503,
}


def start(folder: Path, *command: str, **changed: str) -> subprocess.CompletedProcess:
    by_key = {
        key: value for key, value in os.environ.items() if not key.startswith(("EPITOME_", "DATABASE_", "DJANGO_"))
    }
    env = {**by_key, "EPITOME_DATA_DIR": str(folder), **PRODUCTION, **changed}
    return subprocess.run([sys.executable, *command], cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict:
    result = start(tmp_path_factory.mktemp("production"), "-m", "tests.security.production_answers")
    assert result.returncode == 0, result.stderr[-3000:]
    return json.loads(result.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def answers(told) -> dict:
    return told["answers"]


def test_the_kinds_of_answers_are_what_they_should_be(answers):
    assert {name: answer["status"] for name, answer in answers.items()} == STATUS


@pytest.mark.parametrize("name", STATUS)
def test_every_answer_is_guarded(answers, name):
    headers = answers[name]["headers"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    if name != "without TLS":  # over plain HTTP browsers ignore it, and it is not sent
        assert headers["strict-transport-security"] == "max-age=31536000; includeSubDomains; preload"


@pytest.mark.parametrize("name", sorted(set(STATUS) - STATIC))
def test_every_answer_but_a_static_file_is_private_and_under_the_policy(answers, name):
    headers = answers[name]["headers"]
    if name == "without TLS":
        assert headers["location"] == "https://epitome.example.org/sign-in/"
        return
    policy = dict(word.strip().split(" ", 1) for word in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'self'" and policy["frame-ancestors"] == "'none'"
    assert policy["object-src"] == policy["base-uri"] == "'none'" and policy["form-action"] == "'self'"
    assert "unsafe" not in headers["content-security-policy"] and "http" not in headers["content-security-policy"]
    assert "no-store" in headers["cache-control"] and "private" in headers["cache-control"]


def test_static_files_are_for_ever(answers):
    for name in STATIC:
        assert "immutable" in answers[name]["headers"]["cache-control"]
        assert answers[name]["cookies"] == {}


def test_every_cookie_is_secure(told):
    seen = set()
    for name, answer in told["answers"].items():
        for key, cookie in answer["cookies"].items():
            seen.add(key)
            assert cookie["secure"] and cookie["samesite"] == "Lax" and cookie["path"] == "/", (name, key)
            assert not cookie["domain"], (name, key)
    assert seen == {"__Host-csrf", "theme"}
    values = told["settings"]
    assert values["SESSION_COOKIE_NAME"] == "__Host-session" and values["SESSION_COOKIE_SECURE"]
    assert values["SESSION_COOKIE_HTTPONLY"] and values["SESSION_COOKIE_SAMESITE"] == "Lax"
    assert values["SESSION_COOKIE_PATH"] == "/" and not values["SESSION_COOKIE_DOMAIN"]


def test_no_check_is_silenced(told):
    assert told["settings"]["SILENCED_SYSTEM_CHECKS"] == []


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"EPITOME_SECRET_KEY": ""}, "EPITOME_SECRET_KEY"),
        ({"EPITOME_HOSTS": ""}, "EPITOME_HOSTS"),
        ({"EPITOME_HOSTS": "a.example.org,*"}, "EPITOME_HOSTS"),
        ({"EPITOME_PROXY_IPS": "proxy"}, "EPITOME_PROXY_IPS"),
        ({"EPITOME_EMAIL_HOST": ""}, "EPITOME_EMAIL_HOST"),
        ({"EPITOME_EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}, "EPITOME_PASSWORD_RESETS=0"),
        ({"EPITOME_EMAIL_SECURITY": "ssl"}, "EPITOME_EMAIL_SECURITY"),
        ({"EPITOME_FAKE_SYSTEMS": "1"}, "EPITOME_FAKE_SYSTEMS"),
        ({"EPITOME_METRICS_TOKEN": "short"}, "EPITOME_METRICS_TOKEN"),
    ],
)
def test_the_site_does_not_start_without(tmp_path, changed, named):
    result = start(tmp_path, "-c", "import epitome.site.wsgi", **changed)

    assert result.returncode != 0
    assert named in result.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    "changed",
    [
        {"EPITOME_EMAIL_HOST": "", "EPITOME_PASSWORD_RESETS": "0"},
        {"EPITOME_EMAIL_HOST": "", "EPITOME_EMAIL_BACKEND": "mailer.backends.Ours"},
    ],
)
def test_the_site_starts_with_resets_switched_off_or_another_way_to_send_mail(tmp_path, changed):
    result = start(tmp_path, "-c", "import epitome.site.settings", **changed)

    assert (result.returncode, result.stderr) == (0, "")

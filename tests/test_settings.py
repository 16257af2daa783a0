"""Settings come from the environment; a bad value stops the start with one line that names it."""

import pytest

from tests.commands import run_manage


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://root@localhost/x"),
        ("DATABASE_URL", "postgresql://localhost:notaport/x"),
        ("DATABASE_URL", "postgresql://localhost"),
        ("DATABASE_URL", "sqlite://"),
        ("EPITOME_ENV", "staging"),
        ("EPITOME_DEBUG", "maybe"),
        ("EPITOME_BROKER_URL", "amqp://localhost"),
        ("EPITOME_CHAT_SERVERS", "http://localhost:8000/v1"),
        ("EPITOME_LEASE_MINUTES", "soon"),
        ("EPITOME_LEASE_MINUTES", "0"),
    ],
)
def test_a_bad_value_stops_the_start_and_is_named(tmp_path, name, value):
    done = run_manage(tmp_path, **{name: value})

    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert name in done.stderr


PRODUCTION = {
    "EPITOME_ENV": "production",
    "EPITOME_SECRET_KEY": "s" * 25 + "-0123456789abcdefghijklmnopqrstuvwxyzABCDEFG",
    "EPITOME_HOSTS": "epitome.example.org",
    "DATABASE_URL": "postgresql://epitome@db.example.org/epitome",
    "EPITOME_EMAIL_HOST": "mail.example.org",
}


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        ({"EPITOME_SECRET_KEY": ""}, "EPITOME_SECRET_KEY"),
        ({"EPITOME_SECRET_KEY": "short"}, "EPITOME_SECRET_KEY"),
        ({"EPITOME_HOSTS": ""}, "EPITOME_HOSTS"),
        ({"EPITOME_HOSTS": "*"}, "EPITOME_HOSTS"),
        ({"DATABASE_URL": ""}, "DATABASE_URL"),
    ],
)
def test_production_refuses_to_start_without(tmp_path, missing, named):
    done = run_manage(tmp_path, **{**PRODUCTION, **missing})

    assert done.returncode == 1
    assert named in done.stderr


def test_a_production_setup_passes_djangos_deployment_check(tmp_path):
    done = run_manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)

    assert done.returncode == 0, done.stderr


def test_outside_production_a_key_is_made_once_and_kept_private(tmp_path):
    run_manage(tmp_path)
    first = (tmp_path / "secret_key").read_text()
    run_manage(tmp_path)

    assert (tmp_path / "secret_key").read_text() == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600

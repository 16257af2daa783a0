"""Settings come from the environment; a bad value stops the start with one line that names it."""

import threading

import pytest

from epitome.site import environment
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
    manage = run_manage(tmp_path, **{name: value})

    assert manage.returncode == 1
    assert len(manage.stderr.strip().splitlines()) == 1
    assert name in manage.stderr


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
    manage = run_manage(tmp_path, **{**PRODUCTION, **missing})

    assert manage.returncode == 1
    assert named in manage.stderr


def test_production_takes_an_sqlite_file_that_is_named(tmp_path):
    manage = run_manage(tmp_path, **{**PRODUCTION, "DATABASE_URL": f"sqlite:///{tmp_path}/site.sqlite3"})

    assert manage.returncode == 0, manage.stderr


def test_a_production_setup_passes_djangos_deployment_check(tmp_path):
    manage = run_manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)

    assert manage.returncode == 0, manage.stderr


def test_outside_production_a_key_is_made_once_and_kept_private(tmp_path):
    run_manage(tmp_path)
    first = (tmp_path / "secret_key").read_text()
    run_manage(tmp_path)

    assert (tmp_path / "secret_key").read_text() == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_processes_that_start_together_have_the_same_key(tmp_path):
    """Each sees the file only when it holds the key, whoever was first."""
    start = threading.Barrier(8)
    keys = []

    def read_key():
        start.wait()
        keys.append(environment.secret_key("EPITOME_TEST_NO_KEY", tmp_path, production=False))

    for _round in range(20):
        (tmp_path / "secret_key").unlink(missing_ok=True)
        keys.clear()
        threads = [threading.Thread(target=read_key) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(keys) == {(tmp_path / "secret_key").read_text()}
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_behind_a_pooler_nothing_is_kept_in_a_server_session(monkeypatch, tmp_path):
    monkeypatch.setenv("DATABASE_URL", "postgresql://epitome@pooler:6432/epitome")
    monkeypatch.setenv("EPITOME_DB_PREPARE", "0")
    monkeypatch.setenv("EPITOME_DB_POOL", "0")
    behind = environment.database_settings("DATABASE_URL", tmp_path)
    assert behind["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert not {"prepare_threshold", "options", "pool"}.intersection(behind["OPTIONS"])
    monkeypatch.delenv("EPITOME_DB_PREPARE")
    assert environment.database_settings("DATABASE_URL", tmp_path)["DISABLE_SERVER_SIDE_CURSORS"] is False


@pytest.mark.parametrize(("before", "after"), [(None, 0o700), (0o755, 0o700), (0o777, 0o770), (0o2775, 0o2770)])
def test_others_cannot_look_into_the_data_folder(tmp_path, monkeypatch, before, after):
    folder = tmp_path / "data"
    if before is not None:
        folder.mkdir()
        folder.chmod(before)
    monkeypatch.setenv("EPITOME_DATA_DIR", str(folder))
    assert environment.private_folder("EPITOME_DATA_DIR", tmp_path) == folder
    assert folder.stat().st_mode & 0o7777 == after

"""gunicorn's settings: what would let requests wait for each other stops the start."""

import runpy

import pytest

from epitome.site.environment import BadSetting

FILE = "epitome/site/gunicorn_conf.py"


@pytest.mark.parametrize(("pool", "threads"), [("8", "4"), ("0", "16"), ("12", "6")])
def test_a_pool_with_two_connections_per_thread_is_taken(monkeypatch, pool, threads):
    monkeypatch.setenv("DATABASE_URL", "postgresql://host/name")
    monkeypatch.setenv("EPITOME_DB_POOL", pool)
    monkeypatch.setenv("EPITOME_THREADS", threads)
    assert runpy.run_path(FILE)["threads"] == int(threads)


def test_a_smaller_pool_stops_the_start_and_says_what_to_set(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://host/name")
    monkeypatch.setenv("EPITOME_DB_POOL", "7")
    monkeypatch.delenv("EPITOME_THREADS", raising=False)
    with pytest.raises(BadSetting, match=r"EPITOME_DB_POOL=7 .* EPITOME_THREADS=4: set it to 8"):
        runpy.run_path(FILE)


def test_sqlite_has_no_pool(monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "")
    monkeypatch.setenv("EPITOME_THREADS", "16")
    assert runpy.run_path(FILE)["threads"] == 16

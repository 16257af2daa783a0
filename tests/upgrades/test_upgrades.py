"""A site of the version before is upgraded with its rows, and migrations that have landed stay as they are."""

import json
import os
import subprocess
import sys

import pytest

from benchmarks.databases import MIGRATED, own_database
from tests.conftest import ROOT, on_sqlite
from tests.upgrades.landed import find_last, hash_migrations, read_record


def test_migrations_that_have_landed_are_not_edited():
    """A site that has run one does not run it again: what is to be otherwise is another migration."""
    now, landed = hash_migrations(), read_record()["migrations"]
    assert {name for name, hash_ in landed.items() if now.get(name) != hash_} == set()


def test_the_record_is_of_migrations_that_exist():
    record = read_record()
    assert {f"{app}/{name}" for app, name in record["before"].items()} <= set(record["migrations"])
    assert all(name <= find_last(hash_migrations())[app] for app, name in record["before"].items())


@pytest.mark.db_engine
def test_a_site_with_rows_is_upgraded_and_nothing_is_lost(migrated, tmp_path):
    """Texts, answers, scores, marks and members, as rows and as people are shown them."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "EPITOME_DATA_DIR": str(tmp_path / "data")}
    env["EPITOME_UPGRADE_FROM"] = json.dumps(read_record()["before"])
    engine = "sqlite" if on_sqlite() else "postgresql"
    os.environ[MIGRATED] = str(migrated(tmp_path / "empty.sqlite3"))
    try:
        with own_database(engine, tmp_path) as url:
            command = [sys.executable, "-m", "tests.upgrades.there_and_back"]
            done = subprocess.run(command, cwd=ROOT, env={**env, "DATABASE_URL": url}, capture_output=True, text=True)
    finally:
        del os.environ[MIGRATED]
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["tables"] >= 45 and found["rows"] >= 500, found
    assert {table: n for table, n in found["lost"].items() if n} == {}
    assert {table: n for table, n in found["added"].items() if n} == {}
    assert found["refused"] == {} and found["seen_otherwise"] == {}

"""Databases for tests: a migrated one, made once per run and copied, and rows that tests of one module share."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import transaction

ROOT = Path(__file__).resolve().parent.parent


def template(factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file without rows, made by whichever worker of this run asks first."""
    base = factory.getbasetemp()
    folder = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    made = folder / "template.sqlite3"
    with (folder / "template.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            half = folder / "half.sqlite3"
            env = {**os.environ, "DATABASE_URL": f"sqlite:///{half}", "EPITOME_DATA_DIR": str(folder / "template-data")}
            command = [sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
            half.replace(made)
    return made


def copy_of(made: Path, target: Path) -> Path:
    """The file and what it has not yet taken over from its log."""
    for suffix in ("", "-wal"):
        source = made.with_name(made.name + suffix)
        if source.exists():
            shutil.copy(source, target.with_name(target.name + suffix))
    return target


class KeptRows:
    """Rows that the tests of one module share: each test runs in a savepoint of this transaction."""

    def __enter__(self) -> None:
        self.atomic = transaction.atomic()
        self.atomic.__enter__()

    def __exit__(self, *told: object) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

"""Databases for tests: a migrated one, made once per run and copied, and a flush that costs what it empties."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connections, transaction
from django.test import TransactionTestCase

ROOT = Path(__file__).resolve().parent.parent
KEPT = {"django_migrations", "django_content_type", "auth_permission"}
"""What migrating fills and no test changes."""


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


def flush(self: TransactionTestCase) -> None:
    """In place of Django's, which empties a hundred tables and makes all permissions anew: only what has rows."""
    for alias in self._databases_names(include_mirrors=False):
        connection = connections[alias]
        tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False)) - KEPT
        quoted = {name: connection.ops.quote_name(name) for name in sorted(tables)}
        filled = " UNION ALL ".join(
            f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {table})" for name, table in quoted.items()
        )
        with transaction.atomic(using=alias), connection.cursor() as cursor:
            cursor.execute(filled)
            for (name,) in cursor.fetchall():
                cursor.execute(f"DELETE FROM {quoted[name]}")


class KeptRows:
    """Rows that the tests of one module share: each test runs in a savepoint of this transaction."""

    def __enter__(self) -> None:
        self.atomic = transaction.atomic()
        self.atomic._from_testcase = True
        self.atomic.__enter__()

    def __exit__(self, *told: object) -> None:
        transaction.set_rollback(True)
        self.atomic.__exit__(None, None, None)

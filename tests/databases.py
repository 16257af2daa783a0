"""Databases for tests: a migrated one, kept between runs and copied, and rows that tests of one module share."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import transaction

ROOT = Path(__file__).resolve().parent.parent
APPS = ("annotation", "evaluation", "modelbridge")


def template(factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file without rows. It is made once and kept beside pytest's cache until a model, a migration or
    a requirement changes: migrating takes ten seconds of every run."""
    folder = ROOT / ".pytest_cache" / "migrated"
    folder.mkdir(parents=True, exist_ok=True)
    result = folder / f"{_hash_schema()}.sqlite3"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            for outdated in folder.glob("*.sqlite3*"):
                outdated.unlink()
            half = factory.mktemp("migrated") / "half.sqlite3"
            env = {**os.environ, "DATABASE_URL": f"sqlite:///{half}", "EPITOME_DATA_DIR": str(half.parent / "data")}
            command = [sys.executable, "manage.py", "migrate", "-v", "0", "--skip-checks"]
            subprocess.run(command, cwd=ROOT, env=env, check=True)
            shutil.move(half, result)
    return result


def _hash_schema() -> str:
    """A hash of everything that a migrated database depends on."""
    files = [path for app in APPS for kind in ("models", "migrations") for path in (ROOT / app / kind).glob("*.py")]
    files += [ROOT / "requirements" / "web.txt", ROOT / "epitome" / "site" / "settings.py"]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:20]


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

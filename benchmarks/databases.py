"""A database of one's own for a benchmark, gone afterwards."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

ROOT = Path(__file__).resolve().parent.parent
SERVER = "EPITOME_TEST_DATABASE_URL"
MIGRATED = "EPITOME_MIGRATED"
"""May name a SQLite file, migrated and without rows, to start from; the tests have one."""


def engines() -> list[str]:
    """SQLite always; PostgreSQL where a server is named."""
    return ["sqlite", "postgresql"] if os.environ.get(SERVER) else ["sqlite"]


SERVED = {
    "EPITOME_WRITES_PER_MINUTE": "0",
    "EPITOME_DB_POOL": "8",
    "EPITOME_WORKERS": "2",
    "EPITOME_THREADS": "4",
}
"""How the site is served under load, where the environment does not say otherwise."""


@contextmanager
def own_database(engine: str, folder: Path) -> Iterator[str]:
    """The DATABASE_URL of a new database without rows."""
    if engine == "sqlite":
        file = folder / "bench.sqlite3"
        if value := os.environ.get(MIGRATED):
            shutil.copy(value, file)
        yield f"sqlite:///{file}"
        return
    import psycopg

    server = os.environ[SERVER]
    name = f"epitome_bench_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        try:
            yield urlunsplit(urlsplit(server)._replace(path=f"/{name}", query=""))
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def run_served(module: str, variable: str, options: dict[str, Any]) -> int:
    """Run `run_here` of a module in a process of its own, with a new PostgreSQL database and the site's settings under
    load; returns its exit status. options: in this variable of its environment, as JSON."""
    if not os.environ.get(SERVER):
        raise SystemExit(f"{SERVER} names no PostgreSQL server")
    with tempfile.TemporaryDirectory() as folder, own_database("postgresql", Path(folder)) as url:
        env = {
            **SERVED,
            **os.environ,
            "DATABASE_URL": url,
            "EPITOME_DATA_DIR": folder,
            "EPITOME_LOG_LEVEL": "CRITICAL",
            "DJANGO_SETTINGS_MODULE": "epitome.site.settings",
            variable: json.dumps(options),
        }
        command = [sys.executable, "-c", f"import sys; from {module} import run_here; sys.exit(run_here())"]
        return subprocess.run(command, env=env, cwd=ROOT, check=False).returncode


def on_each(module: str, engine: str | None, arguments: list[str], **settings: str) -> None:
    """Run `python -m module --one --engine ...` in a process of its own, with a new database, for each engine or one.

    settings: what the environment does not say already.
    """
    for item in [engine] if engine else engines():
        with tempfile.TemporaryDirectory() as folder, own_database(item, Path(folder)) as url:
            env = {**settings, **os.environ, "DATABASE_URL": url, "EPITOME_DATA_DIR": folder}
            env["DJANGO_SETTINGS_MODULE"] = "epitome.site.settings"
            command = [sys.executable, "-m", module, "--one", "--engine", item, *arguments]
            subprocess.run(command, env=env, cwd=ROOT, check=True)


def migrate() -> None:
    """Make the tables where there are none yet."""
    from django.core.management import call_command
    from django.db import connection

    if not connection.introspection.table_names():
        call_command("migrate", verbosity=0)


def settle() -> None:
    """What a server does by itself within minutes of a bulk load: statistics, and on PostgreSQL the vacuum."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM (ANALYZE)" if connection.vendor == "postgresql" else "ANALYZE")

"""A second start of the demo: its web server starts beside the checks of the database, instead of after them.

Only where the database holds every migration of this code. The checks themselves are never left out: the command `demo`
does them in a process of its own, which prints nothing but what is to be said once the pages answer.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from epitome.site import processes, supervise

BESIDE_WEB = "--beside-web"
"""Option of the command `demo`: the web server runs already."""
DEFAULT_PORT = 8000


def start_web_first(words: Sequence[str]) -> None:
    """Become the parent of web server, checks and worker. Returns where all of the checks come before the web server:
    with options, in production, on another database than SQLite, with migrations to run, on a port in use."""
    settings = import_module(os.environ["DJANGO_SETTINGS_MODULE"])
    port = read_port(words)
    if port is None or settings.PRODUCTION or not settings.SQLITE or not supervise.is_free(port):
        return
    if not holds_migrations(Path(settings.DATABASES["default"]["NAME"]), settings.INSTALLED_APPS):
        return
    plan = supervise.Plan(
        commands=[processes.demo_web_command(port)],
        preparation=processes.manage_command("demo", "--skip-checks", "--port", str(port), BESIDE_WEB),
        later=[processes.manage_command("worker")],
        probe=demo_probe(port),
    )
    processes.replace_by_supervisor(plan, demo_environment(settings))


def read_port(words: Sequence[str]) -> int | None:
    """The port that the words after `demo` name; None where they say anything else."""
    if not words:
        return DEFAULT_PORT
    if len(words) == 2 and words[0] == "--port" and words[1].isdecimal() and 1 <= int(words[1]) <= 65535:
        return int(words[1])
    return None


def demo_probe(port: int) -> str:
    return f"http://127.0.0.1:{port}/sign-in/"


def demo_environment(settings: Any) -> dict[str, str]:
    return {**processes.site_environment(settings), "EPITOME_DEMO": "1"}


def holds_migrations(database: Path, apps: Sequence[str]) -> bool:
    """Whether an SQLite database has run every migration that the apps come with. Asks neither Django nor a record of
    its own, so that a changed code and a deleted, older or damaged database are seen."""
    if not database.is_file():
        return False
    try:
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            applied = set(connection.execute("SELECT app, name FROM django_migrations"))
    except sqlite3.Error:
        return False
    return list_migrations(apps) <= applied


def list_migrations(apps: Sequence[str]) -> set[tuple[str, str]]:
    """Label and name of each migration file of the apps."""
    return {
        (app.rpartition(".")[2], file.stem)
        for app in apps
        for folder in find_folders(app)
        for file in (folder / "migrations").glob("[!_]*.py")
    }


def find_folders(app: str) -> list[Path]:
    """Where an app of this dotted name is. Imports no package: Django's apps would load much of Django."""
    package, *folders = app.split(".")
    spec = find_spec(package)
    return [Path(root, *folders) for root in (spec and spec.submodule_search_locations) or []]

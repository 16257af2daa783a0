"""Commands of the site's processes, for a checkout and for an installed package alike."""

import os
import sys
from pathlib import Path
from typing import Any, NoReturn

from epitome.site import supervise

ROOT = Path(__file__).resolve().parent.parent.parent
"""The checkout, or the folder where packages are installed; every process runs in it and imports from it."""


def manage_command(*words: str) -> list[str]:
    """The command line of a management command, to be run in ROOT."""
    script = ["manage.py"] if (ROOT / "manage.py").is_file() else ["-m", "epitome", "manage"]
    return [sys.executable, *script, *words]


def demo_web_command(port: int) -> list[str]:
    """One small web process on this machine's own address."""
    web = [sys.executable, "-m", "gunicorn", "epitome.site.wsgi:application", "--bind", f"127.0.0.1:{port}"]
    web += ["--workers", "1", "--worker-class", "epitome.site.web_worker.WebWorker", "--threads", "4"]
    return [*web, "--log-level", "warning", "--graceful-timeout", "2", "--no-control-socket"]


def list_addresses() -> list[str]:
    """Where the web server listens: EPITOME_BIND as epitome/site/gunicorn_conf.py reads it."""
    addresses = [address.strip() for address in os.environ.get("EPITOME_BIND", "").split(",")]
    return [address for address in addresses if address] or ["127.0.0.1:8000"]


def web_command() -> list[str]:
    """The web server with its settings for production (epitome/site/gunicorn_conf.py)."""
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "epitome.site.wsgi:application",
        "-c",
        "python:epitome.site.gunicorn_conf",
    ]


def site_environment(settings: Any) -> dict[str, str]:
    """The environment of processes that run in ROOT: what names a place relative to here is made absolute."""
    env = {**os.environ, "EPITOME_DATA_DIR": str(settings.DATA_DIR)}
    if settings.SQLITE:
        env["DATABASE_URL"] = f"sqlite:///{Path(settings.DATABASES['default']['NAME']).absolute()}"
    return env


def replace_process(command: list[str], env: dict[str, str]) -> NoReturn:
    """Become `command` in ROOT."""
    sys.stdout.flush()
    os.chdir(ROOT)
    os.execve(command[0], command, env)  # noqa: S606


def replace_by_supervisor(plan: supervise.Plan, env: dict[str, str]) -> NoReturn:
    """Become the parent of the plan's processes: it needs no Django, so the memory of loading it is given back."""
    # By a pipe: what is on a command line can be read by everybody on the machine.
    read, written = os.pipe()
    os.set_inheritable(read, True)
    os.write(written, plan.as_json().encode())
    os.close(written)
    replace_process([sys.executable, str(Path(supervise.__file__)), str(read)], env)

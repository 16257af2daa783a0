"""`manage.py demo`: everything on one machine. Migrates, loads the example, starts web and worker."""

import os
import secrets
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.services import example
from annotation.transactions import write_transaction
from epitome import supervise


class Command(BaseCommand):
    help = "Start the example on this machine: SQLite, a web process and a worker; Ctrl-C ends all of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["port"]
        if not 1 <= port <= 65535:
            raise CommandError(f"--port {port} is not a port; use 1 to 65535", returncode=2)
        if settings.PRODUCTION:
            raise CommandError("EPITOME_ENV=production: the demo sets passwords of its own and does not run there")
        if not supervise.is_free(port):
            raise CommandError(f"port {port} is in use; name another with --port (make demo PORT=9000)", returncode=1)
        self.stderr.write("Preparing the database and the example project ...")
        call_command("migrate", verbosity=0)
        example.load_example()
        logins = [f"login: {role} {name} {self.set_new_password(name)}" for name, role in example.PEOPLE]
        lines = [f"Epitome runs at http://127.0.0.1:{port}/", *logins, "Ctrl-C stops it."]
        # The helper takes this process over: it needs no Django, so the memory of loading it is given back.
        plan = supervise.Plan(port=port, lines=lines, data_dir=str(settings.DATA_DIR))
        sys.stdout.flush()
        env = {**os.environ, "EPITOME_JOB_POLL_SECONDS": os.environ.get("EPITOME_JOB_POLL_SECONDS", "2")}
        os.chdir(Path(settings.BASE_DIR))
        # By a pipe: what stands on a command line can be read by everybody on the machine.
        read, written = os.pipe()
        os.set_inheritable(read, True)
        os.write(written, plan.as_json().encode())
        os.close(written)
        os.execve(sys.executable, [sys.executable, str(Path(supervise.__file__)), str(read)], env)  # noqa: S606

    def set_new_password(self, name: str) -> str:
        """Set a random password for the account and return it."""
        password = secrets.token_urlsafe(9)
        user = User.objects.get(username=name)
        user.set_password(password)
        with write_transaction():
            user.save(update_fields=["password"])
        return password

"""`manage.py demo`: everything on one machine. Migrates, loads the example, starts web and worker."""

import json
import secrets
import sys
from argparse import SUPPRESS
from typing import Any

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.start_steps import StartSteps
from annotation.services import example
from annotation.transactions import write_transaction
from epitome.site import demo_start, supervise
from epitome.site import processes as site_processes
from epitome.systems import local_model
from epitome.systems.chat_servers import SETTING
from epitome.systems.protocol import SystemFault
from evaluation.services.example import finished, local_model_run, resetting

LAST_STEP = "web server and worker"


class Command(BaseCommand):
    help = "Start the example on this machine: SQLite, a web process and a worker; Ctrl-C ends all of it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=demo_start.DEFAULT_PORT)
        parser.add_argument(
            "--with-model", action="store_true", help="serve a small language model too, and run it on the example"
        )
        parser.add_argument("--reset", action="store_true", help="remove the example projects and make them anew")
        parser.add_argument(demo_start.BESIDE_WEB, action="store_true", help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        port = options["port"]
        if not 1 <= port <= 65535:
            raise CommandError(f"--port {port} is not a port; use 1 to 65535", returncode=2)
        if settings.PRODUCTION:
            raise CommandError("EPITOME_ENV=production: the demo sets passwords of its own and does not run there")
        steps = StartSteps(sys.stderr, 4)
        if options["beside_web"]:
            lines = self.prepare(steps, port, reset=options["reset"])
            self.stdout.write(json.dumps({"step": steps.name_next(LAST_STEP), "lines": lines}))
            return
        if not supervise.is_free(port):
            raise CommandError(f"port {port} is in use; name another with --port (make demo PORT=9000)", returncode=1)
        model_port = supervise.find_free_port() if options["with_model"] else 0
        if model_port and local_model.SERVER in settings.EPITOME_CHAT_SERVERS:
            raise CommandError(f'{SETTING} names a server "{local_model.SERVER}" already; start without --with-model')
        try:
            model = [local_model.serve_command(model_port)] if model_port else []
        except SystemFault as error:
            raise CommandError(str(error), returncode=1) from error
        plan = supervise.Plan(
            commands=[site_processes.demo_web_command(port), *model],
            # The model is at work for minutes; a second worker does what people ask for meanwhile.
            later=[site_processes.manage_command("worker")] * (2 if model else 1),
            probe=demo_start.demo_probe(port),
            lines=self.prepare(steps, port, reset=options["reset"]),
            step=steps.name_next(LAST_STEP),
        )
        env = demo_start.demo_environment(settings)
        if model:
            servers = [env.get(SETTING, ""), local_model.server_setting(model_port)]
            env[SETTING] = " ".join(filter(None, servers))
            self.queue_work_of_model()
        site_processes.replace_by_supervisor(plan, env)

    def prepare(self, steps: StartSteps, port: int, *, reset: bool) -> list[str]:
        """Database, examples and new passwords; returns what to print once the pages answer."""
        steps.migrate()
        with steps.step("example projects"):
            if reset:
                resetting.remove_examples()
            resetting.load_examples()
        with steps.step("logins"):
            password = set_new_password()
        logins = [f"login: {role} {name} {password}" for name, role in example.PEOPLE]
        return [f"Epitome runs at http://127.0.0.1:{port}/", *logins, self.describe_filling(), "Ctrl-C stops it."]

    def queue_work_of_model(self) -> None:
        """In an example that is finished already: the job that fills a new one queues it itself."""
        project = finished.ensure_project()
        if finished.is_finished(project):
            local_model_run.start_job(project)

    def describe_filling(self) -> str:
        project = finished.ensure_project()
        if finished.is_finished(project):
            return f"The finished example: {project.name}."
        return f"{project.name}: its work, rounds and figures fill in within about a minute."


def set_new_password() -> str:
    """Give the people of the example a new random password, the same to all of them, and return it."""
    password = secrets.token_urlsafe(9)
    with write_transaction():
        User.objects.filter(username__in=[name for name, _role in example.PEOPLE]).update(
            password=make_password(password)
        )
    return password

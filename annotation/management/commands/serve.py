"""`manage.py serve`: the web server alone, with the settings of epitome/site/gunicorn_conf.py."""

import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from annotation.management.commands.start import describe_first_run
from epitome.site import processes as site_processes


class Command(BaseCommand):
    help = "Run the web server. Outside production the database is migrated first; workers are started apart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--bind", metavar="HOST:PORT", help="address, by default EPITOME_BIND or 127.0.0.1:8000")

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            self.check_prepared()
        else:
            call_command("migrate", verbosity=0)
        if options["bind"]:
            os.environ["EPITOME_BIND"] = options["bind"]
        addresses = ", ".join(site_processes.list_addresses())
        self.stderr.write(f"Epitome listens on {addresses}; Ctrl-C stops it. Start a worker beside it.")
        for line in describe_first_run():
            self.stderr.write(line)
        sys.stderr.flush()
        site_processes.replace_process(site_processes.web_command(), site_processes.site_environment(settings))

    def check_prepared(self) -> None:
        """Raise CommandError where production would answer with errors: old tables, no collected static files."""
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise CommandError("the database is not up to date: run migrate first (or start, which does it)")
        if not (Path(settings.STATIC_ROOT) / "staticfiles.json").is_file():
            raise CommandError("static files are not collected: run collectstatic first (or start, which does it)")

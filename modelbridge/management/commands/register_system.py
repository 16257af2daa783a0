"""`manage.py register_system FILE PROJECT`: a system in a project, as *Register from TOML* does, without running it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project
from modelbridge.management.commands.run_system import revision_for


class Command(BaseCommand):
    help = "Register a shipped configuration or a TOML file as a system of a project; a known key gets a new revision."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("system", metavar="KEY|FILE.toml", help="a shipped configuration, or a file of your own")
        parser.add_argument("project")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        with convert_service_errors():
            revision = revision_for(get_project(options["project"]), options["system"])
        values = {"system": revision.system.key, "revision": revision.number, "kind": revision.kind}
        text = f"{revision.system.key}, revision {revision.number}: a system of the kind {revision.kind}"
        self.stdout.write(as_json(values) if options["json"] else text)

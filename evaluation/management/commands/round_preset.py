"""`manage.py round_preset PROJECT [KEY]`: write the file of a preset round for a project."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project
from evaluation.services.rounds import presets


class Command(BaseCommand):
    help = "Print the TOML file of a preset round, for launch_round; without a key list those that fit the project."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("key", nargs="?", help="such as ccsbench-focus")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        if options["key"] is None:
            names = {preset.key: preset.name for preset in presets.list_presets(project)}
            lines = (
                [as_json({"presets": names})] if options["json"] else [f"{key}  {name}" for key, name in names.items()]
            )
            for line in lines:
                self.stdout.write(line)
            return
        with convert_service_errors():
            text = presets.write_preset(project, options["key"])
        self.stdout.write(as_json({"config": text}) if options["json"] else text.rstrip("\n"))

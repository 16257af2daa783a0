"""`manage.py upload_predictions PROJECT FILE`: predictions or scores that were made elsewhere become a finished run."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from epitome.formats.reading import input_file
from modelbridge.services.runs.predictions_upload import upload_predictions


class Command(BaseCommand):
    help = "Store the predictions of a JSON lines file as a run: the complete file or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--system", default="", help="key of the system (default: as in the lines)")
        parser.add_argument("--name", default="", help="of a system that is new")
        parser.add_argument("--split", default="", help="the split that the file is of (default: all samples)")
        parser.add_argument("--label", default="", help="of the run")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project, path = get_project(options["project"]), Path(options["file"])
        if not path.is_file():
            raise command_error(f"{path.name}: there is no such file")
        fields = {name: options[name] for name in ("system", "name", "split", "label")}
        with convert_service_errors():
            run = upload_predictions(project=project, file=input_file(path), by=None, **fields)
        values = {"run": str(run.public_id), "system": run.revision.system.key, "samples": run.n_samples}
        self.stdout.write(as_json(values) if options["json"] else "run {run}: {samples} samples".format(**values))

"""`manage.py round_site PROJECT NAME --output FOLDER`: the report of an unblinded round as plain pages."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from evaluation.models import Round
from evaluation.services.reports import report_site


class Command(BaseCommand):
    help = "Write the computed report of an unblinded round as a site of plain files, without raters."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("name", help="the round's name")
        parser.add_argument("--output", required=True, metavar="FOLDER", help="a new or empty folder")
        parser.add_argument("--json", action="store_true", help="print the paths as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        round_ = Round.objects.filter(project=project, name=options["name"]).select_related("project").first()
        if round_ is None:
            raise command_error(f"the project {project.slug} has no round named {options['name'][:120]!r}")
        with convert_service_errors():
            paths = report_site.write_site(round_=round_, folder=Path(options["output"]))
        if options["json"]:
            self.stdout.write(as_json({"files": paths}))
        else:
            self.stderr.write(f"{len(paths)} files, index.html first")

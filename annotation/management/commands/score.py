"""`manage.py score PROJECT`: measure every summary and output that lacks a score, here and now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project, progress_of
from annotation.services.scores import score_jobs


class Command(BaseCommand):
    help = "Measure the summaries and outputs of a project that have no scores yet, or only of earlier definitions."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors(), progress_of(f"Scoring {project.slug}") as progress:
            counts = score_jobs.score_project(project=project, progress=progress)
        if options["json"]:
            self.stdout.write(as_json({"project": project.slug, **counts}))
        else:
            self.stdout.write(
                f"{counts['scores']} scores of {counts['annotations']} summaries and {counts['outputs']} outputs, "
                f"{counts['undefined']} of them undefined; word tokens counted for {counts['sources']} sources"
            )

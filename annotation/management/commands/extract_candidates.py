"""`manage.py extract_candidates PROJECT`: topics and speakers of the sources."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project, progress_of
from annotation.services.scores import token_counts
from annotation.services.sources import candidates as candidate_jobs


class Command(BaseCommand):
    help = "Extract candidate topics and speakers; sources that have them already are passed over."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--force", action="store_true", help="again, where nobody has chosen yet")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors(), progress_of("Extracting candidates") as progress:
            extractor = candidate_jobs.default_extractor()
            counts = candidate_jobs.extract_candidates(
                project=project, progress=progress, extractor=extractor, force=options["force"]
            )
            token_counts.count_tokens(project=project)
        name = candidate_jobs.name_of(extractor)
        if options["json"]:
            self.stdout.write(as_json({**counts, "extractor": name}))
        else:
            self.stdout.write(
                f"{counts['sources']} sources read with {name}: {counts['topics']} topics, "
                f"{counts['speakers']} speakers; {counts['skipped']} passed over, {counts['parked']} parked"
            )

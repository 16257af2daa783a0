"""`manage.py select_sources PROJECT --n 200 --seed 7`: a recorded random selection."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project
from annotation.services.sources import selection as source_selection


class Command(BaseCommand):
    help = "Keep a random selection of a project's sources for the work; the others are set aside, not deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--n", type=int, required=True, help="how many sources")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        with convert_service_errors():
            selection = source_selection.select_sources(project=project, n=options["n"], seed=options["seed"], by=None)
        if options["json"]:
            result = {
                "n": selection.n,
                "seed": selection.seed,
                "algorithm": selection.algorithm,
                "ids_hash": selection.ids_hash,
                "chosen": selection.chosen,
            }
            self.stdout.write(as_json(result))
        else:
            self.stdout.write(f"Selected {selection.n} sources with seed {selection.seed} ({selection.algorithm}).")

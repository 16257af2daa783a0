"""`manage.py select_sources PROJECT --n 200 --seed 7`: a recorded random selection."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, project_named, refusals
from annotation.services import selecting


class Command(BaseCommand):
    help = "Keep a random selection of a project's sources for the work; the others are set aside, not deleted."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--n", type=int, required=True, help="how many sources")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        with refusals():
            selection = selecting.select_sources(project=project, n=options["n"], seed=options["seed"], by=None)
        if options["json"]:
            found = {
                "n": selection.n,
                "seed": selection.seed,
                "algorithm": selection.algorithm,
                "ids_hash": selection.ids_hash,
                "chosen": selection.chosen,
            }
            self.stdout.write(as_json(found))
        else:
            self.stdout.write(f"Selected {selection.n} sources with seed {selection.seed} ({selection.algorithm}).")

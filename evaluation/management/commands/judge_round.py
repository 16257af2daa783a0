"""`manage.py judge_round PROJECT NAME KEY`: let a registered judge answer a round's questions, here and now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from epitome.systems.protocol import SystemFault
from epitome.systems.roles import traits_of
from evaluation.models import Round
from evaluation.services.rating import model_judges
from modelbridge.models import System


class Command(BaseCommand):
    help = "Ask a system of the role judge what the raters of a round are asked; goes on where it stopped."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("name", help="the round's name")
        parser.add_argument(
            "system",
            metavar="KEY",
            help="of a system of the project; its newest revision answers, or the one that the design froze",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        round_ = Round.objects.filter(project=project, name=options["name"]).select_related("project").first()
        if round_ is None:
            raise command_error(f"the project {project.slug} has no round named {options['name'][:120]!r}")
        system = System.objects.filter(project=project, key=options["system"]).first()
        if system is None or not traits_of(system.newest.role).judges:
            raise command_error(f"the project {project.slug} has no judge with the key {options['system'][:60]!r}")
        with convert_service_errors(), progress_of(f"Judging {round_.name}") as progress:
            try:
                revision = model_judges.find_judge(round_, system)
                judge, n_examples = model_judges.make_judge(revision)
                counts = model_judges.judge_round(
                    round_=round_, revision=revision, judge=judge, n_examples=n_examples, progress=progress
                )
            except SystemFault as error:
                raise command_error(str(error)) from error
        if options["json"]:
            self.stdout.write(as_json(counts))
        else:
            self.stdout.write(f"{counts['asked']} answers, {counts['invalid']} of them no answer to the question")

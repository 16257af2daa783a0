"""`manage.py report PROJECT NAME`: the tables of a round, worked out here and now."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import command_error, convert_service_errors, get_project, progress_of
from evaluation.models import Round
from evaluation.services.monitoring import round_control
from evaluation.services.reports import report_files, report_jobs


class Command(BaseCommand):
    help = "Print the report of a round of human evaluation: tables with intervals, agreement, the methods paragraph."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("name", help="the round's name")
        parser.add_argument("--format", choices=report_files.FORMATS, default="html")
        parser.add_argument("--raters", action="store_true", help="also the table about each rater")
        parser.add_argument(
            "--unblind", action="store_true", help="name the systems of a round that is blind still; closes it for good"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        round_ = Round.objects.filter(project=project, name=options["name"]).select_related("project").first()
        if round_ is None:
            raise command_error(f"the project {project.slug} has no round named {options['name'][:120]!r}")
        with convert_service_errors():
            if options["unblind"]:
                round_control.apply_action(round_=round_, action="unblind", by=None)
            with progress_of(f"Report of {round_.name}") as progress:
                report = report_jobs.make_report(round_, progress)
        text = report_files.render_report(report, options["format"], raters=options["raters"])
        self.stdout.write(text, ending="" if text.endswith("\n") else "\n")

"""`manage.py report PROJECT NAME`: the tables of a round, computed in this process; `report PROJECT:NAME PROJECT:NAME`
of several rounds in one table."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import command_error, convert_service_errors, get_project, progress_of
from evaluation.models import Round
from evaluation.services.monitoring import round_control
from evaluation.services.reports import check_file, combined_material, report_files, report_jobs, rounds_together


class Command(BaseCommand):
    help = (
        "Print the report of a round of human evaluation, and keep it for the pages: tables with intervals, agreement, "
        "the methods paragraph."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="the project, or PROJECT:NAME of the first of several rounds")
        parser.add_argument("name", nargs="+", help="the round's name, or PROJECT:NAME of each other round")
        parser.add_argument("--format", choices=(*report_files.FORMATS, "rows", "check"), default="html")
        parser.add_argument("--raters", action="store_true", help="also the table about each rater")
        parser.add_argument(
            "--unblind", action="store_true", help="name the systems of a round that is blind still; closes it for good"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if ":" in options["project"]:
            self._print_together([options["project"], *options["name"]], options)
            return
        if len(options["name"]) > 1:
            raise command_error("several rounds are given as PROJECT:NAME each")
        round_ = _find_round(options["project"], options["name"][0])
        with convert_service_errors():
            if options["unblind"]:
                round_control.apply_action(round_=round_, action="unblind", by=None)
            if options["format"] == "rows":
                report_jobs.check_unblinded(round_)
                lines = b"".join(combined_material.export_rows(round_))
                self.stdout.write(lines.decode(), ending="")
                return
            version = report_jobs.data_version(round_)
            with progress_of(f"Report of {round_.name}") as progress:
                report = report_jobs.make_report(round_, progress)
            report_jobs.store_report(round_=round_, report=report, version=version)
            if options["format"] == "check":
                self.stdout.write(b"".join(check_file.export_report(round_, report)).decode(), ending="")
                return
        self._print(report, options)

    def _print_together(self, names: list[str], options: dict[str, Any]) -> None:
        if options["unblind"] or options["format"] in ("rows", "check"):
            raise command_error("--unblind and --format rows or check take one round at a time")
        rounds = [_find_round(*name.split(":", 1)) if ":" in name else _refuse(name) for name in names]
        with convert_service_errors(), progress_of(" + ".join(names)) as progress:
            report = rounds_together.make_report(rounds, progress)
        self._print(report, options)

    def _print(self, report: dict[str, Any], options: dict[str, Any]) -> None:
        text = report_files.render_report(report, options["format"], raters=options["raters"])
        self.stdout.write(text, ending="" if text.endswith("\n") else "\n")


def _find_round(slug: str, name: str) -> Round:
    project = get_project(slug)
    round_ = Round.objects.filter(project=project, name=name).select_related("project").first()
    if round_ is None:
        raise command_error(f"the project {project.slug} has no round named {name[:120]!r}")
    return round_


def _refuse(name: str) -> Round:
    raise command_error(f"{name[:120]!r} is no PROJECT:NAME")

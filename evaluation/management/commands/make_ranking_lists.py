"""`manage.py make_ranking_lists PROJECT TAG`: the lists of a release that systems rank; --output writes them."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from annotation.models import RankingList, SplitBy
from evaluation.services.aggregations import ranking_lists
from modelbridge.services.runs.list_lines import iterate_lines


class Command(BaseCommand):
    help = "Make the ranking lists of a release, once, and write them as JSON lines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("release", metavar="TAG", help="made by: export PROJECT --release TAG --output FILE")
        parser.add_argument("--seed", type=int, default=0)
        help_text = "the splits that the release was frozen with, or 2:1:1 by article (origin) or by instance"
        parser.add_argument("--by", choices=SplitBy.values, default=SplitBy.RELEASE.value, help=help_text)
        parser.add_argument("--output", metavar="FILE", help="also write the lists; works with lists made before")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project, tag = get_project(options["project"]), options["release"]
        with convert_service_errors():
            exists = RankingList.objects.of_release(project, tag).exists()
            if not (exists and options["output"]):
                split_by = options["by"]
                ranking_lists.make_ranking_lists(
                    project=project, tag=tag, seed=options["seed"], split_by=split_by, by=None
                )
            if options["output"]:
                write_lists(Path(options["output"]), iterate_lines(project, tag))
        counts = ranking_lists.count_lists(project, tag)
        values = {"release": tag, "splits": counts}
        lines = [
            f"{row['split']}: {row['lists']} lists, {row['candidates']} candidates, {row['golds']} golds, "
            f"{row['unseen']} with unseen entities"
            for row in counts
        ]
        self.stdout.write(as_json(values) if options["json"] else "\n".join(lines))


def write_lists(path: Path, lines: Any) -> None:
    """Write all lines, or leave no file."""
    temporary = path.with_name(path.name + ".part")
    try:
        with temporary.open("w", encoding="utf-8") as stream:
            stream.writelines(lines)
        temporary.replace(path)
    except OSError as error:
        raise command_error(f"{path.name} cannot be written: {error.strerror}") from error

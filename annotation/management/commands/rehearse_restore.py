"""`manage.py rehearse_restore FILE`: whether a backup comes back whole, without touching the site."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors
from annotation.services.backup.rehearsal import rehearse_restore


class Command(BaseCommand):
    help = (
        "Restore a backup into a folder of its own below TMPDIR, back that up, and compare every row and file with the "
        "first archive. The site is not touched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="an archive of manage.py backup, of any database engine")
        parser.add_argument(
            "--database",
            default="",
            metavar="URL",
            help="an empty database to restore into, such as postgresql://USER@HOST/NAME; default: an SQLite file",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with convert_service_errors():
            rehearsal = rehearse_restore(path=Path(options["file"]), database_url=options["database"])
        self.stdout.write(as_json(rehearsal._asdict()))
        if rehearsal.differing:
            raise command_error(f"{len(rehearsal.differing)} parts of the archive did not come back as they were")

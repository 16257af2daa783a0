"""`manage.py restore FILE`: a backup into an empty, migrated database."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors
from annotation.services.backup.site_restore import restore_site


class Command(BaseCommand):
    help = "Restore a backup into an empty database that `migrate` has prepared; stop web and workers before."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="an archive of manage.py backup, of any database engine")
        parser.add_argument(
            "--other-key", action="store_true", help="restore although the site has another secret key than the backup"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with convert_service_errors():
            report = restore_site(path=Path(options["file"]), other_key=options["other_key"])
        self.stdout.write(as_json(report._asdict()))
        if report.key_replaced:
            self.stderr.write("The secret key of the backup replaced the one in the data folder.")

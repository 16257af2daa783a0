"""`manage.py backup FILE`: every row and the files of the data folder in one archive."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors
from annotation.services.backup.site_backup import back_up_site


class Command(BaseCommand):
    help = "Write a backup of the site: all rows, uploads, exports and trained weights. The site may be in use."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the archive to write, such as epitome-2026-01-31.tar.gz; it must not exist")

    def handle(self, *args: Any, **options: Any) -> None:
        with convert_service_errors():
            report = back_up_site(path=Path(options["file"]))
        self.stdout.write(as_json(report._asdict()))
        if report.with_secret_key:
            self.stderr.write("The archive holds the secret key of the site: keep it as you keep passwords.")
        else:
            self.stderr.write("The archive does not hold EPITOME_SECRET_KEY: keep the key, a restore asks for it.")

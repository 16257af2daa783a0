"""`manage.py publish_consent PROJECT FILE.md --purpose TEXT`: the next version of the consent page of crowd links."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import command_error, convert_service_errors, get_project
from annotation.services.people import consent

MAX_BYTES = 100_000


class Command(BaseCommand):
    help = "Publish the consent page that people of crowd links agree to; those who agreed before are asked again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", metavar="FILE.md", help="Markdown")
        parser.add_argument("--purpose", required=True, help="what the data are for, who approved it, whom to ask")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        text = _read_text(Path(options["file"]))
        with convert_service_errors():
            version = consent.publish_version(project=project, purpose=options["purpose"], text=text, by=None)
        self.stdout.write(f"version {version.number} of the consent page")


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise command_error(f"{path.name}: is larger than {MAX_BYTES} bytes")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise command_error(f"{path.name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise command_error(f"{path.name}: is not UTF-8 at byte {error.start}") from error

"""`manage.py round_template PROJECT FILE.toml`: store a round template of the project's own, or check it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from evaluation.models import RoundTemplate
from evaluation.services.rounds import own_templates

MAX_BYTES = 400_000


class Command(BaseCommand):
    help = "Store a round template from a TOML file, replacing the one of its key; with --check only check it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("file", metavar="FILE.toml", nargs="?", help="without it, list the project's templates")
        parser.add_argument("--check", action="store_true", help="store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        if options["file"] is None:
            self._list(own_templates.template_names(project), as_object=options["json"])
            return
        path = Path(options["file"])
        text = _read_text(path)
        with convert_service_errors():
            template = own_templates.check_template(text, path.name)
            if not options["check"]:
                row = RoundTemplate.objects.filter(project=project, key=template.key).first()
                own_templates.save_template(project=project, text=text, by=None, row=row, name=path.name)
        values = {**own_templates.describe_template(template), "stored": not options["check"]}
        if options["json"]:
            self.stdout.write(as_json(values))
            return
        verb = "checked" if options["check"] else "stored"
        self.stdout.write(f"{verb}: {template.key} ({template.name}), {len(template.questions)} questions")

    def _list(self, names: dict[str, str], *, as_object: bool) -> None:
        if as_object:
            self.stdout.write(as_json({"templates": names}))
            return
        for key, name in names.items():
            self.stdout.write(f"{key}  {name}")


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise command_error(f"{path.name}: is larger than {MAX_BYTES} bytes")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise command_error(f"{path.name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise command_error(f"{path.name}: is not UTF-8 at byte {error.start}") from error

"""`manage.py create_project SLUG --schema macsum-doc`."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.kinds import project_kinds
from annotation.management.running import as_json, command_error, convert_service_errors
from annotation.models import Project
from annotation.services.people import projects
from epitome.schema import PRESETS


class Command(BaseCommand):
    help = "Make a project from a preset or from a schema of your own."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name in addresses and commands")
        schema = parser.add_mutually_exclusive_group(required=True)
        schema.add_argument("--schema", choices=PRESETS, help="a preset")
        schema.add_argument("--schema-file", metavar="FILE.toml", help="a schema of your own")
        parser.add_argument("--guideline-file", metavar="FILE.md", help="default: the preset's guideline")
        parser.add_argument("--name", default="", help="shown on pages; default: the slug")
        parser.add_argument("--kind", choices=project_kinds(), default="summary", help="what a task asks")
        parser.add_argument("--overlap", type=int, help="annotators per sample")
        parser.add_argument("--claim-unit", choices=Project.ClaimUnit.values)
        parser.add_argument("--phases", choices=Project.Phases.values)
        parser.add_argument("--assistance", choices=Project.Assistance.values)
        parser.add_argument("--language")
        parser.add_argument("--timezone")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project_settings = {
            key: options[key] for key in projects.SETTINGS if options.get(key) is not None and key != "name"
        }
        with convert_service_errors():
            project = projects.create_project(
                slug=options["slug"],
                name=options["name"],
                schema=options["schema"],
                schema_text=_read_text(options["schema_file"]),
                guideline=_read_text(options["guideline_file"]),
                kind=options["kind"],
                **project_settings,
            )
        result = {"slug": project.slug, "name": project.name, "id": str(project.public_id), "domain": project.domain}
        if options["json"]:
            self.stdout.write(as_json(result))
        else:
            self.stdout.write(f"Made project {project.slug} ({project.get_domain_display()}).")


def _read_text(file: str | None) -> str | None:
    if file is None:
        return None
    path = Path(file)
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise command_error(f"{path.name}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise command_error(f"{path.name}: is not UTF-8 (byte {error.start + 1}); save it as UTF-8") from error

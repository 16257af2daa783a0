"""`manage.py list_dependencies`: what the site is made of, and what is known against it."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error
from epitome.site.dependencies import Dependency, UnreadableAdvisories, list_dependencies, read_advisories


class Command(BaseCommand):
    help = (
        "List the packages that the site runs with: version, licence, and whether it differs from the lock. With "
        "--advisories the known ones are named, and the status is 1 if there are any. Nothing is asked of the network."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--advisories", metavar="FILE", help="advisories in OSV's format: JSON, JSON lines, or a zip of such files"
        )
        parser.add_argument("--extras", nargs="*", default=["web"], help="default: web; others: models oidc local")
        parser.add_argument("--json", action="store_true", help="JSON instead of a table")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            advisories = read_advisories(Path(options["advisories"])) if options["advisories"] else []
        except (OSError, UnreadableAdvisories) as error:
            raise command_error(str(error)) from error
        dependencies = list_dependencies(options["extras"], advisories)
        if options["json"]:
            self.stdout.write(as_json({"packages": [_as_row(dependency) for dependency in dependencies]}))
        else:
            self.stdout.write(_table(dependencies))
        if touched := [dependency.name for dependency in dependencies if dependency.advisories]:
            raise command_error(f"advisories are known for {', '.join(touched)}")


def _as_row(dependency: Dependency) -> dict[str, Any]:
    return {
        "name": dependency.name,
        "version": dependency.version,
        "licence": dependency.licence,
        "locked": dependency.locked,
        "advisories": dependency.advisories,
    }


def _table(dependencies: list[Dependency]) -> str:
    lines = []
    for dependency in dependencies:
        remarks = [f"locked {dependency.locked}"] if dependency.is_changed else []
        remark = ", ".join([*remarks, *dependency.advisories])
        lines.append(f"{dependency.name:<32} {dependency.version:<14} {dependency.licence:<40} {remark}".rstrip())
    return "\n".join(lines)

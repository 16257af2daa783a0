"""`manage.py launch_round PROJECT CONFIG.toml`: check a design and open the round."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, project_named, refusals, refused
from evaluation.services import checking, launching
from evaluation.services.checking import Check

MAX_BYTES = 1_000_000


class Command(BaseCommand):
    help = "Launch a round of human evaluation from a TOML file; with --dry-run only check its design."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("config", metavar="CONFIG.toml")
        parser.add_argument("--dry-run", action="store_true", help="store nothing; exit 1 if it could not be launched")
        parser.add_argument("--json", action="store_true", help="print the design check as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        path = Path(options["config"])
        text = _text(path)
        with refusals():
            config = checking.parsed(project, text, path.name)
            if options["dry_run"]:
                self._show(checking.check(project, config), options, {})
                return
            found = checking.check(project, config)
            if not found.can_launch:
                raise refused(f"{path.name}: {' '.join(found.faults)}")
            made = launching.make_draft(project=project, text=text, by=None, name=path.name)
            found = launching.launch(round_=made, by=None)
        self._show(found, options, {"id": str(made.public_id), "number": made.number, "items_hash": made.items_hash})

    def _show(self, found: Check, options: dict[str, Any], made: dict[str, Any]) -> None:
        told = {**made, **found.as_dict()}
        if options["json"]:
            self.stdout.write(as_json(told))
        else:
            for line in _lines(found, made):
                self.stdout.write(line)
        if not found.can_launch:
            raise refused(" ".join(found.faults))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise refused(f"{path.name}: is larger than {MAX_BYTES} bytes")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise refused(f"{path.name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise refused(f"{path.name}: is not UTF-8 at byte {error.start}") from error


def _lines(found: Check, made: dict[str, Any]) -> list[str]:
    """The check as a few lines for people."""
    lines = [f"round {made['number']}: {found.config.name}"] if made else [f"design of {found.config.name}"]
    if found.cost is not None:
        lines.append(
            f"{found.cost.items} items, {found.cost.judgements} judgements, about {found.cost.minutes:.0f} minutes "
            f"in all, {found.minutes_each or 0:.0f} for each of {len(found.raters)} raters"
        )
    for one in found.power:
        half = ", ".join(f"{rate:g} +-{wide:.2f}" for rate, wide in one.rates.items())
        kappa = ", ".join(f"{value:g} +-{wide:.2f}" for value, wide in one.kappas.items())
        lines.append(f"with n = {one.n}: yes-rate {half}; kappa {kappa}")
    for lack in found.missing:
        lines.append(f"{lack.target}: {lack.lacks} samples have no output, such as {', '.join(lack.samples[:3])}")
    lines += [f"note: {warning}" for warning in found.warnings]
    if made:
        lines.append(f"items {made['items_hash'][:12]}, round {made['id']}")
    return lines

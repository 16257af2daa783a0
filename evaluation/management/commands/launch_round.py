"""`manage.py launch_round PROJECT CONFIG.toml`: check a design and open the round."""

import tomllib
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from epitome.rounds.power import Power
from evaluation.services.rounds import design_check
from evaluation.services.rounds import launch as round_launch
from evaluation.services.rounds.design_check import DesignCheck
from evaluation.services.rounds.round_pay import describe_estimate

MAX_BYTES = 1_000_000


class Command(BaseCommand):
    help = "Launch a round of human evaluation from a TOML file; with --dry-run only check its design."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("config", metavar="CONFIG.toml")
        parser.add_argument("--dry-run", action="store_true", help="store nothing; exit 1 if it could not be launched")
        parser.add_argument("--json", action="store_true", help="print the design check as one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        path = Path(options["config"])
        text = _read_text(path)
        templates = _read_templates(path.parent, text)
        with convert_service_errors():
            config = design_check.parse_config(project, text, path.name, templates)
            if options["dry_run"]:
                self._show(design_check.check_design(project, config), options, {})
                return
            result = design_check.check_design(project, config)
            if not result.can_launch:
                raise command_error(f"{path.name}: {' '.join(result.faults)}")
            round_ = round_launch.make_draft(project=project, text=text, by=None, name=path.name, templates=templates)
            result = round_launch.launch_round(round_=round_, by=None)
        self._show(
            result, options, {"id": str(round_.public_id), "number": round_.number, "items_hash": round_.items_hash}
        )

    def _show(self, result: DesignCheck, options: dict[str, Any], round_values: dict[str, Any]) -> None:
        values = {**round_values, **result.as_dict()}
        if options["json"]:
            self.stdout.write(as_json(values))
        else:
            for line in _format_check(result, round_values):
                self.stdout.write(line)
        if not result.can_launch:
            raise command_error(" ".join(result.faults))


def _read_text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise command_error(f"{path.name}: is larger than {MAX_BYTES} bytes")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise command_error(f"{path.name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise command_error(f"{path.name}: is not UTF-8 at byte {error.start}") from error


def _read_templates(folder: Path, text: str) -> dict[str, str]:
    """The template file that the round names, from the round's own folder; {} where it names none."""
    try:
        head = tomllib.loads(text).get("round", {})
    except ValueError:  # reported with its place by the parser of rounds
        return {}
    name = head.get("template", "") if isinstance(head, dict) else ""
    if not isinstance(name, str) or not name.endswith(".toml"):
        return {}
    if Path(name).name != name:
        raise command_error(f"{name[:80]}: a template file lies beside the round's file")
    return {name: _read_text(folder / name)}


def _format_check(result: DesignCheck, round_values: dict[str, Any]) -> list[str]:
    """The check as a few lines for people."""
    lines = (
        [f"round {round_values['number']}: {result.config.name}"]
        if round_values
        else [f"design of {result.config.name}"]
    )
    if result.cost is not None:
        lines.append(
            f"{result.cost.items} items, {result.cost.judgements} judgements, about {result.cost.minutes:.0f} minutes "
            f"in all, {result.minutes_each or 0:.0f} for each of {result.people_needed or len(result.raters)} raters"
        )
        lines += _format_people(result)
        lines += _format_certainty(result)
    for estimate in result.power:
        lines += _format_power(estimate)
    for preferences in result.preference_power:
        finds = ", ".join(
            f"{_format_difference(difference)} with {100 * ties:.0f} % ties"
            for ties, difference in preferences.differences.items()
        )
        lines.append(f"with n = {preferences.n} pairs: finds wins minus losses of {finds}")
    for lack in result.missing:
        lines.append(f"{lack.target}: {lack.lacks} samples have no output, such as {', '.join(lack.samples[:3])}")
    lines += [f"note: {warning}" for warning in result.warnings]
    if round_values:
        lines.append(f"items {round_values['items_hash'][:12]}, round {round_values['id']}")
    return lines


def _format_people(result: DesignCheck) -> list[str]:
    """What raters are paid, and how many people a crowd link needs."""
    lines = [f"pay: {describe_estimate(result.pay)}"] if result.pay is not None else []
    if result.people_needed is not None:
        lines.append(
            f"{result.people_needed} people by a crowd link, {result.config.items_per_person} items each at most"
        )
    return lines


def _format_certainty(result: DesignCheck) -> list[str]:
    """With judges: how wide intervals of a difference will be, and what is needed for one."""
    plan = result.certainty
    if plan is None:
        return []
    basis = f"pilot {plan.pilot}" if plan.pilot else f"assumed correlation {plan.correlation:g}"
    lines = [f"{plan.chosen} of {plan.total} samples for people; half widths of a difference ({basis}):"]
    for point in plan.points:
        widths = ", ".join(f"{way} {half:.3f}" for way, half in point.half_widths.items())
        lines.append(f"  with {point.n} samples for people: {widths}")
    for difference, needs in plan.needs.items():
        ways = ", ".join(f"{need.way} {need.n_human or f'more than {plan.total}'}" for need in needs)
        lines.append(f"  to find {difference:g} with 80 % power: {ways}")
    return lines


def _format_power(estimate: Power) -> list[str]:
    """What n answers show: a line per base rate of yes."""
    lines = [f"with n = {estimate.n} (95 % intervals; differences found with 80 % power):"]
    for rate_power in estimate.rates:
        kappas = ", ".join(f"kappa {kappa:g} +-{half:.2f}" for kappa, half in rate_power.kappas.items())
        difference = _format_difference(rate_power.difference)
        lines.append(f"  yes {rate_power.rate:.2f} +-{rate_power.half:.2f}, {kappas}, difference {difference}")
    return lines


def _format_difference(difference: float | None) -> str:
    return "none" if difference is None else f"{difference:.2f}"

"""`manage.py make_crowd_link PROJECT NAME`: a link for people of a crowd platform."""

from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from annotation.management.running import as_json, command_error, convert_service_errors, get_project
from annotation.models import Project
from annotation.services.people import crowd_links, crowd_outcomes
from annotation.services.people.crowd_roles import CROWD_ROLES


class Command(BaseCommand):
    help = "Make a link for people of a crowd platform, who write summaries or rate in one open round."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("name", help="what it is for, for the team")
        parser.add_argument(
            "--round", default="", help="name or id of an open round; without it people write summaries"
        )
        parser.add_argument("--tasks", type=int, help="summaries or items of each person")
        parser.add_argument("--people", type=int, default=50, help="how many may come (50)")
        parser.add_argument("--days", type=int, default=30, help="until it expires (30)")
        parser.add_argument("--pay", default="", help="amount for each task, such as 0.60")
        parser.add_argument("--currency", default="", help="such as USD")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        role, target, planned = _find_target(project, options["round"])
        with convert_service_errors():
            link, plain_token = crowd_links.make_link(
                project=project,
                by=None,
                link_settings=crowd_links.LinkSettings(
                    name=options["name"],
                    tasks=options["tasks"] or planned or 10,
                    max_uses=options["people"],
                    days=options["days"],
                    role=role,
                    target=target,
                    pay_amount=_read_amount(options["pay"]),
                    pay_currency=options["currency"],
                ),
            )
        values = {
            "path": reverse("take-part", args=[plain_token]),
            "tasks": link.tasks,
            "pay": crowd_outcomes.describe_pay(link),
            "complete": link.code,
            "screened_out": link.code_screened_out,
            "no_work": link.code_no_work,
        }
        if options["json"]:
            self.stdout.write(as_json(values))
            return
        for key, value in values.items():
            self.stdout.write(f"{key}: {value}")


def _find_target(project: Project, name: str) -> tuple[str, str, int | None]:
    """(role, target, usual tasks) of a link to the round of this name or id; for writers without one."""
    if not name:
        return "annotator", "", None
    for role in CROWD_ROLES:
        for target in role.list_targets(project):
            if target.id and name in (target.id, target.label):
                return role.role, target.id, target.tasks
    raise command_error(f"{name[:80]}: no open round of this name or id")


def _read_amount(text: str) -> Decimal | None:
    try:
        return Decimal(text) if text else None
    except InvalidOperation as error:
        raise command_error(f"--pay is {text[:20]!r}: give an amount such as 0.60") from error

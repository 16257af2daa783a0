"""`manage.py judge_check PROJECT`: how often judges agree with labels given by hand; --draw N draws texts to label."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, convert_service_errors, get_project
from epitome.figures.numbers import format_score
from epitome.prompts.questions import list_questions
from evaluation.services.judge_checks import check_draws, check_tables


class Command(BaseCommand):
    help = "Print how often each judge is right by the labels given by hand, or draw texts to label on the page."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        questions = [question.key for question in list_questions()]
        parser.add_argument("--question", choices=questions, default="focus")
        parser.add_argument("--draw", type=int, metavar="N", help="draw N texts, half for each answer, and stop")
        parser.add_argument("--over", default="references", metavar="references|run:ID", help="texts to draw from")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        values: dict[str, Any]
        with convert_service_errors():
            question = check_draws.get_question(options["question"])
            if options["draw"] is not None:
                drawn = {"question": question.key, "over": options["over"], "n": options["draw"]}
                check = check_draws.draw_check(project=project, by=None, seed=options["seed"], **drawn)
                values = {"check": str(check.public_id), "texts": len(check.texts)}
                text = f"{len(check.texts)} texts to label: /p/{project.slug}/judge-check/{check.public_id}/"
            else:
                values = check_tables.check_as_dict(project, question)
                text = format_check(values)
        self.stdout.write(as_json(values) if options["json"] else text)


def format_check(values: dict[str, Any]) -> str:
    """What `check_as_dict` gives, as lines."""
    lines = [f"{values['labelled']} texts labelled by hand"]
    if values["published_accuracy"] is not None:
        lines.append(f"  {format_score(values['published_accuracy'])} as published")
    for judge in values["judges"]:
        low, high = judge["ci95"]
        kappa = format_score(judge["kappa"]) if judge["kappa"] is not None else f"n/a ({judge['kappa_undefined']})"
        accuracy = f"{format_score(judge['accuracy'])} ({format_score(low)} to {format_score(high)})"
        lines.append(f"  {accuracy} on {judge['texts']} texts, kappa {kappa}: {judge['judge']}")
    return "\n".join(lines)

"""`manage.py make_contrastives PROJECT`: contrastive examples of the gold summaries."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import Project
from annotation.services.contrastives import importing, making
from annotation.services.contrastives.set_options import SetOptions
from epitome.contrastives import RULES
from epitome.formats.reading import input_file

USUAL = SetOptions()


class Command(BaseCommand):
    help = (
        "Make contrastive examples: copies of each gold summary with one or two words changed by a rule. The same "
        "options again continue an interrupted run, or add golds that came since."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--split", default="", help="only golds of sources of this split (default: all)")
        parser.add_argument("--n", type=int, default=USUAL.n, help="at most so many golds (default %(default)s)")
        parser.add_argument("--seed", type=int, default=USUAL.seed, help="of all draws (default %(default)s)")
        parser.add_argument(
            "--per-gold", type=int, default=USUAL.per_gold, help="examples of each (default %(default)s)"
        )
        parser.add_argument("--rules", nargs="+", metavar="RULE", default=[], help=f"only these of {', '.join(RULES)}")
        parser.add_argument(
            "--without", nargs="+", metavar="SOURCE", default=[], help="ids of sources whose golds are left out"
        )
        parser.add_argument(
            "--estimate", type=int, default=0, metavar="N", help="work out the shares of the rules from N golds"
        )
        parser.add_argument("--inflect", action="store_true", help="give words the form that their new place asks for")
        parser.add_argument("--replace", action="store_true", help="delete the project's other examples first")
        parser.add_argument("--from", dest="file", metavar="FILE", help="import examples made elsewhere (JSON lines)")
        parser.add_argument("--dry-run", action="store_true", help="print what would be made; store nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        project = get_project(options["project"])
        if options["file"]:
            self._import_file(project, options)
            return
        names = ("split", "n", "seed", "per_gold", "estimate", "inflect")
        rules = tuple(rule for text in options["rules"] for rule in text.upper().replace(",", " ").split())
        values = {name: options[name] for name in names}
        chosen = SetOptions(rules=rules or RULES, without=tuple(options["without"]), **values)
        if options["dry_run"]:
            with convert_service_errors():
                plan = making.plan_contrastives(project=project, options=chosen)
            self.stdout.write(as_json(plan.as_dict()) if options["json"] else _describe_plan(plan))
            return
        with convert_service_errors(), progress_of("Making contrastive examples") as progress:
            counts = making.make_contrastives(
                project=project, options=chosen, replace=options["replace"], progress=progress
            )
        if options["json"]:
            self.stdout.write(as_json(counts))
            return
        self.stdout.write(
            f"{counts['examples']} examples of {counts['golds']} gold summaries added ({counts['empty']} give none); "
            f"the project has {counts['all_examples']} of {counts['all_golds']}"
        )

    def _import_file(self, project: Project, options: dict[str, Any]) -> None:
        path = Path(options["file"])
        if not path.is_file():
            raise command_error(f"{path.name}: there is no such file")
        with convert_service_errors(), progress_of(f"Importing {path.name}") as progress:
            counts = importing.import_contrastives(
                project=project,
                file=input_file(path),
                replace=options["replace"],
                dry_run=options["dry_run"],
                progress=progress,
            )
        if options["json"]:
            self.stdout.write(as_json(counts))
        else:
            verb = "could be imported" if options["dry_run"] else "imported"
            self.stdout.write(
                f"{counts['examples']} examples of {counts['golds']} gold summaries {verb}, "
                f"the edits of {counts['derived']} derived from their texts"
            )


def _describe_plan(plan: making.DryRun) -> str:
    """The plan as lines of text."""
    lines = [
        f"{plan.golds} gold summaries, {plan.drawn} drawn, {plan.remaining} without examples yet",
        f"tried {plan.tried} of them: {plan.per_gold or 0:.1f} examples each, so about {plan.expected or 0} in all",
        f"{'rule':6}{'quota':>6}{'pairs':>9}{'left':>9}{'drawn':>7}   removed by filters",
    ]
    for rule, steps in plan.counts.as_dict()["rules"].items():
        removed = ", ".join(f"{name} {steps[name]}" for name in making.FILTERS if steps[name])
        lines.append(
            f"{rule:6}{plan.quotas[rule]:6}{steps['pairs']:9}{steps['available']:9}{steps['drawn']:7}   {removed}"
        )
    return "\n".join(lines)

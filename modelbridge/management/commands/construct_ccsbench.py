"""`manage.py construct_ccsbench PROJECT [STEP]`: from papers to CCSBench, a step in this process, resumed where it
was stopped."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import Project
from epitome.construction.estimates import Estimate
from epitome.construction.steps import STEPS
from epitome.figures.numbers import format_money
from epitome.figures.table_text import format_table
from modelbridge.management.commands.run_system import revision_for
from modelbridge.models import ConstructionStep, RunState, SystemRevision
from modelbridge.services.construction import overview, step_jobs, steps
from modelbridge.services.construction.set_tables import CONSTRUCTION_TABLES
from modelbridge.services.construction.step_worker import StepFault

TABLES = "tables"


class Command(BaseCommand):
    help = "Construct CCSBench from a project's papers, step by step. Stopped and called again, it goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "step",
            nargs="?",
            choices=[*STEPS, TABLES],
            help="without one: how far each step is; tables: Tables 1 and 2",
        )
        parser.add_argument("--system", default="", metavar="KEY|CONFIG.toml", help="of kind chat-rewrite")
        parser.add_argument("--dry-run", action="store_true", help="print calls, tokens and cost; ask nobody")
        parser.add_argument("--seed", type=int, help="of everything drawn (default 0)")
        for name in ("n", "train", "dev", "test"):
            parser.add_argument(f"--{name}", type=int, help="a size; the paper's if absent")
        parser.add_argument("--keyword-share", type=float, help="of compositional train and dev samples that keep them")
        parser.add_argument(
            "--exact", action="store_true", default=None, help="keywords letter for letter, not by stem"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] is not None and options["seed"] < 0:
            raise CommandError(f"--seed {options['seed']} is below 0", returncode=2)
        project = get_project(options["project"])
        if options["step"] is None:
            self.stdout.write(_print_overview(project, options["json"]))
        elif options["step"] == TABLES:
            self.stdout.write(_print_tables(project, options["json"]))
        else:
            self.stdout.write(_run_step(project, options))


def _run_step(project: Project, options: dict[str, Any]) -> str:
    key = options["step"]
    names = ("n", "train", "dev", "test", "keyword_share", "exact")
    sizes = {name: options[name] for name in names if options[name] is not None}
    with convert_service_errors():
        revision = revision_for(project, options["system"]) if options["system"] else None
        if options["dry_run"]:
            estimate = steps.estimate_step(
                project=project, key=key, revision=revision, options=sizes, seed=options["seed"]
            )
            return as_json(estimate.as_dict()) if options["json"] else format_estimate(estimate)
        step = _start_or_continue(project, key, revision, sizes, options["seed"])
    with progress_of(f"Constructing {key}") as progress:
        try:
            step_jobs.lead_step(step, progress)
        except StepFault as fault:
            raise command_error(str(fault)) from fault
    step.refresh_from_db()
    if step.state != RunState.DONE:
        raise command_error(f"the step ended as {step.state}: {step.error or 'it was stopped'}")
    row = overview.describe_step(step)
    return as_json(row.as_dict()) if options["json"] else format_step(row)


def _start_or_continue(
    project: Project, key: str, revision: SystemRevision | None, sizes: dict[str, Any], seed: int | None
) -> ConstructionStep:
    """The step, also one whose worker was killed: its calls are taken up where they are."""
    step = steps.find_step(project, key)
    if step is not None and step.state in RunState.UNDER_WAY:
        return step
    return steps.start_step(
        project=project, key=key, revision=revision, options=sizes, seed=seed, by=None, queue_it=False
    )


def _print_overview(project: Project, json: bool) -> str:
    rows = overview.list_steps(project)
    return as_json({"steps": [row.as_dict() for row in rows]}) if json else "\n".join(map(format_step, rows))


def _print_tables(project: Project, json: bool) -> str:
    tables = [build(project) for build in CONSTRUCTION_TABLES]
    if json:
        return as_json({"tables": [table.as_json() for table in tables]})
    return "\n\n".join(map(format_table, tables))


def format_estimate(estimate: Estimate) -> str:
    cost = "no price is configured" if estimate.cost is None else format_money(estimate.cost, estimate.currency)
    return (
        f"at most {estimate.calls} calls, about {estimate.tokens_in} tokens in and {estimate.tokens_out} out, {cost}; "
        "nothing was asked"
    )


def format_step(row: overview.StepOverview) -> str:
    if row.state == overview.NOT_STARTED:
        return f"{row.key}: not started"
    calls = f"; {row.done} calls done, {row.failed} failed, {row.open} open" if row.asks else ""
    cost = f", {format_money(row.cost, row.currency)}" if row.cost else ""
    lines = [f"{row.key}: {row.state}; {row.stored} summaries{calls}{cost}"]
    lines += [f"  {n} left out: {reason}" for reason, n in row.result.get("left_out", {}).items()]
    lines += [f"  length {value}: {n}" for value, n in row.result.get("bins", {}).items()]
    lines += [f"  few summaries of length {value}" for value in row.result.get("few", [])]
    lines += [f"  {name}: {n} papers" for name, n in row.result.get("sources", {}).items()]
    lines += [f"  {error['n']} failed: {error['error']}" for error in row.errors]
    lines += [f"  {row.interrupted} calls interrupted; the server may have charged for them"] if row.interrupted else []
    return "\n".join(lines)

"""`manage.py run_system KEY|CONFIG.toml PROJECT`: a run in this process, which resumes where it was stopped."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import as_json, command_error, convert_service_errors, get_project, progress_of
from annotation.models import Project
from annotation.services.core.errors import BadInput
from epitome.prompts.questions import list_questions
from epitome.schema import SchemaError
from epitome.systems.protocol import SystemFault
from epitome.systems.registry import config_of
from modelbridge.models import Run, RunState, SystemRevision
from modelbridge.services.runs import run_worker, runs
from modelbridge.services.runs.run_progress import RunProgress
from modelbridge.services.runs.run_progress import progress_of as run_progress
from modelbridge.services.runs.system_processes import HostFault
from modelbridge.services.systems import systems


class Command(BaseCommand):
    help = "Run a system over the samples of a project, here and now. Stopped and called again, it goes on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("system", metavar="KEY|CONFIG.toml")
        parser.add_argument("project")
        parser.add_argument("--split", default="", help="only samples of this split")
        parser.add_argument(
            "--asks", default="", metavar="KEY,KEY", help="only samples that ask for exactly these attributes"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument(
            "--over",
            default="",
            metavar="references|run:ID|run:KEY|contrastives",
            help="texts for a system that scores, rewrites or judges",
        )
        presets = [question.key for question in list_questions()]
        parser.add_argument("--preset", choices=presets, help="a published question, for a judge")
        parser.add_argument("--question", help="a question of your own, for a judge")
        parser.add_argument("--answer", action="append", metavar="WORD", help="for a judge, one by one")
        parser.add_argument("--shows-source", action="store_true", help="the judge reads the source too")
        parser.add_argument(
            "--budget",
            type=float,
            metavar="MONEY",
            help="stop once its outputs have cost so much, in the currency of the system's price",
        )
        parser.add_argument("--label", default="")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["seed"] < 0:
            raise CommandError(f"--seed {options['seed']} is below 0", returncode=2)
        project = get_project(options["project"])
        with convert_service_errors():
            revision = revision_for(project, options["system"])
            run = resume_or_start(revision, options)
        with progress_of(f"Running {revision.system.key}") as progress:
            try:
                run_worker.work_in_process(run, progress)
            except HostFault as error:
                raise command_error(str(error)) from error
        final_progress = run_progress(run)
        if final_progress.state != RunState.DONE:
            raise command_error(
                f"the run ended as {final_progress.state}: {final_progress.error or 'it was called off'}"
            )
        self.stdout.write(
            as_json(build_result(run, final_progress)) if options["json"] else format_result(run, final_progress)
        )


def revision_for(project: Project, key_or_path: str) -> SystemRevision:
    """The newest revision of the project's system of that key; else a shipped configuration or a file, registered."""
    if systems.systems_of(project).filter(key=key_or_path).exists():
        return systems.revision_of(project, key_or_path)
    try:
        config = config_of(key_or_path)
    except (SystemFault, SchemaError) as error:
        raise BadInput(str(error)) from error
    return systems.register_system(project=project, toml_text=config.text, by=None)


def resume_or_start(revision: SystemRevision, options: dict[str, Any]) -> Run:
    """Resumes the last unfinished run of the same revision, split and seed; else starts a new one."""
    project = revision.system.project
    same = {name: options[name] for name in ("split", "asks", "seed", "over")}
    last = runs.find_unfinished_run(revision=revision, options=judge_options(options), **same)
    if last is None:
        return runs.start_run(
            project=project,
            revision=revision,
            by=None,
            label=options["label"],
            options=judge_options(options),
            budget=options["budget"],
            queue_it=False,
            **same,
        )
    if last.state in RunState.UNDER_WAY:
        return last
    return runs.resume_run(run=last, by=None, budget=options["budget"], queue_it=False)


def judge_options(options: dict[str, Any]) -> dict[str, Any]:
    """What the command line asks of a judge; {} where it asks nothing."""
    question_options = {name: options[name] for name in ("preset", "question", "shows_source")}
    return {name: value for name, value in [*question_options.items(), ("answers", options["answer"])] if value}


def build_result(run: Run, progress: RunProgress) -> dict[str, Any]:
    return {
        "run": str(run.public_id),
        "project": run.project.slug,
        "system": run.revision.system.key,
        "revision": run.revision.number,
        "split": run.split,
        "asks": run.asks,
        "seed": run.seed,
        "left_out": run.left_out,
        **progress.as_dict(),
    }


def format_result(run: Run, progress: RunProgress) -> str:
    note = f" ({progress.note})" if progress.note else ""
    lines = [f"{progress.done} of {progress.total} samples done{note}; run {run.public_id}"]
    lines += [f"  {reason['n']} failed: {reason['error']}" for reason in progress.errors]
    lines += [f"  {n} left out: {why}" for why, n in run.left_out.items()]
    return "\n".join(lines)

"""`manage.py dependency_study KEY|CONFIG.toml FILE`: what one changed request does to all measures of a system;
`dependency_study PROJECT run:ID`: the same over a run of a project, whose outputs are those before."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import (
    CommandProgress,
    command_error,
    convert_service_errors,
    get_project,
    load_sample_options,
    progress_of,
)
from annotation.services.scores import score_jobs
from epitome.cli.sample_options import FILES, add_sample_options
from epitome.figures.charts import chart_from_json, chart_json
from epitome.figures.heat import Heat
from epitome.figures.pdf import render_pdf
from epitome.figures.svg import standalone_svg
from epitome.figures.tables import Table, format_value
from epitome.formats.reading import UnreadableFile, input_file
from epitome.measures import NoTagger, spacy_tagger
from epitome.reports.amplitude import SAMPLES as CA_SAMPLES
from epitome.reports.amplitude import list_paper_keys, run_amplitude_study
from epitome.reports.dependency import SAMPLES, changeable_attributes, draw_changes, run_study
from epitome.schema import SchemaError
from epitome.systems.batching import generate_all
from epitome.systems.files import UnfitFile, add_examples, read_requests
from epitome.systems.protocol import Generator, Request, SystemFault
from epitome.systems.registry import config_of, make_system
from epitome.systems.roles import traits_of
from epitome.text.pipeline import PipelineNotFound
from evaluation.services.changes import change_studies, change_tables
from evaluation.services.changes.change_studies import find_run
from evaluation.services.reports import report_files
from modelbridge.models import Run
from modelbridge.services.runs import run_worker
from modelbridge.services.runs.system_processes import HostFault

MEASURES = ("cer", "ca")
RUN = "run:"
NO_LENGTH = "the change amplitude of CCSBench needs its length bins: no attribute of this schema has them"


class Command(BaseCommand):
    help = "Change one attribute of each sampled request and tell how far every measure of a system's output moves."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("system", metavar="KEY|CONFIG.toml|PROJECT")
        parser.add_argument("file", help=f"{FILES}; or, after the name of a project, run:ID or run:KEY")
        parser.add_argument("--examples", metavar="FILE", help="samples for a system that is shown worked examples")
        add_sample_options(parser)
        help_text = "cer: how far every measure moves (MACSum); ca: how far CCSBench's metrics do"
        parser.add_argument("--measure", choices=MEASURES, default="cer", help=help_text)
        parser.add_argument("--n", type=int, help=f"samples per attribute (default {SAMPLES}, {CA_SAMPLES} for ca)")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--figure", metavar="FILE.svg|FILE.pdf", help="also draw the matrix")
        parser.add_argument("--format", choices=["text", *report_files.FORMATS], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["n"] is not None and options["n"] < 1) or options["seed"] < 0:
            raise CommandError("--n is at least 1, --seed at least 0", returncode=2)
        figure = Path(options["figure"]) if options["figure"] else None
        if figure is not None and (figure.suffix not in (".svg", ".pdf") or not figure.parent.is_dir()):
            raise command_error(f"{figure.name}: name a file that ends in .svg or .pdf, in a folder that is there")
        try:
            over_run = options["file"].startswith(RUN)
            report = self._study_run(options) if over_run else self._study_file(options)
        except (UnfitFile, UnreadableFile, SchemaError, SystemFault, PipelineNotFound, NoTagger) as error:
            raise command_error(str(error)) from error
        if figure is not None:
            drawn = chart_from_json(report["figures"][report["tables"][0]["key"]][0]).draw()
            figure.write_bytes(render_pdf(drawn) if figure.suffix == ".pdf" else standalone_svg(drawn).encode())
        if options["format"] == "text":
            self.stdout.write("\n".join(_format_study(report)))
        else:
            self.stdout.write(report_files.render_report({**report, "figures": {}}, options["format"]))

    def _study_run(self, options: dict[str, Any]) -> dict[str, Any]:
        """Start or resume the runs of a study, work on them here, and give the tables of the measure."""
        project = get_project(options["system"])
        with convert_service_errors():
            run = find_run(project, options["file"])
            study = change_studies.start_study(run=run, n=options["n"], seed=options["seed"], by=None, queue_it=False)
            change_studies.resume_study(study=study, by=None, queue_it=False)
            for changed_run in study.runs:
                with progress_of(f"Changing {changed_run.over.partition(':')[2]}") as progress:
                    _work(changed_run, progress)
            score_jobs.score_project(project=project)
        study = change_studies.find_study(run, study.n, study.seed)
        if not study.ended:
            raise command_error("the study has not ended: a run was called off or is worked on elsewhere")
        report = change_tables.build_study_report(project, study)
        keys = ("metric-amplitude",) if options["measure"] == "ca" else ("dependency", "amplitude")
        tables = [table for table in report["tables"] if table["key"] in keys]
        if not tables:
            raise command_error(NO_LENGTH)
        return {**report, "tables": tables}

    def _study_file(self, options: dict[str, Any]) -> dict[str, Any]:
        file, sample_options = input_file(options["file"], encoding=options["encoding"]), load_sample_options(options)
        examples_file = input_file(options["examples"]) if options["examples"] else None
        config = config_of(options["system"])
        requests = read_requests(file, options["seed"], sample_options)
        requests = add_examples(requests, config, file, examples_file, sample_options)
        system = make_system(config)
        if not traits_of(system.role).writes:
            raise SystemFault(f"{system.key} cannot write summaries: its role is {system.role}")
        is_amplitude = options["measure"] == "ca"
        attributes = changeable_attributes(requests[0].schema) if is_amplitude else None
        if is_amplitude and "length" not in list_paper_keys(requests[0].schema):
            raise command_error(NO_LENGTH)
        n = options["n"] or (CA_SAMPLES if is_amplitude else SAMPLES)
        changes = draw_changes(requests, n=n, seed=options["seed"], attributes=attributes)
        if not changes:
            raise SystemFault("no sample of the file asks for an attribute that has a measure and could be changed")
        with progress_of(f"Changing requests of {system.key}") as progress:
            originals = len({change.original.id for change in changes})
            progress.set(0, originals + len(changes))

            def run(generator: Generator, batch: Sequence[Request]) -> list[str]:
                return [output.text for output in generate_all(generator, batch, progress.advance)]

            same: dict[str, Any] = {"name": system.key, "seed": options["seed"]}
            if is_amplitude:
                table, figure = run_amplitude_study(cast(Generator, system), changes, run, **same)
                return _build_report([table], figure)
            tagger = spacy_tagger(settings.EPITOME_SPACY_PIPELINE)
            study = run_study(cast(Generator, system), changes, tagger, run, **same)
            return _build_report([study.table, study.amplitudes], study.figure)


def _build_report(tables: list[Table], figure: Heat) -> dict[str, Any]:
    """The tables and the figure of the first one, as reports are stored."""
    as_json = [table.as_json() for table in tables]
    return {"name": tables[0].title, "methods": "", "tables": as_json, "figures": {tables[0].key: [chart_json(figure)]}}


def _work(run: Run, progress: CommandProgress) -> None:
    """Work on a run until it has ended. Raises SystemFault."""
    try:
        run_worker.work_in_process(run, progress)
    except HostFault as error:
        raise SystemFault(str(error)) from error


def _format_study(report: dict[str, Any]) -> list[str]:
    lines = []
    tables = report_files.list_tables(report)
    for table in tables:
        lines += ["", table.title, "  ".join(f"{column.label:>8}" for column in table.columns)]
        lines += ["  ".join(f"{format_value(cell.value, 2):>8}" for cell in row) for row in table.rows]
    return [*lines, "", tables[0].signature]

"""`manage.py dependency_study KEY|CONFIG.toml FILE`: what one changed request does to all measures of a system."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.figures.pdf import render_pdf
from annotation.figures.svg import standalone_svg
from annotation.figures.tables import format_value
from annotation.formats.reading import UnreadableFile, input_file
from annotation.management.running import command_error, load_sample_options, progress_of
from annotation.measures import NoTagger, spacy_tagger
from annotation.schema import SchemaError
from annotation.text.pipeline import PipelineNotFound
from epitome.cli.sample_options import FILES, add_sample_options
from evaluation.reports.dependency import SAMPLES, DependencyStudy, draw_changes, run_study
from evaluation.services.reports import report_files
from modelbridge.systems.batching import generate_all
from modelbridge.systems.files import UnfitFile, add_examples, read_requests
from modelbridge.systems.protocol import Generator, Request, SystemFault
from modelbridge.systems.registry import config_of, make_system


class Command(BaseCommand):
    help = "Change one attribute of each sampled request and tell how far every measure of a system's output moves."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("system", metavar="KEY|CONFIG.toml")
        parser.add_argument("file", help=FILES)
        parser.add_argument("--examples", metavar="FILE", help="samples for a system that is shown worked examples")
        add_sample_options(parser)
        parser.add_argument("--n", type=int, default=SAMPLES, help=f"samples per attribute (default {SAMPLES})")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--figure", metavar="FILE.svg|FILE.pdf", help="also draw the matrix")
        parser.add_argument("--format", choices=["text", *report_files.FORMATS], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["n"] < 1 or options["seed"] < 0:
            raise CommandError("--n is at least 1, --seed at least 0", returncode=2)
        figure = Path(options["figure"]) if options["figure"] else None
        if figure is not None and (figure.suffix not in (".svg", ".pdf") or not figure.parent.is_dir()):
            raise command_error(f"{figure.name}: name a file that ends in .svg or .pdf, in a folder that is there")
        try:
            result = self._study(options)
        except (UnfitFile, UnreadableFile, SchemaError, SystemFault, PipelineNotFound, NoTagger) as error:
            raise command_error(str(error)) from error
        if figure is not None:
            drawn = result.figure.draw()
            figure.write_bytes(render_pdf(drawn) if figure.suffix == ".pdf" else standalone_svg(drawn).encode())
        if options["format"] == "text":
            self.stdout.write("\n".join(_format_study(result)))
        else:
            report = {"name": result.table.title, "methods": "", "figures": {}}
            tables = [table.as_json() for table in (result.table, result.amplitudes)]
            self.stdout.write(report_files.render_report({**report, "tables": tables}, options["format"]))

    def _study(self, options: dict[str, Any]) -> DependencyStudy:
        file, sample_options = input_file(options["file"]), load_sample_options(options)
        examples_file = input_file(options["examples"]) if options["examples"] else None
        config = config_of(options["system"])
        requests = read_requests(file, options["seed"], sample_options)
        requests = add_examples(requests, config, file, examples_file, sample_options)
        system = make_system(config)
        if system.role != "generate":
            raise SystemFault(f"{system.key} cannot write summaries: its role is {system.role}")
        tagger = spacy_tagger(settings.EPITOME_SPACY_PIPELINE)
        changes = draw_changes(requests, n=options["n"], seed=options["seed"])
        if not changes:
            raise SystemFault("no sample of the file asks for an attribute that has a measure and could be changed")
        with progress_of(f"Changing requests of {system.key}") as progress:
            originals = len({change.original.id for change in changes})
            progress.set(0, originals + len(changes))

            def run(generator: Generator, batch: Sequence[Request]) -> list[str]:
                return [output.text for output in generate_all(generator, batch, progress.advance)]

            return run_study(cast(Generator, system), changes, tagger, run, name=system.key, seed=options["seed"])


def _format_study(result: DependencyStudy) -> list[str]:
    lines = []
    for table in (result.table, result.amplitudes):
        lines += ["", table.title, "  ".join(f"{column.label:>8}" for column in table.columns)]
        lines += ["  ".join(f"{format_value(cell.value, 2):>8}" for cell in row) for row in table.rows]
    return [*lines, "", result.table.signature]

"""`manage.py attention_study KEY|CONFIG.toml FILE`: how far back a decoder-only system attends."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.running import command_error, load_sample_options, progress_of
from epitome.cli.sample_options import FILES, add_sample_options
from epitome.figures.charts import Bars
from epitome.figures.pdf import render_pdf
from epitome.figures.svg import standalone_svg
from epitome.figures.tables import Table
from epitome.formats.reading import UnreadableFile, input_file
from epitome.metrics.attention_distance import SampleAttention, measure_attention
from epitome.metrics.draws import Draws
from epitome.reports.attention import SAMPLES, attention_tables
from epitome.reports.dependency import source_id
from epitome.schema import SchemaError
from epitome.systems.files import UnfitFile, read_requests
from epitome.systems.neural.attention import read_attention
from epitome.systems.protocol import Request, SystemFault
from epitome.systems.registry import config_of, make_system
from evaluation.services.reports import report_files

ALGORITHM = "attention@1"
ENDINGS = (".svg", ".pdf")


class Command(BaseCommand):
    help = "Tell how much attention the tokens that a decoder-only system writes give to near and far tokens."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("system", metavar="KEY|CONFIG.toml")
        parser.add_argument("file", help=FILES)
        add_sample_options(parser)
        parser.add_argument("--n", type=int, default=SAMPLES, help=f"samples, drawn by the seed (default {SAMPLES})")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--figure", metavar="FILE.svg|FILE.pdf", help="also draw the shares; the control lines in FILE-control"
        )
        parser.add_argument("--format", choices=["text", *report_files.FORMATS], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["n"] < 1 or options["seed"] < 0:
            raise CommandError("--n is at least 1, --seed at least 0", returncode=2)
        figure = Path(options["figure"]) if options["figure"] else None
        if figure is not None and (figure.suffix not in ENDINGS or not figure.parent.is_dir()):
            raise command_error(f"{figure.name}: name a file that ends in .svg or .pdf, in a folder that is there")
        try:
            tables, figures = self._measure(options)
        except (UnfitFile, UnreadableFile, SchemaError, SystemFault) as error:
            raise command_error(str(error)) from error
        if figure is not None:
            _write_figures(figures, figure)
        if options["format"] == "text":
            self.stdout.write("\n".join(_format_tables(tables)))
        else:
            report = {"name": tables[0].title, "methods": "", "figures": {}}
            as_json = [table.as_json() for table in tables]
            self.stdout.write(report_files.render_report({**report, "tables": as_json}, options["format"]))

    def _measure(self, options: dict[str, Any]) -> tuple[list[Table], list[Bars]]:
        requests = read_requests(
            input_file(options["file"], encoding=options["encoding"]), options["seed"], load_sample_options(options)
        )
        drawn = draw_requests(requests, options["n"], options["seed"])
        system = make_system(config_of(options["system"]))
        samples, sources = [], []
        with progress_of(f"Attentions of {system.key}") as progress:
            progress.set(0, len(drawn))
            for request in drawn:
                attention = read_attention(system, request)
                if attention is not None:
                    samples.append(SampleAttention(attention.weights, attention.n_prompt, attention.control))
                    sources.append(source_id(request))
                progress.advance()
        if not samples:
            raise SystemFault(f"{system.key} wrote nothing for any of {len(drawn)} samples")
        return attention_tables(measure_attention(samples, Draws(sources)), name=system.key)


def draw_requests(requests: Sequence[Request], n: int, seed: int) -> list[Request]:
    """At most n requests, in file order; the same seed gives the same draw on every machine."""
    places = random.Random(f"{ALGORITHM}:{seed}").sample(range(len(requests)), min(n, len(requests)))
    return [requests[index] for index in sorted(places)]


def _write_figures(figures: Sequence[Bars], path: Path) -> None:
    """The first figure at the path, that of the control lines beside it."""
    paths = [path, path.with_stem(f"{path.stem}-control")]
    for place, chart in zip(paths, figures, strict=False):
        svg = chart.draw()
        place.write_bytes(render_pdf(svg) if place.suffix == ".pdf" else standalone_svg(svg).encode())


def _format_tables(tables: Sequence[Table]) -> list[str]:
    lines: list[str] = []
    for table in tables:
        lines += ["", table.title, "  ".join(f"{column.label:>11}" for column in table.columns)]
        for row in table.rows:
            texts = [column.format(cell.value) for cell, column in zip(row, table.columns, strict=True)]
            lines.append("  ".join(f"{text:>11}" for text in texts))
    return [*lines, "", tables[0].signature]

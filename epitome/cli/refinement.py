"""`refinement FILE...`: the tables of systems that refine, from their predictions with provenance."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_json_option
from epitome.figures.tables import Table

if TYPE_CHECKING:
    from epitome.metrics.refinements import RefinedSample
    from epitome.reports.refinement import Wording

SUMMARY = "Say what refining brought, what it took, and what else moved."
EXAMPLES = (
    "epitome predict refine.toml test.json --output refined.jsonl --provenance",
    "epitome refinement refined.jsonl",
    "epitome refinement all.jsonl by-attribute.jsonl --format latex",
)


def add_arguments(parser: ArgumentParser) -> None:
    about = "what predict --provenance wrote, or the exported outputs of a run; several are compared"
    parser.add_argument("file", nargs="+", metavar="FILE", help=about)
    parser.add_argument("--format", choices=("text", "latex", "csv"), default="text")
    add_json_option(parser)


def run_refinement(arguments: Namespace) -> str:
    """The tables, or with --json their rows. Raises CommandFault."""
    from epitome.figures.table_text import format_table
    from epitome.reports.refinement import build_refinement_report, summary_table

    samples_by_name = {name: _read_samples(name) for name in arguments.file}
    every = [sample for samples in samples_by_name.values() for sample in samples]
    tables = [summary_table(samples_by_name, _word_samples(every))]
    for name, samples in samples_by_name.items():
        tables += build_refinement_report(name, samples, _word_samples(samples)).tables[1:]
    if arguments.json:
        return json.dumps([table.as_json() for table in tables], ensure_ascii=False)
    write: dict[str, Callable[[Table], str]] = {"text": format_table, "latex": Table.latex, "csv": Table.csv}
    return "\n\n".join(write[arguments.format](table).rstrip("\n") for table in tables)


def _read_samples(name: str) -> "list[RefinedSample]":
    """The samples of one file; `file#3` and `file#4` are two samples of one source. Raises CommandFault."""
    from epitome.formats.faults import Fault
    from epitome.formats.reading import UnreadableFile, input_file, read_lines
    from epitome.metrics.refinements import read_refined_sample

    samples = []
    try:
        for item in read_lines(input_file(name)):
            if isinstance(item, Fault):
                raise CommandFault(str(item))
            number, raw = item
            try:
                line = json.loads(raw)
                source = str(line["sample_id"]).rpartition("#")[0]
                sample = read_refined_sample(line, source, line.get("told", {}))
            except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
                raise CommandFault(f"{name}, line {number}: is no output with its provenance") from error
            samples += [sample] if sample else []
    except UnreadableFile as error:
        raise CommandFault(str(error)) from error
    if not samples:
        raise CommandFault(f"{name}: holds no output of a system that refines; write it with predict --provenance")
    return samples


def _word_samples(samples: "Sequence[RefinedSample]") -> "Wording":
    """Attributes by their keys, in the order in which they occur."""
    from epitome.reports.refinement import Wording

    keys = dict.fromkeys(key for sample in samples for step in sample.steps for key in step.measured)
    return Wording({key: key for key in keys}, lambda sample: ", ".join(sample.values.values()) or "no values")

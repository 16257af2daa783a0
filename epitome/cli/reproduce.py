"""`reproduce TABLE`: a table of a paper from its data and published weights, beside what is printed."""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epitome.cli.faults import CommandFault
from epitome.cli.options import add_json_option
from epitome.cli.sample_options import add_mapping_option, read_sample_options

if TYPE_CHECKING:
    from epitome.reproduction.costs import TableCost
    from epitome.reproduction.making import Progress
    from epitome.reproduction.tables import TablePlan, TableRow
    from epitome.reproduction.workplace import Workplace

SUMMARY = "Train the systems of a paper's table, predict, measure, and print the numbers beside the paper's."
EXAMPLES = (
    "epitome reproduce macsum-table-4 --data /data/macsum --dry-run",
    "epitome reproduce macsum-table-4 --data /data/macsum --only bart --seeds 42,43,44",
    "epitome reproduce tesa-table-4 --tiny",
)
TABLES = ("ccsbench-table-3", "ccsbench-table-4", "macsum-table-4", "macsum-table-5", "macsum-table-7", "tesa-table-4")
MAX_SEED = 2**31 - 1


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("table", choices=TABLES, metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--data", metavar="FOLDER", default=".", help="where the published data lie (default: here)")
    parser.add_argument(
        "--state",
        metavar="FOLDER",
        default="reproduction",
        help="trainings, predictions and numbers; started again, the command goes on there (default: reproduction)",
    )
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="this row of the table; repeatable")
    parser.add_argument("--seeds", default="42", metavar="N[,N]", help="each training once per seed (default: 42)")
    parser.add_argument("--dry-run", action="store_true", help="say what it takes and what is missing, and stop")
    parser.add_argument("--measure", action="store_true", help="time an update of each training, also without a GPU")
    parser.add_argument("--tiny", action="store_true", help="the whole way with tiny random weights and made-up data")
    parser.add_argument(
        "--predictions",
        action="append",
        default=[],
        metavar="ROW=PRED.jsonl",
        help="measure these texts as that row, one line per sample of the split in its order; repeatable",
    )
    parser.add_argument(
        "--labels",
        action="append",
        default=[],
        metavar="ROW=LABELS.jsonl",
        help="the focus that a judge saw in each text of that row, as `measure` reads it, for F1; repeatable",
    )
    add_mapping_option(parser)
    add_json_option(parser)


def run_reproduce(arguments: Namespace) -> str:
    """The table, or with --dry-run its cost. Raises CommandFault."""
    from epitome.formats.reading import UnreadableFile
    from epitome.metrics.macsum_samples import BadInput
    from epitome.reproduction.workplace import TableFault
    from epitome.schema import SchemaError
    from epitome.systems.files import UnfitFile
    from epitome.systems.protocol import SystemFault
    from epitome.training.data import TrainingFault

    try:
        return _reproduce_table(arguments)
    except (SystemFault, TableFault, TrainingFault, SchemaError, UnreadableFile, UnfitFile, BadInput) as error:
        raise CommandFault(str(error)) from error


def _reproduce_table(arguments: Namespace) -> str:
    from epitome.reproduction.costs import estimate_cost
    from epitome.reproduction.rendering import cost_as_json, cost_text
    from epitome.reproduction.tables import load_table

    table = load_table(arguments.table)
    rows, seeds = _choose_rows(arguments, table), _read_seeds(arguments.seeds)
    texts, labels = _read_text_files(arguments.predictions, table), _read_label_files(arguments.labels, table)
    lacking = _explain_missing_libraries(rows, texts)
    if lacking and not arguments.dry_run:
        raise CommandFault(f"reproduce needs {lacking}; --dry-run tells what else it takes")
    with _open_workplace(arguments, table, rows) as place:
        trained = [part_row for row in rows if row.key not in texts for part_row in row.list_parts()]
        cost = estimate_cost(place, table, trained, seeds, measure=not lacking and _is_measured(arguments))
        cost = replace(cost, missing=(*([lacking] if lacking else []), *cost.missing))
        if arguments.dry_run:
            return json.dumps(cost_as_json(cost)) if arguments.json else f"{table.title}\n{cost_text(cost)}"
        sys.stderr.write(f"{cost_text(cost)}\n" if cost_text(cost) else "")
        if cost.missing:
            raise CommandFault(f"{len(cost.missing)} missing, nothing was begun: {'; '.join(cost.missing)}")
        return _make_table(arguments, (table, rows, seeds), place, cost, (texts, labels))


def _make_table(
    arguments: Namespace,
    chosen: "tuple[TablePlan, list[TableRow], list[int]]",
    place: "Workplace",
    cost: "TableCost",
    files: tuple[Mapping[str, Path], Mapping[str, Path]],
) -> str:
    from epitome.cli.predict import write_atomically
    from epitome.reports.printed_tables import print_table
    from epitome.reproduction.making import make_rows
    from epitome.reproduction.rendering import build_table, table_as_json

    table, rows, seeds = chosen
    made_rows = make_rows(place, table, rows, seeds, *files, _open_progress)
    table_shown = build_table(table, made_rows)
    report = json.dumps(table_as_json(table, made_rows, cost), ensure_ascii=False)
    folder = place.state / "tables" / table.key
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join([print_table(table_shown), *(f"  {note}" for note in table_shown.notes)])
    write_atomically(folder / "table.json", [report])
    write_atomically(folder / "table.txt", text.split("\n"))
    return report if arguments.json else text


def _choose_rows(arguments: Namespace, table: "TablePlan") -> "list[TableRow]":
    """Raises CommandFault with status 2."""
    for name in arguments.only:
        if name not in table.row_keys:
            raise CommandFault(f"--only {name[:60]!r}: {table.key} has the rows {', '.join(table.row_keys)}", status=2)
    return [row for row in table.rows if not arguments.only or row.key in arguments.only]


def _read_seeds(text: str) -> list[int]:
    """Raises CommandFault with status 2."""
    try:
        seeds = [int(word) for word in text.split(",")]
    except ValueError:
        seeds = [-1]
    if any(not 0 <= seed <= MAX_SEED for seed in seeds) or len(set(seeds)) < len(seeds):
        raise CommandFault(f"--seeds {text[:60]!r}: give different whole numbers, such as 42,43,44", status=2)
    return seeds


def _read_text_files(pairs: list[str], table: "TablePlan") -> dict[str, Path]:
    """{row: file}. Raises CommandFault."""
    files = {}
    for pair in pairs:
        row, equals, name = pair.partition("=")
        if not equals or row not in table.row_keys:
            raise CommandFault(f"--predictions {pair[:60]!r} is not ROW=FILE; rows: {', '.join(table.row_keys)}", 2)
        if table.measure == "ranking":
            raise CommandFault("--predictions: rankings are not measured from files here; use epitome rank", status=2)
        files[row] = Path(name)
    return files


def _read_label_files(pairs: list[str], table: "TablePlan") -> dict[str, Path]:
    """{row, or row and training of a part: file}. Raises CommandFault."""
    files, known = {}, [part_row.key for row in table.rows for part_row in row.list_parts()]
    for pair in pairs:
        row, equals, name = pair.partition("=")
        if not equals or row not in known:
            raise CommandFault(f"--labels {pair[:60]!r} is not ROW=FILE; rows: {', '.join(known)}", status=2)
        if "f1" not in table.published.columns:
            raise CommandFault(f"--labels: {table.key} has no F1", status=2)
        files[row] = Path(name)
    return files


def _explain_missing_libraries(rows: "list[TableRow]", texts: Mapping[str, Path]) -> str:
    """The libraries of the models extra that a row needs and that are not installed, and how to install them; ""
    where none is missing."""
    from epitome.systems.neural.libraries import INSTALL_COMMAND
    from epitome.training.shipped import missing_libraries

    if any(row.is_trained for row in rows if row.key not in texts) and (lacking := missing_libraries()):
        return f"{lacking}; install with: {INSTALL_COMMAND}"
    return ""


def _is_measured(arguments: Namespace) -> bool:
    """Whether an update is timed: asked for, tiny, or on a GPU; of large models on a CPU it takes many minutes."""
    from epitome.systems.neural.libraries import has_gpu

    return bool(arguments.measure or arguments.tiny or has_gpu())


@contextmanager
def _open_workplace(arguments: Namespace, table: "TablePlan", rows: "list[TableRow]") -> "Iterator[Workplace]":
    """The folders that the call names; with --tiny those of its own below the state, with models and data."""
    from epitome.reproduction.costs import list_weights
    from epitome.reproduction.tiny_inputs import TINY, write_tiny_inputs
    from epitome.reproduction.workplace import TableOptions, Workplace
    from epitome.systems.neural.weights import FOLDERS

    state, tiny = Path(arguments.state).absolute(), arguments.tiny
    samples = read_sample_options(arguments)
    text_from = samples.text_from.path if samples.text_from is not None else None
    columns = TableOptions(samples.mapping, samples.separator, text_from)
    if not tiny:
        _create_folder(state)
        yield Workplace(state, Path(arguments.data), columns)
        return
    state /= "tiny"
    _create_folder(state)
    part_rows = [part_row for row in rows for part_row in row.list_parts()]
    write_tiny_inputs(table, list_weights(part_rows), state / "data", state / "models")
    folder_before = os.environ.get(FOLDERS)
    os.environ[FOLDERS] = str(state / "models")
    try:
        yield Workplace(state, state / "data", tiny=TINY)
    finally:
        os.environ.pop(FOLDERS) if folder_before is None else os.environ.update({FOLDERS: folder_before})


def _create_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFault(f"--state {folder}: cannot be written: {error.strerror}") from error


def _open_progress(title: str, total: int) -> "Progress":
    from epitome.terminal_progress import TerminalProgress

    progress: Any = TerminalProgress(title)
    if total:
        progress.set(0, total)
    progress_shown: Progress = progress
    return progress_shown

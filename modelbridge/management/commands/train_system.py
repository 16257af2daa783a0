"""`manage.py train_system CONFIG.toml`: fine-tune a system on files, without a database. Started again, it resumes."""

import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import as_json, command_error, load_sample_options, progress_of
from epitome.cli.sample_options import FILES, add_mapping_option
from epitome.figures.table_text import format_table
from epitome.schema import SchemaError
from epitome.systems.neural.libraries import INSTALL_COMMAND
from epitome.systems.protocol import SystemFault
from epitome.training import processes
from epitome.training.config import Data, TrainingConfig, parse_training
from epitome.training.data import TrainingFault
from epitome.training.grid_cells import BadGrid, parse_grid
from epitome.training.grids import build_curves, grid_as_json, train_grid
from epitome.training.run import TrainingResult, run_training
from epitome.training.shipped import missing_libraries, shipped_text, shipped_trainings
from epitome.training.watching import ProgressWatch


class Command(BaseCommand):
    help = "Train a system from a configuration: a file, or one that comes with the program."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("config", metavar="CONFIG.toml|KEY", help=f"a file, or {', '.join(shipped_trainings())}")
        parser.add_argument("--train", metavar="FILE", help=f"{FILES}; instead of the one in the text")
        parser.add_argument("--dev", metavar="FILE", help="the same for the samples that models are chosen on")
        parser.add_argument(
            "--dataset", metavar="FILE", help="one file with both splits, such as an export (epitome-1)"
        )
        parser.add_argument(
            "--lists", metavar="FILE", help="ranking lists, for methods that rank (make_ranking_lists --output)"
        )
        add_mapping_option(parser)
        parser.add_argument("--output", metavar="FOLDER", help="default: training/KEY in EPITOME_DATA_DIR")
        parser.add_argument(
            "--processes", type=int, default=1, metavar="N", help="share every update between N processes, one per GPU"
        )
        parser.add_argument(
            "--grid",
            action="append",
            default=[],
            metavar="SETTING=V,V",
            help="one training per value, such as learning_rate=1e-5,3e-5,1e-4; several: every combination",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["processes"] > 1 and processes.process_count() == 1:
            sys.exit(processes.launch_processes(options["processes"]))
        try:
            source = read_training_text(options)
            config = parse_with_data(source, source.text, source.name, options)
            if config.method != "rank-logistic" and (lacking := missing_libraries()):
                raise command_error(f"train_system needs {lacking}; install with: {INSTALL_COMMAND}")
            report = train_cells(config, source, options) if options["grid"] else train_one(config, source, options)
        except (SchemaError, TrainingFault, SystemFault, BadGrid) as error:
            raise command_error(str(error)) from error
        if processes.is_first():
            self.stdout.write(report)


def train_one(config: TrainingConfig, source: "TrainingText", options: Mapping[str, Any]) -> str:
    """What to print of one training."""
    with progress_of(f"Training {config.key}") as progress:
        result = run_training(config, source.output or source.siblings / config.key, ProgressWatch(progress))
    return as_json(build_result(config, result)) if options["json"] else format_result(config, result)


def train_cells(config: TrainingConfig, source: "TrainingText", options: Mapping[str, Any]) -> str:
    """What to print of a grid: the dev curves side by side and the best training."""
    cells = parse_grid(options["grid"], config.key)
    with ExitStack() as stack:
        trained = train_grid(
            source.text,
            cells,
            source.output or source.siblings / f"{config.key}-grid",
            lambda text, name: parse_with_data(source, text, name, options),
            lambda cell: ProgressWatch(stack.enter_context(progress_of(f"Training {cell.key}"))),
        )
    return as_json(grid_as_json(trained)) if options["json"] else format_table(build_curves(trained))


class TrainingText(NamedTuple):
    """A configuration's text, what errors call it, the folder of its relative paths, and the one of its results."""

    text: str
    name: str
    place: Path
    output: Path | None

    @property
    def siblings(self) -> Path:
        """Where the trainings are that it may start from."""
        return self.output.absolute().parent if self.output else Path(settings.DATA_DIR) / "training"


def read_training_text(options: Mapping[str, Any]) -> TrainingText:
    """Raises SystemFault."""
    config_name = options["config"]
    output = Path(options["output"]) if options["output"] else None
    if text := shipped_text(config_name):
        return TrainingText(text, f"{config_name}.toml", Path.cwd(), output)
    path = Path(config_name)
    if not path.is_file():
        known = ", ".join(shipped_trainings())
        raise SystemFault(
            f"{config_name[:200]}: there is no such file, and no configuration of that key; there are {known}"
        )
    return TrainingText(path.read_text(encoding="utf-8", errors="replace"), path.name, path.absolute().parent, output)


def parse_with_data(source: TrainingText, text: str, name: str, options: Mapping[str, Any]) -> TrainingConfig:
    """Raises SchemaError, SystemFault."""
    trained = {weights.parent.name: weights for weights in source.siblings.glob("*/weights")}
    config = parse_training(text, name, source.place, data=_training_data(options), trained=trained)
    if not config.data.files:
        raise SystemFault(f"{name}: names no data; give --train and --dev, or --dataset, or --lists")
    return config


def _training_data(options: Mapping[str, Any]) -> Data | None:
    files = {name: Path(options[name]) for name in ("train", "dev", "dataset", "lists") if options.get(name)}
    for path in files.values():
        if not path.is_file():
            raise SystemFault(f"{path.name}: there is no such file")
    if not files:
        return None
    tables = load_sample_options(options)
    texts = tables.text_from.path if tables.text_from is not None else None
    if texts is not None and not texts.is_file():
        raise SystemFault(f"{texts.name}: there is no such file")
    arguments: dict[str, Any] = dict(files)
    return Data(**arguments, mapping=tables.mapping, list_separator=tables.separator, text_from=texts)


def build_result(config: TrainingConfig, result: TrainingResult) -> dict[str, Any]:
    return {
        "key": config.key,
        "folder": str(result.folder),
        "system": str(result.folder / "system.toml"),
        "best": result.best,
        "result": result.about,
    }


def format_result(config: TrainingConfig, result: TrainingResult) -> str:
    score = result.best.get("selection")
    best = f"best at update {result.best.get('step')}" + (f" (selection {score:.4f})" if score is not None else "")
    return (
        f"{config.key}: {result.about['steps']} updates, {best}\n"
        f"The system: {result.folder / 'system.toml'} (predict, run_system)"
    )

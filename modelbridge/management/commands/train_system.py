"""`manage.py train_system CONFIG.toml`: fine-tune a system on files, without a database. Started again, it goes on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import CommandProgress, as_json, command_error, load_sample_options, progress_of
from annotation.schema import SchemaError
from epitome.cli.sample_options import FILES, add_mapping_option
from modelbridge.systems.neural.libraries import INSTALL_COMMAND
from modelbridge.systems.protocol import SystemFault
from modelbridge.training.config import Data, TrainingConfig, parse_training
from modelbridge.training.data import DEV, TrainingFault
from modelbridge.training.run import TrainingResult, run_training
from modelbridge.training.shipped import missing_libraries, shipped_text, shipped_trainings
from modelbridge.training.watching import NullWatch


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
        add_mapping_option(parser)
        parser.add_argument("--output", metavar="FOLDER", help="default: training/KEY in EPITOME_DATA_DIR")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if lacking := missing_libraries():
            raise command_error(f"train_system needs {lacking}; install with: {INSTALL_COMMAND}")
        try:
            config, folder = load_training(options)
            with progress_of(f"Training {config.key}") as progress:
                result = run_training(config, folder, TerminalProgress(progress))
        except (SchemaError, TrainingFault, SystemFault) as error:
            raise command_error(str(error)) from error
        self.stdout.write(as_json(build_result(config, result)) if options["json"] else format_result(config, result))


def load_training(options: Mapping[str, Any]) -> tuple[TrainingConfig, Path]:
    """The configuration and the folder it is trained in. Raises SchemaError, SystemFault."""
    config_name = options["config"]
    text, place = shipped_text(config_name), Path.cwd()
    name = f"{config_name}.toml" if text else Path(config_name).name
    if not text:
        path = Path(config_name)
        if not path.is_file():
            known = ", ".join(shipped_trainings())
            raise SystemFault(
                f"{config_name[:200]}: there is no such file, and no configuration of that key; there are {known}"
            )
        text, place = path.read_text(encoding="utf-8", errors="replace"), path.absolute().parent
    output = Path(options["output"]) if options["output"] else None
    siblings = output.absolute().parent if output else Path(settings.DATA_DIR) / "training"
    trained = {weights.parent.name: weights for weights in siblings.glob("*/weights")}
    config = parse_training(text, name, place, data=_training_data(options), trained=trained)
    if not config.data.files:
        raise SystemFault(f"{name}: names no data; give --train and --dev, or --dataset")
    return config, output or siblings / config.key


def _training_data(options: Mapping[str, Any]) -> Data | None:
    files = {name: Path(options[name]) for name in ("train", "dev", "dataset") if options[name]}
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


class TerminalProgress(NullWatch):
    """Progress on the terminal, with the newest score as its note."""

    def __init__(self, progress: CommandProgress) -> None:
        self.shown, self.note = progress, ""

    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        name = "selection" if split == DEV else "loss"
        if name in values and (split == DEV or not self.note.startswith("selection")):
            self.note = f"{name} {values[name]:.4f}"

    def progress(self, done: int, total: int) -> None:
        self.shown.set(done, total, self.note)


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

"""`manage.py train_system CONFIG.toml`: fine-tune a system on files, without a database. Started again, it goes on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from annotation.management.running import CommandProgress, as_json, progress_of, refused
from annotation.schema import SchemaError
from modelbridge.systems.neural.libraries import HOW
from modelbridge.systems.protocol import SystemFault
from modelbridge.training.config import Data, TrainingConfig, parse_training
from modelbridge.training.data import DEV, TrainingFault
from modelbridge.training.run import TrainingResult, train
from modelbridge.training.shipped import missing, shipped_text, shipped_trainings
from modelbridge.training.watching import Nobody


class Command(BaseCommand):
    help = "Train a system from a configuration: a file, or one that comes with the program."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("config", metavar="CONFIG.toml|KEY", help=f"a file, or {', '.join(shipped_trainings())}")
        parser.add_argument("--train", metavar="FILE", help="MACSum-shaped file, instead of the one in the text")
        parser.add_argument("--dev", metavar="FILE", help="MACSum-shaped file that models are chosen on")
        parser.add_argument("--dataset", metavar="FILE", help="an export (epitome-1 JSON lines) with both splits")
        parser.add_argument("--output", metavar="FOLDER", help="default: training/KEY in EPITOME_DATA_DIR")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        if lacking := missing():
            raise refused(f"train_system needs {lacking}; install with: {HOW}")
        try:
            config, folder = the_training(options)
            with progress_of(f"Training {config.key}") as progress:
                result = train(config, folder, Shown(progress))
        except (SchemaError, TrainingFault, SystemFault) as error:
            raise refused(str(error)) from error
        self.stdout.write(as_json(told(config, result)) if options["json"] else in_words(config, result))


def the_training(options: Mapping[str, Any]) -> tuple[TrainingConfig, Path]:
    """The configuration and the folder it is trained in. Raises SchemaError, SystemFault."""
    named = options["config"]
    text, place = shipped_text(named), Path.cwd()
    name = f"{named}.toml" if text else Path(named).name
    if not text:
        path = Path(named)
        if not path.is_file():
            known = ", ".join(shipped_trainings())
            raise SystemFault(
                f"{named[:200]}: there is no such file, and no configuration of that key; there are {known}"
            )
        text, place = path.read_text(encoding="utf-8", errors="replace"), path.absolute().parent
    output = Path(options["output"]) if options["output"] else None
    siblings = output.absolute().parent if output else Path(settings.DATA_DIR) / "training"
    trained = {each.parent.name: each for each in siblings.glob("*/weights")}
    config = parse_training(text, name, place, data=_data(options), trained=trained)
    if not config.data.files:
        raise SystemFault(f"{name}: names no data; give --train and --dev, or --dataset")
    return config, output or siblings / config.key


def _data(options: Mapping[str, Any]) -> Data | None:
    named = {name: Path(options[name]) for name in ("train", "dev", "dataset") if options[name]}
    for path in named.values():
        if not path.is_file():
            raise SystemFault(f"{path.name}: there is no such file")
    told: dict[str, Any] = dict(named)
    return Data(**told) if named else None


class Shown(Nobody):
    """Progress on the terminal, with the newest score as its note."""

    def __init__(self, progress: CommandProgress) -> None:
        self.shown, self.note = progress, ""

    def metrics(self, step: int, split: str, values: Mapping[str, float]) -> None:
        name = "selection" if split == DEV else "loss"
        if name in values and (split == DEV or not self.note.startswith("selection")):
            self.note = f"{name} {values[name]:.4f}"

    def progress(self, done: int, total: int) -> None:
        self.shown.set(done, total, self.note)


def told(config: TrainingConfig, result: TrainingResult) -> dict[str, Any]:
    return {
        "key": config.key,
        "folder": str(result.folder),
        "system": str(result.folder / "system.toml"),
        "best": result.best,
        "result": result.about,
    }


def in_words(config: TrainingConfig, result: TrainingResult) -> str:
    score = result.best.get("selection")
    best = f"best at update {result.best.get('step')}" + (f" (selection {score:.4f})" if score is not None else "")
    return (
        f"{config.key}: {result.about['steps']} updates, {best}\n"
        f"The system: {result.folder / 'system.toml'} (predict, run_system)"
    )

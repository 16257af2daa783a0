"""What making a table takes: updates and evaluations, hours by a measured update, and what is missing."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epitome.reproduction.tables import TablePlan, TableRow
from epitome.reproduction.weights_needed import describe_weights, find_weights_folder
from epitome.reproduction.workplace import TableFault, Workplace, root_bases, training_chain
from epitome.systems.neural.weights import file_hash
from epitome.systems.protocol import SystemFault
from epitome.systems.registry import config_of
from epitome.training.config import TrainingConfig
from epitome.training.data import read_examples
from epitome.training.folders import read_json, write_json
from epitome.training.ranking_data import read_ranking_lists
from epitome.training.step_cost import Examples, StepCost, TrainingSize, count_steps, measure_step

METHODS_WITHOUT_UPDATES = frozenset({"rank-logistic", "lorahub"})
"""They take seconds and have no updates to count."""


@dataclass(frozen=True)
class TrainingCost:
    """One training of the table. done: finished in the state folder. size: None where it is not counted. step: None
    where it was not measured. hours: of the training, not of its predictions."""

    key: str
    seed: int
    done: bool
    size: TrainingSize | None = None
    step: StepCost | None = None

    @property
    def hours(self) -> float | None:
        return self.step.hours(self.size) if self.step is not None and self.size is not None else None

    def as_dict(self) -> dict[str, Any]:
        size = self.size
        return {
            "training": self.key,
            "seed": self.seed,
            "done": self.done,
            "updates": size.updates if size else None,
            "exact": size.exact if size else None,
            "evaluations": size.evaluations if size else None,
            "dev_samples": size.dev_samples if size else None,
            "hours": self.hours,
            "step": self.step.as_dict() if self.step else None,
        }


@dataclass(frozen=True)
class TableCost:
    """trainings: in the order in which they run. missing: sentences, one per file or folder of weights."""

    trainings: tuple[TrainingCost, ...]
    missing: tuple[str, ...]

    @property
    def hours(self) -> float | None:
        """Of the trainings that are still to be done; None unless all were measured."""
        open_hours = [cost.hours for cost in self.trainings if not cost.done and cost.size is not None]
        known = [hours for hours in open_hours if hours is not None]
        return sum(known) if len(known) == len(open_hours) else None


def list_trainings(rows: Sequence[TableRow]) -> list[tuple[str, TableRow]]:
    """(configuration, row whose data it learns from), each once, those before others that start from them."""
    ordered: dict[str, TableRow] = {}
    for row in rows:
        for key in training_chain(row.training) if row.training else ():
            ordered.setdefault(key, row)
    return list(ordered.items())


def list_missing(place: Workplace, table: TablePlan, rows: Sequence[TableRow]) -> list[str]:
    """What must be brought before the rows can be made: files of data, weights, configurations."""
    missing: dict[str, None] = {}
    for row in rows:
        if row.elsewhere:
            continue
        for problem in [*_missing_files(place, table, row), *_missing_weights(row)]:
            missing[problem] = None
    return list(missing)


def _missing_files(place: Workplace, table: TablePlan, row: TableRow) -> list[str]:
    source = table.data[row.data]
    wanted_files = [(source, "lists" if "lists" in source.files else table.split)]
    for key in _known_chain(row):
        learned = table.training_source(key, row)
        wanted_files += [(learned, name) for name in learned.files if name != "test"]
    problems = []
    for place_of_file in wanted_files:
        try:
            place.require_file(*place_of_file)
        except TableFault as error:
            problems.append(str(error))
    return problems


def _known_chain(row: TableRow) -> list[str]:
    """The trainings of a row; none where one of them is not shipped."""
    return training_chain(row.training) if row.training and _has_configuration(row) else []


def list_weights(rows: Sequence[TableRow]) -> list[str]:
    """The names of the weights that the rows start from, each once."""
    names = (name for row in rows if not row.training or _has_configuration(row) for name in _bases_of(row))
    return list(dict.fromkeys(names))


def _bases_of(row: TableRow) -> list[str]:
    """Raises TableFault."""
    return root_bases(row.training) if row.training else _system_weights(row)


def _missing_weights(row: TableRow) -> list[str]:
    problems = []
    try:
        for base in _bases_of(row):
            if find_weights_folder(base) is None:
                problems.append(describe_weights(base).describe_missing())
    except (TableFault, SystemFault) as error:
        problems.append(str(error))
    return problems


def _system_weights(row: TableRow) -> list[str]:
    """The weights that a shipped system names."""
    if not row.system:
        return []
    settings = config_of(row.system).settings
    inner = getattr(settings, "scorer_settings", settings)
    name = str(getattr(inner, "weights", ""))
    return [name] if name else []


def estimate_cost(
    place: Workplace, table: TablePlan, rows: Sequence[TableRow], seeds: Sequence[int], *, measure: bool
) -> TableCost:
    """measure: time one update of each training here, once; without it, only what was measured before is used.

    Raises SchemaError, UnreadableFile, TrainingFault for files that cannot be read, SystemFault.
    """
    missing = tuple(list_missing(place, table, rows))
    costs = []
    for key, row in list_trainings([row for row in rows if _has_configuration(row)]):
        for seed in seeds:
            costs.append(_training_cost(place, table, (key, row), seed, measure=measure))
    return TableCost(tuple(costs), missing)


def _has_configuration(row: TableRow) -> bool:
    try:
        return bool(row.training and training_chain(row.training))
    except TableFault:
        return False


def _training_cost(
    place: Workplace, table: TablePlan, training: tuple[str, TableRow], seed: int, *, measure: bool
) -> TrainingCost:
    key, row = training
    is_done = place.is_trained(key, seed)
    try:
        config = place.training_config(key, seed, table.training_source(key, row))
    except TableFault:
        return TrainingCost(key, seed, is_done)
    if config.method in METHODS_WITHOUT_UPDATES:
        return TrainingCost(key, seed, is_done)
    train, dev = _read_training(config)
    size = count_steps(config, train, dev)
    file = place.state / "steps" / f"{key}.json"
    step = _stored_step(file, config)
    if step is None and measure and not is_done and not _missing_weights(row) and _can_start(place, key, seed):
        step = measure_step(config, train, dev)
        file.parent.mkdir(parents=True, exist_ok=True)
        write_json(file, {"of": _step_identity(config), **step.as_dict()})
    return TrainingCost(key, seed, is_done, size, step)


def _can_start(place: Workplace, key: str, seed: int) -> bool:
    """Whether a model can be made now: it starts from published weights, or from trainings that are finished. One that
    starts from another training's weights alone is timed on what that one starts from."""
    earlier = training_chain(key)[:-1]
    return len(earlier) <= 1 or all(place.is_trained(training, seed) for training in earlier)


def _read_training(config: TrainingConfig) -> tuple[Examples, Examples]:
    return read_ranking_lists(config.data) if config.ranks else read_examples(config.data, config.schema)


def _step_identity(config: TrainingConfig) -> str:
    """What a measured update belongs to: the settings without the seed, and the data."""
    hashes = [file_hash(Path(path)) for path in config.data.files]
    return f"{config.method} {config.optimisation} {config.prompt} {config.decoding} {hashes}"


def _stored_step(file: Path, config: TrainingConfig) -> StepCost | None:
    stored = read_json(file)
    if stored.pop("of", None) != _step_identity(config):
        return None
    return StepCost(**stored)

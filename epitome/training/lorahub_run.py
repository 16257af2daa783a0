"""Runs a training of `lorahub`: weights for trained LoRA adapters, found on a few examples without gradients."""

import random
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from epitome.systems.neural.adapter_merging import (
    check_mergeable,
    describe_adapter,
    find_adapters,
    merge_states,
    read_states,
)
from epitome.systems.neural.libraries import import_peft
from epitome.systems.neural.weights import weights_hash
from epitome.systems.protocol import SystemFault
from epitome.systems.provenance import library_versions
from epitome.training import folders
from epitome.training.adapter_options import Lora
from epitome.training.config import TrainingConfig
from epitome.training.data import DEV, TRAIN, Example, read_examples
from epitome.training.methods import Trainee, make_trainee
from epitome.training.selection import DevLoss
from epitome.training.trainer import Evaluation
from epitome.training.watching import Record, Watch
from epitome.training.weight_search import OPTIMISER, Trial, best_trial, penalty, search_weights

WEIGHTS_FILE = "weights.json"
ADAPTERS_FILE = "adapters.json"


class MergedModel:
    """The base model with one adapter, merged again for each set of weights. What comes of it is a LoRA adapter, and is
    evaluated, stored and run as one."""

    def __init__(self, config: TrainingConfig, adapters: dict[str, Path]) -> None:
        lora = read_lora_shape(next(iter(adapters.values())))
        plain = replace(config, method="lora", adapter=replace(config.adapter, lora=lora))
        self.trainee = make_trainee(plain)
        self.trainee.model.train(False)
        self.states = list(read_states(adapters).values())
        self.use([0.0] * len(self.states))

    def use(self, weights: Sequence[float]) -> None:
        """Merge the adapters by these weights. Raises SystemFault."""
        peft = import_peft()
        merged = merge_states(self.states, weights)
        try:
            fitted = peft.set_peft_model_state_dict(self.trainee.model, merged)
        except Exception as error:
            first = str(error).strip().partition("\n")[0][:200]
            raise SystemFault(f"the adapters do not fit {self.trainee.base.name}: {first}") from error
        if fitted.unexpected_keys:
            unknown = fitted.unexpected_keys[0]
            raise SystemFault(f"the adapters do not fit {self.trainee.base.name}: it has no {unknown}")


def read_lora_shape(adapter: Path) -> Lora:
    """Rank, alpha and targets of a stored adapter. Raises SystemFault for variants of LoRA."""
    settings = describe_adapter(adapter).settings
    variants = [name for name in ("use_rslora", "use_dora") if settings[name]]
    targets: Any = settings["target modules"]
    if variants or not isinstance(targets, tuple):
        raise SystemFault(f"{adapter}: only plain LoRA with a list of target modules can be merged")
    rank, alpha = int(str(settings["rank"])), int(str(settings["alpha"]))
    return Lora(rank=rank, alpha=alpha, targets=targets)


def train_lorahub(config: TrainingConfig, folder: Path, watch: Watch) -> tuple[Trainee, dict[str, Any]]:
    """(the model with the best merge, provenance); writes metrics, weights.json and the merged adapter.

    A search that was killed repeats its finished evaluations from their records. Raises TrainingFault, SystemFault.
    """
    began = time.perf_counter()
    adapters = find_adapters(config.adapter.folders)
    check_mergeable(adapters)
    train, dev = read_examples(config.data, config.schema)
    examples = draw_examples(train, config.adapter.search.examples, config.seed)
    merged = MergedModel(config, adapters)
    about_adapters = _describe_adapters(adapters, merged.trainee)
    _check_same_adapters(folder, about_adapters)
    record = Record(folder)
    trials = _search(config, merged, examples, record, watch)
    step, best = best_trial(trials)
    merged.use(best.weights)
    evaluation = Evaluation(merged.trainee, dev, folder, watch, record)
    folders.recover_weights(folder)
    evaluation.run(len(trials), nullcontext())
    search = {
        "optimiser": OPTIMISER,
        **asdict(config.adapter.search),
        "seed": config.seed,
        "drawn": [example.request.id for example in examples],
        "weights": dict(zip(adapters, best.weights, strict=True)),
        "best_evaluation": step,
        "loss": best.loss,
        "objective": best.objective,
        "evaluations": [_as_row(trial, list(adapters)) for trial in trials],
    }
    folders.write_json(folder / WEIGHTS_FILE, {"adapters": about_adapters, "search": search})
    return merged.trainee, {
        "steps": len(trials),
        "seconds": round(time.perf_counter() - began, 3),
        "n_train": len(examples),
        "n_dev": len(dev),
        "n_trained": len(adapters),
        "adapters": about_adapters,
        "search": search,
        "search_versions": library_versions("scipy"),
    }


def draw_examples(examples: Sequence[Example], n: int, seed: int) -> list[Example]:
    """n of them in their order, without repetition; all where there are fewer."""
    if len(examples) <= n:
        return list(examples)
    return [examples[index] for index in sorted(random.Random(seed).sample(range(len(examples)), n))]


def _search(
    config: TrainingConfig, merged: MergedModel, examples: Sequence[Example], record: Record, watch: Watch
) -> list[Trial]:
    """Every evaluation; those that are recorded already are not computed again."""
    loss, options, names = DevLoss(merged.trainee, examples), config.adapter.search, list(config.adapter.folders)
    recorded = _read_recorded(record)
    watch.resumed(len(recorded))
    step = 0

    def loss_of(weights: tuple[float, ...]) -> float:
        nonlocal step
        step += 1
        watch.progress(step - 1, options.budget)
        watch.check()
        row = recorded.get(step)
        if row is not None and [row[_weight_key(name)] for name in names] == list(weights):
            return float(row["loss"])
        merged.use(weights)
        value = loss.scores()["loss"]
        row = _as_metrics(Trial(weights, value, value + penalty(weights, options.l1)), names)
        record.add(step, TRAIN, row)
        watch.metrics(step, TRAIN, row)
        return value

    trials = search_weights(loss_of, len(names), options)
    watch.progress(len(trials), len(trials))
    return trials


def _read_recorded(record: Record) -> dict[int, dict[str, Any]]:
    """The finished evaluations of a search that was killed, by number. The last one is repeated where the scores on dev
    of its end are recorded too, so that these are there once."""
    rows = record.rows()
    finished = sum(row["split"] == TRAIN for row in rows)
    record.cut(finished - 1 if any(row["split"] == DEV for row in rows) else finished)
    return {row["step"]: row for row in record.rows()}


def _weight_key(name: str) -> str:
    return f"weight_{name}"


def _as_row(trial: Trial, names: Sequence[str]) -> dict[str, Any]:
    weights = dict(zip(names, trial.weights, strict=True))
    return {"weights": weights, "loss": trial.loss, "objective": trial.objective}


def _as_metrics(trial: Trial, names: Sequence[str]) -> dict[str, float]:
    weights = {_weight_key(name): weight for name, weight in zip(names, trial.weights, strict=True)}
    return {"loss": trial.loss, "objective": trial.objective, **weights}


def _describe_adapters(adapters: dict[str, Path], trainee: Trainee) -> dict[str, dict[str, str]]:
    """Folder, hash and base of each adapter. Raises SystemFault for one of another base than the training's."""
    described = {}
    for name, folder in adapters.items():
        about = describe_adapter(folder)
        if about.base_hash and about.base_hash != trainee.base_hash:
            raise SystemFault(f"the adapter {name} was trained on another base model than {trainee.base.name}")
        described[name] = {"folder": str(folder), "sha256": weights_hash(folder), "base": about.base}
    return described


def _check_same_adapters(folder: Path, adapters: dict[str, dict[str, str]]) -> None:
    """A search continues with the adapters that it began with. Raises SystemFault."""
    file = folder / ADAPTERS_FILE
    known = folders.read_json(file)
    if known and known != adapters:
        raise SystemFault(f"{folder} holds a search over other adapters; name another folder")
    folders.write_json(file, adapters)

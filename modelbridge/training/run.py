"""Runs one training; after a kill it resumes from the last checkpoint."""

import json
import platform
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from modelbridge.systems.neural.libraries import import_library, quiet_transformers
from modelbridge.systems.neural.weights import file_hash, weights_hash
from modelbridge.systems.protocol import SystemFault
from modelbridge.systems.provenance import library_versions
from modelbridge.training import folders, scratch
from modelbridge.training.config import TrainingConfig
from modelbridge.training.data import Example, read_examples, tokenizer_texts
from modelbridge.training.methods import Trainee, build_features, make_trainee
from modelbridge.training.systems import system_text
from modelbridge.training.trainer import Evaluation, make_trainer, mixed_precision
from modelbridge.training.watching import NullWatch, Record, Watch

LIBRARIES = ("torch", "transformers", "accelerate", "peft")


@dataclass(frozen=True)
class TrainingResult:
    """folder: with all files of the training. system: the TOML of the trained system. best: the scores of the chosen
    weights and their update. about: provenance, as stored in result.json."""

    folder: Path
    system: str
    best: dict[str, Any]
    about: dict[str, Any]


def run_training(config: TrainingConfig, folder: Path, watch: Watch | None = None) -> TrainingResult:
    """Train in a folder of its own, or resume there; a finished training is not repeated.

    Raises TrainingFault and SystemFault (data, weights, libraries), and whatever the watch raises to stop it.
    """
    watch = watch or NullWatch()
    if result := read_finished_result(config, folder):
        return result
    folder.mkdir(parents=True, exist_ok=True)
    with folders.one_at_a_time(folder):
        return _train_in_folder(config, folder, watch)


def _train_in_folder(config: TrainingConfig, folder: Path, watch: Watch) -> TrainingResult:
    quiet_transformers()
    began = time.perf_counter()
    _check_same_training(config, folder)
    folders.recover_weights(folder)
    training, dev = read_examples(config.data, config.schema)
    trainee = make_trainee(config, _prepare_base(config, folder, training))
    rows = build_features(trainee, training)
    record = Record(folder)
    evaluation = Evaluation(trainee, dev, folder, watch, record)
    trainer = make_trainer(trainee, rows, evaluation)
    checkpoint = folders.last_checkpoint(folder)
    start = folders.step_of(checkpoint) if checkpoint else 0
    record.cut(start)
    watch.resumed(start)
    trained = trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trainer.evaluate()  # of the last update, unless it was just evaluated
    about = {
        "steps": trained.global_step,
        "resumed_from": start,
        "seconds": round(time.perf_counter() - began, 3),
        "tokens_per_second": _tokens_per_second(rows, config, trained, start),
        "n_train": len(training),
        "n_dev": len(dev),
        "n_trained": trainee.n_trained,
    }
    return _write_result(config, folder, trainee, about)


def read_finished_result(config: TrainingConfig, folder: Path) -> TrainingResult | None:
    """The result of a training that was finished in this folder. Raises SystemFault if it was a different one."""
    about = folders.read_json(folder / folders.RESULT)
    if not about:
        return None
    _check_same_training(config, folder)
    system = (folder / "system.toml").read_text(encoding="utf-8")
    return TrainingResult(folder, system, folders.best_of(folder), about)


def _check_same_training(config: TrainingConfig, folder: Path) -> None:
    """Check that the folder belongs to this configuration and these data. Raises SystemFault."""
    config_file = folder / "training.toml"
    hashes = folder / "data.json"
    data = {path.name: file_hash(path) for path in config.data.files}
    if config.data.mapping:
        data["columns"] = json.dumps(config.data.mapping, sort_keys=True)
    if config_file.is_file() and hashes.is_file():
        if config_file.read_text(encoding="utf-8") != config.text:
            raise SystemFault(f"{folder} holds a training with another configuration; name another folder")
        if folders.read_json(hashes) != data:
            raise SystemFault(f"{folder} holds a training on other data; name another folder")
        return
    config_file.write_text(config.text, encoding="utf-8")
    folders.write_json(hashes, data)


def _prepare_base(config: TrainingConfig, folder: Path, training: Sequence[Example]) -> Path | None:
    """The folder of a new model, built once; None if the configuration names weights."""
    if config.scratch is None:
        return None
    base = folder / "base"
    if not (base / folders.WHOLE).is_file():
        scratch.build_model(base, tokenizer_texts(training), config.scratch, config.seed)
        folders.mark_whole(base)
    return base


def _tokens_per_second(rows: Sequence[dict[str, list[int]]], config: TrainingConfig, trained: Any, start: int) -> float:
    """Source and target tokens per second of training, evaluation included."""
    per_row = sum(len(row["input_ids"]) + len(row["labels"]) for row in rows) / len(rows)
    optimisation = config.optimisation
    seconds = trained.metrics.get("train_runtime", 0.0)
    rows_seen = (trained.global_step - start) * min(optimisation.batch_size * optimisation.accumulation, len(rows))
    return round(rows_seen * per_row / seconds, 1) if seconds else 0.0


def _write_result(config: TrainingConfig, folder: Path, trainee: Trainee, about: dict[str, Any]) -> TrainingResult:
    torch = import_library("torch")
    weights = (folder / folders.WEIGHTS).resolve()
    fingerprint = weights_hash(weights)
    base = config.base or str((folder / "base").resolve())
    system = system_text(config, base, weights, fingerprint)
    (folder / "system.toml").write_text(system, encoding="utf-8")
    on_gpu = trainee.device.type == "cuda"
    about |= {
        "key": config.key,
        "method": config.method,
        "seed": config.seed,
        "base": config.base,
        "base_hash": trainee.base_hash,
        "weights_hash": fingerprint,
        "data": folders.read_json(folder / "data.json"),
        "precision": "bfloat16" if mixed_precision(trainee) else "float32",
        "device": torch.cuda.get_device_name(trainee.device) if on_gpu else platform.machine(),
        "versions": library_versions(*LIBRARIES),
    }
    folders.write_json(folder / folders.RESULT, about)
    return TrainingResult(folder, system, folders.best_of(folder), about)

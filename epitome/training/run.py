"""Runs one training; after a kill it resumes from the last checkpoint."""

import json
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epitome.systems.neural.libraries import import_library, quiet_transformers
from epitome.systems.neural.weights import file_hash, weights_hash
from epitome.systems.protocol import SystemFault
from epitome.systems.provenance import library_versions
from epitome.training import folders, processes, scratch
from epitome.training.advice import explain_memory
from epitome.training.config import TrainingConfig
from epitome.training.data import Example, read_examples, tokenizer_texts
from epitome.training.focus_judge import describe_missing_judge
from epitome.training.fusion import describe_dev_attention
from epitome.training.lorahub_run import train_lorahub
from epitome.training.methods import Trainee, build_features, make_trainee
from epitome.training.precision import compute_precision
from epitome.training.ranking_data import RankedExample, ranking_texts, read_ranking_lists
from epitome.training.ranking_methods import build_rank_features
from epitome.training.ranking_run import train_logistic
from epitome.training.systems import generator_text, system_text
from epitome.training.token_batches import count_updates
from epitome.training.trainer import Evaluation, make_trainer
from epitome.training.watching import NullWatch, Record, Watch

WRITER = "writer.toml"
WITHOUT_UPDATES = ("rank-logistic", "lorahub")
LIBRARIES = ("torch", "transformers", "accelerate", "peft")


@dataclass(frozen=True)
class TrainingResult:
    """folder: with all files of the training. system: the TOML of the trained system. best: the scores of the chosen
    weights and their update. about: provenance, as stored in result.json. writer: the TOML of a second system with the
    same weights, which writes where the first one ranks; "" for most methods."""

    folder: Path
    system: str
    best: dict[str, Any]
    about: dict[str, Any]
    writer: str = ""


def run_training(config: TrainingConfig, folder: Path, watch: Watch | None = None) -> TrainingResult:
    """Train in a folder of its own, or resume there; a finished training is not repeated.

    Raises TrainingFault and SystemFault (data, weights, libraries; memory, with what to change), and whatever the watch
    raises to stop it.
    """
    watch = watch or NullWatch()
    processes.join_processes(config.optimisation.device)
    if result := read_finished_result(config, folder):
        return result
    if not processes.is_first():
        with explain_memory(config):
            return _join_training(config, folder)
    folder.mkdir(parents=True, exist_ok=True)
    with folders.one_at_a_time(folder), explain_memory(config):
        return _train_in_folder(config, folder, watch)


def _join_training(config: TrainingConfig, folder: Path) -> TrainingResult:
    """What the processes after the first one do: they compute, and change nothing in the folder."""
    quiet_transformers()
    if config.method in WITHOUT_UPDATES:
        raise SystemFault(f"the method {config.method} has no updates that several processes could share")
    processes.wait_for_all()  # until the first process has prepared the folder
    trainee, rows, _dev, _n_train = _prepare_data(config, folder)
    trainer = make_trainer(trainee, rows, Evaluation(trainee, [], folder, NullWatch(), Record(folder)))
    _train_from_checkpoint(trainer, None)
    processes.wait_for_all()
    result = read_finished_result(config, folder)
    assert result is not None  # the first process wrote it before the others went on
    return result


def _train_in_folder(config: TrainingConfig, folder: Path, watch: Watch) -> TrainingResult:
    _check_same_training(config, folder)
    if config.method == "rank-logistic":
        return _store_logistic(folder, *train_logistic(config, folder, watch))
    quiet_transformers()
    if config.method == "lorahub":
        return _write_result(config, folder, *train_lorahub(config, folder, watch))
    began = time.perf_counter()
    folders.recover_weights(folder)
    trainee, rows, dev, n_train = _prepare_data(config, folder)
    processes.wait_for_all()
    record = Record(folder)
    evaluation = Evaluation(trainee, dev, folder, watch, record)
    trainer = make_trainer(trainee, rows, evaluation)
    checkpoint = folders.last_checkpoint(folder)
    start = folders.step_of(checkpoint) if checkpoint else 0
    record.cut(start)
    evaluation.text_record.cut(start)
    watch.resumed(start)
    steps, seconds = _train_from_checkpoint(trainer, checkpoint)
    about = {
        "steps": steps,
        "resumed_from": start,
        "seconds": round(time.perf_counter() - began, 3),
        "tokens_per_second": _tokens_per_second(rows, config, steps - start, seconds),
        "n_train": n_train,
        "n_dev": len(dev),
        "n_trained": trainee.n_trained,
        **describe_dev_attention(trainee, dev, folder),
    }
    result = _write_result(config, folder, trainee, about)
    processes.wait_for_all()
    return result


def _train_from_checkpoint(trainer: Any, checkpoint: Path | None) -> tuple[int, float]:
    """Train to the end and evaluate the last update, unless it was evaluated: (updates in all, seconds of training).

    checkpoint: as the first process says. One of the last update is not trained on: transformers would add an update.
    """
    is_over = checkpoint is not None and _is_last(trainer.evaluation, checkpoint)
    name, is_over = processes.share_from_first((str(checkpoint) if checkpoint else None, is_over))
    if name is not None and is_over:
        trainer.trainee.read(Path(name))
        trainer.state.global_step = folders.step_of(Path(name))
        steps, seconds = trainer.state.global_step, 0.0
    else:
        trained = trainer.train(resume_from_checkpoint=name)
        steps, seconds = trained.global_step, trained.metrics.get("train_runtime", 0.0)
    trainer.evaluate()
    return steps, seconds


def _is_last(evaluation: Evaluation, checkpoint: Path) -> bool:
    """Whether the training was over at this checkpoint: all updates done, or the patience used up."""
    state = folders.read_json(checkpoint / "trainer_state.json")
    return bool(state.get("global_step", 0) >= state.get("max_steps", 1)) or evaluation.is_patience_over


def _prepare_data(
    config: TrainingConfig, folder: Path
) -> tuple[Trainee, list[dict[str, Any]], Sequence[Example] | Sequence[RankedExample], int]:
    """(model, rows to learn from, dev examples, number of training examples)."""
    if config.ranks:
        lists, dev_lists = read_ranking_lists(config.data)
        trainee = make_trainee(config, _prepare_base(config, folder, ranking_texts(lists)))
        return trainee, build_rank_features(trainee, lists), dev_lists, len(lists)
    training, dev = read_examples(config.data, config.schema)
    trainee = make_trainee(config, _prepare_base(config, folder, tokenizer_texts(training)))
    return trainee, [dict(row) for row in build_features(trainee, training)], dev, len(training)


def _store_logistic(folder: Path, system: str, best: dict[str, Any], about: dict[str, Any]) -> TrainingResult:
    """Write what a training without weights files gives."""
    (folder / folders.WEIGHTS).mkdir(exist_ok=True)
    folders.write_json(folder / folders.WEIGHTS / folders.BEST, best)
    (folder / "system.toml").write_text(system, encoding="utf-8")
    folders.write_json(folder / folders.RESULT, about)
    return TrainingResult(folder, system, best, about)


def read_finished_result(config: TrainingConfig, folder: Path) -> TrainingResult | None:
    """The result of a training that was finished in this folder. Raises SystemFault if it was a different one."""
    about = folders.read_json(folder / folders.RESULT)
    if not about:
        return None
    _check_same_training(config, folder)
    system = (folder / "system.toml").read_text(encoding="utf-8")
    return TrainingResult(folder, system, folders.best_of(folder), about, _read_writer(folder))


def _read_writer(folder: Path) -> str:
    file = folder / WRITER
    return file.read_text(encoding="utf-8") if file.is_file() else ""


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


def _prepare_base(config: TrainingConfig, folder: Path, texts: Iterable[str]) -> Path | None:
    """The folder of a new model, built once; None if the configuration names weights. texts: for its tokenizer."""
    if config.scratch is None:
        return None
    base = folder / "base"
    if not (base / folders.WHOLE).is_file():
        scratch.build_model(base, texts, config.scratch, config.seed)
        folders.mark_whole(base)
    return base


def _tokens_per_second(rows: Sequence[dict[str, Any]], config: TrainingConfig, updates: int, seconds: float) -> float:
    """Source and target tokens per second of training, evaluation included; 0 where nothing was left to train."""
    per_row = sum(len(row["input_ids"]) + _count_targets(row["labels"]) for row in rows) / len(rows)
    optimisation = config.optimisation
    rows_per_update: float = min(optimisation.batch_size * optimisation.accumulation, len(rows))
    if optimisation.batch_tokens:
        rows_per_update = len(rows) / count_updates(rows, optimisation)
    rows_seen = updates * rows_per_update
    return round(rows_seen * per_row / seconds, 1) if seconds else 0.0


def _count_targets(labels: Any) -> int:
    return len(labels) if isinstance(labels, list) else 1


def _write_result(config: TrainingConfig, folder: Path, trainee: Trainee, about: dict[str, Any]) -> TrainingResult:
    torch = import_library("torch")
    weights = (folder / folders.WEIGHTS).resolve()
    fingerprint = weights_hash(weights)
    base = config.base or str((folder / "base").resolve())
    system = system_text(config, base, weights, fingerprint)
    (folder / "system.toml").write_text(system, encoding="utf-8")
    writer = generator_text(config, weights, fingerprint)
    if writer:
        (folder / WRITER).write_text(writer, encoding="utf-8")
    on_gpu = trainee.device.type == "cuda"
    about |= {
        "key": config.key,
        "method": config.method,
        "seed": config.seed,
        "base": config.base,
        "base_hash": trainee.base_hash,
        "weights_hash": fingerprint,
        "data": folders.read_json(folder / "data.json"),
        "precision": compute_precision(trainee),
        "weights_dtype": config.optimisation.weights_dtype,
        "processes": processes.process_count(),
        "device": torch.cuda.get_device_name(trainee.device) if on_gpu else platform.machine(),
        "versions": library_versions(*LIBRARIES),
        **describe_missing_judge(config),
    }
    folders.write_json(folder / folders.RESULT, about)
    return TrainingResult(folder, system, folders.best_of(folder), about, writer)

"""Runs a training of `rank-logistic`: seconds of numpy, without weights files and without torch."""

import platform
import time
from pathlib import Path
from typing import Any

from epitome.metrics.ranking import Scored, list_metrics
from epitome.systems.provenance import library_versions
from epitome.systems.ranking.features import FEATURES
from epitome.systems.ranking.logistic import Settings, gold_probability
from epitome.training import folders
from epitome.training.config import TrainingConfig
from epitome.training.data import DEV, TRAIN
from epitome.training.logistic import LearnedWeights, build_rows, fit_weights
from epitome.training.ranking_data import RankedExample, read_ranking_lists
from epitome.training.systems import format_table
from epitome.training.watching import Record, Watch


def train_logistic(config: TrainingConfig, folder: Path, watch: Watch) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """(the system's TOML, best scores, provenance); writes only metrics. Raises TrainingFault, SystemFault."""
    began = time.perf_counter()
    train, dev = read_ranking_lists(config.data)
    record = Record(folder)
    record.cut(0)
    watch.resumed(0)

    def advance(epoch: int, epochs: int, loss: float) -> None:
        record.add(epoch, TRAIN, {"loss": loss, "epoch": float(epoch)})
        watch.metrics(epoch, TRAIN, {"loss": loss, "epoch": float(epoch)})
        watch.progress(epoch, epochs)
        watch.check()

    learned = fit_weights(build_rows(train), config.seed, advance)
    scores = measure_dev(learned.settings, dev) if dev else {}
    last = max((row["step"] for row in record.rows()), default=0)
    if scores:
        record.add(last, DEV, scores)
        watch.metrics(last, DEV, scores)
    about = {
        "key": config.key,
        "method": config.method,
        "seed": config.seed,
        "steps": last,
        "seconds": round(time.perf_counter() - began, 3),
        "n_train": len(train),
        "n_dev": len(dev),
        "n_trained": len(FEATURES) + 1,
        "loss": learned.loss,
        "vectors": learned.settings.vectors,
        "weights": describe_weights(learned),
        "data": folders.read_json(folder / "data.json"),
        "device": platform.machine(),
        "versions": library_versions("numpy", "spacy"),
    }
    return format_system(config, learned.settings), {"step": last, **scores}, about


def describe_weights(learned: LearnedWeights) -> list[dict[str, Any]]:
    """Per feature its weight and the interval of the refits, in the order of the features; None and no interval where
    nothing was learned."""
    described: list[dict[str, Any]] = []
    for name, weight, interval in zip(FEATURES, learned.settings.coefficients, learned.intervals, strict=True):
        low, high = interval or (None, None)
        described.append({"feature": name, "weight": weight if interval else None, "low": low, "high": high})
    return described


def measure_dev(settings: Settings, dev: list[RankedExample]) -> dict[str, float]:
    """selection (1 - MAP), map, recall and rr on the dev lists."""
    rows = build_rows(dev)
    probabilities = gold_probability(rows.features, settings).tolist()
    scored, start = [], 0
    for example in dev:
        end = start + len(example.golds)
        scored.append(Scored(example.request.id, probabilities[start:end], example.golds))
        start = end
    return mean_scores(scored)


def mean_scores(scored: list[Scored]) -> dict[str, float]:
    """selection (1 - MAP, lower is better) and the mean metrics of lists that all have golds."""
    metrics = [list_metrics(one_list) for one_list in scored]
    means = {name: sum(float(row[name]) for row in metrics) / len(metrics) for name in ("ap", "recall", "rr")}
    return {"selection": 1 - means["ap"], "map": means["ap"], "recall": means["recall"], "rr": means["rr"]}


def format_system(config: TrainingConfig, settings: Settings) -> str:
    """The TOML of the system; its numbers are what was learned."""
    lines = [
        *format_table("system", {"key": config.key, "kind": "rank-logistic", "name": config.name}),
        *format_table("options", vars(settings)),
    ]
    return "\n".join(lines) + "\n"

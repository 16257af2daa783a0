"""What a training costs: its updates and evaluations, and the time of one update as measured here."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from math import ceil
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from epitome.systems.neural.libraries import import_library, pick_device, quiet_transformers
from epitome.training.advice import explain_memory
from epitome.training.config import TrainingConfig
from epitome.training.data import Example, pick_evenly
from epitome.training.methods import Trainee, build_features, make_trainee, training_prompt
from epitome.training.precision import autocast_context
from epitome.training.ranking_data import RankedExample
from epitome.training.ranking_methods import DevRanker, build_rank_features, ranker_in_training
from epitome.training.selection import DevLoss
from epitome.training.systems import system_in_training
from epitome.training.token_batches import count_all_updates, count_updates
from epitome.training.trainer import Evaluation, make_trainer
from epitome.training.watching import NullWatch, Record

Examples = Sequence[Example] | Sequence[RankedExample]
TOKENS_PER_WORD = 1.4
"""Of BART's and T5's vocabularies on news, about: for batches by tokens before a tokenizer is at hand."""
TIMED_TEXTS = 4


class _Trial(NamedTuple):
    """How many batches are computed before any is timed, and how many are timed. Their median counts: on a GPU, a
    batch of a new length takes several times as long as the others, since kernels are loaded and chosen for it."""

    warm: int
    timed: int

    @property
    def batches(self) -> int:
        return self.warm + self.timed


TRIALS = {"cpu": _Trial(2, 4), "cuda": _Trial(6, 12)}
"""By the type of the device: on a CPU, a batch of a large model takes minutes."""


@dataclass(frozen=True)
class TrainingSize:
    """updates: at most, where the training may stop early. exact: whether the updates were counted, not estimated from
    numbers of words. dev_samples: read at each evaluation."""

    updates: int
    evaluations: int
    exact: bool
    dev_samples: int


@dataclass(frozen=True)
class StepCost:
    """Seconds of one update, of the evaluation of one dev sample, and of writing one text or ranking one list, as
    measured on `device`. memory: the most of the GPU in use while training, GiB; None without a GPU."""

    update: float
    dev_sample: float
    output: float
    device: str
    memory: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def hours(self, size: TrainingSize) -> float:
        """Of a whole training, without loading and writing of weights."""
        return (size.updates * self.update + size.evaluations * size.dev_samples * self.dev_sample) / 3600


def count_steps(config: TrainingConfig, train: Examples, dev: Examples) -> TrainingSize:
    """How long a training is. Batches by tokens are estimated from words."""
    optimisation = config.optimisation
    rows = _estimate_rows(config, train)
    updates = count_all_updates(rows, optimisation)
    often = optimisation.evaluate_every or count_updates(rows, optimisation)
    evaluations = ceil(updates / often) if dev else 0
    return TrainingSize(updates, evaluations, not optimisation.batch_tokens, len(dev))


def _estimate_rows(config: TrainingConfig, train: Examples) -> list[Mapping[str, Any]]:
    """One row per text to learn from; its ids are as many as its words make, about."""
    words: list[int] = []
    for example in train:
        if isinstance(example, RankedExample):
            n_words = len(training_prompt(config, Example(example.request, "", "")).split())
            per_list = len(example.golds) if config.method == "rank-classifier" else len(example.gold_texts)
            words += [n_words] * per_list
        else:
            words.append(1 if not config.optimisation.batch_tokens else len(training_prompt(config, example).split()))
    most = config.prompt.max_source_tokens
    return [{"input_ids": range(min(round(count * TOKENS_PER_WORD), most))} for count in words]


def measure_step(config: TrainingConfig, train: Examples, dev: Examples, base: Path | None = None) -> StepCost:
    """Train for a few batches in a folder that is then deleted, and evaluate and write a few texts.

    Raises MissingLibrary, MissingWeights, SystemFault; memory that runs out is one, with what to change.
    """
    with explain_memory(config):
        return _measure_step(config, train, dev, base)


def _measure_step(config: TrainingConfig, train: Examples, dev: Examples, base: Path | None) -> StepCost:
    torch = import_library("torch")
    quiet_transformers()
    optimisation = config.optimisation
    trial = TRIALS[pick_device(config.optimisation.device).type]
    trainee = make_trainee(_shorten_training(config, trial), base)
    on_gpu = trainee.device.type == "cuda"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats(trainee.device)
    batch_seconds = _time_batches(trainee, train, trial)
    memory = torch.cuda.max_memory_allocated(trainee.device) / 2**30 if on_gpu else None
    dev_sample, output = _time_evaluation(trainee, dev or train)
    device = torch.cuda.get_device_name(trainee.device) if on_gpu else "CPU"
    return StepCost(batch_seconds * optimisation.accumulation, dev_sample, output, device, memory)


def _shorten_training(config: TrainingConfig, trial: _Trial) -> TrainingConfig:
    optimisation = replace(
        config.optimisation, steps=trial.batches, epochs=1000, accumulation=1, evaluate_every=10**7,
        warmup_share=0.0, warmup_steps=0, log_every=1, patience=0,
    )  # fmt: skip
    return replace(config, optimisation=optimisation)


def _time_batches(trainee: Trainee, train: Examples, trial: _Trial) -> float:
    """Seconds of a batch, forward and backward and the optimizer's step; the median of some after the first ones."""
    n_examples = trainee.config.optimisation.batch_size * trial.batches
    rows = _build_rows(trainee, pick_evenly(list(train), n_examples))
    clock = _StepClock()
    with TemporaryDirectory() as folder:
        evaluation = Evaluation(trainee, [], Path(folder), clock, Record(Path(folder)))
        make_trainer(trainee, rows, evaluation).train()
    return median(after - before for before, after in pairwise(clock.times[trial.warm - 1 :]))


def _build_rows(trainee: Trainee, train: Sequence[Any]) -> list[dict[str, Any]]:
    if trainee.config.ranks:
        return build_rank_features(trainee, train)
    return [dict(row) for row in build_features(trainee, train)]


def _time_evaluation(trainee: Trainee, dev: Examples) -> tuple[float, float]:
    """(seconds per dev sample of an evaluation, seconds per written text or ranked list)."""
    some: Any = pick_evenly(list(dev), TIMED_TEXTS)
    if trainee.prefix is not None:
        trainee.prefix.remove_prefixes()
    trainee.model.train(False)
    with autocast_context(trainee):
        return _time_texts(trainee, some)


def _time_texts(trainee: Trainee, some: Any) -> tuple[float, float]:
    requests = [example.request for example in some]
    if trainee.config.ranks:
        seconds = _time_per_item(lambda: DevRanker(trainee, some).scores(), len(some))
        return seconds, _time_per_item(lambda: ranker_in_training(trainee).rank(requests), len(some))
    output = _time_per_item(lambda: system_in_training(trainee).generate(requests), len(some))
    if trainee.config.optimisation.selection != "loss":
        return output, output
    dev_loss = DevLoss(trainee, some)
    dev_loss.scores()  # the first time takes a GPU several times as long as the others
    return _time_per_item(dev_loss.scores, len(some)), output


def _time_per_item(work: Any, count: int) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) / count


class _StepClock(NullWatch):
    def __init__(self) -> None:
        self.times: list[float] = []

    def progress(self, done: int, total: int) -> None:
        self.times.append(time.perf_counter())

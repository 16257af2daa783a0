"""Batches by a budget of padded tokens: examples of about one length together, the batches in an order per epoch."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epitome.systems.neural.batching import make_batches
from epitome.training.optimisation import Optimisation


class TokenBatches:
    """The batches of every epoch: the same ones, in an order of the seed and the epoch. A batch sampler of torch."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], optimisation: Optimisation, seed: int) -> None:
        self.batches = cut_batches(rows, optimisation)
        self.seed, self.epoch = seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[list[int]]:
        order = list(self.batches)
        random.Random(f"{self.seed}:{self.epoch}").shuffle(order)
        return iter(order)

    def __len__(self) -> int:
        return len(self.batches)


def cut_batches(rows: Sequence[Mapping[str, Any]], optimisation: Optimisation) -> list[list[int]]:
    """Numbers of the rows in each batch."""
    lengths = [len(row["input_ids"]) for row in rows]
    return make_batches(lengths, optimisation.batch_tokens, optimisation.batch_size)


def count_updates(rows: Sequence[Mapping[str, Any]], optimisation: Optimisation) -> int:
    """Updates of one epoch."""
    if optimisation.batch_tokens:
        n_batches = len(cut_batches(rows, optimisation))
    else:
        n_batches = math.ceil(len(rows) / optimisation.batch_size)
    return math.ceil(n_batches / optimisation.accumulation)


def count_all_updates(rows: Sequence[Mapping[str, Any]], optimisation: Optimisation) -> int:
    """Updates of the whole training: epochs times those of one epoch, or fewer where `steps` limits them."""
    updates = optimisation.epochs * count_updates(rows, optimisation)
    return min(updates, optimisation.steps) if optimisation.steps else updates


def count_warmup(rows: Sequence[Mapping[str, Any]], optimisation: Optimisation) -> int:
    """Updates of the warm-up: a share of all, or a number."""
    if not optimisation.warmup_share:
        return optimisation.warmup_steps
    return round(optimisation.warmup_share * count_all_updates(rows, optimisation))

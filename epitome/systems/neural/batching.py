"""Batches of many requests: longest first, as many as fit, fewer when memory runs out."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from epitome.systems.neural.growth import GpuGrowth
from epitome.systems.neural.libraries import free_memory, is_out_of_memory
from epitome.systems.protocol import OutOfMemory

Result = TypeVar("Result")


FEW, EVEN = 8, 0.75
"""An even batch may begin with this many items of any length; after them none may be shorter than this share of the
longest. A large model on a CPU gains little from more than eight at once, and padding costs as much as text."""


def make_batches(lengths: Sequence[int], tokens: int, max_items: int, *, even: bool = False) -> list[list[int]]:
    """Indices of all lengths, longest first, cut so that padded batches hold at most `tokens` and `max_items` items.

    Items of similar length are batched together to reduce padding; the largest batch comes first, so that a lack of
    memory shows at once. A single item may be longer than `tokens`. even: prefer more batches to much padding.
    """
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        batch = groups[-1] if groups else []
        longest = lengths[batch[0]] if batch else 0
        like = not even or len(batch) < FEW or lengths[index] >= EVEN * longest
        if batch and like and len(batch) < max_items and longest * (len(batch) + 1) <= tokens:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


class Batcher:
    """Runs work batch by batch and remembers how much fits in memory.

    tokens: padded tokens per batch; halved permanently each time memory runs out. most: items per batch. even: see
    `make_batches`. growth: makes both larger where memory is left, until it runs out once; None: they stay.
    """

    def __init__(self, tokens: int, most: int) -> None:
        self.tokens, self.most, self.even = tokens, most, False
        self.growth: GpuGrowth | None = None

    def run(self, lengths: Sequence[int], work: Callable[[list[int]], Sequence[Result]]) -> list[Result]:
        """One result per length, in the same order; work gets indices and returns one result for each.

        Raises OutOfMemory when even one item alone does not fit.
        """
        results: dict[int, Result] = {}
        waiting = self._cut(lengths)
        while waiting:
            batch = waiting.pop(0)
            batch_results = self._try(batch, work)
            if batch_results is None:
                self._shrink(lengths, batch)
                waiting = self._cut_again(lengths, [batch, *waiting])
            else:
                results.update(zip(batch, batch_results, strict=True))
                if self._grow(lengths, batch):
                    waiting = self._cut_again(lengths, waiting)
        return [results[index] for index in range(len(lengths))]

    def _cut(self, lengths: Sequence[int]) -> list[list[int]]:
        return make_batches(lengths, self.tokens, self.most, even=self.even)

    def _cut_again(self, lengths: Sequence[int], groups: Sequence[list[int]]) -> list[list[int]]:
        unfinished = [index for group in groups for index in group]
        again = self._cut([lengths[index] for index in unfinished])
        return [[unfinished[index] for index in group] for group in again]

    def _grow(self, lengths: Sequence[int], batch: list[int]) -> bool:
        """Whether later batches may be larger than they could be before."""
        if self.growth is None:
            return False
        before = self.tokens, self.most
        self.tokens, self.most = self.growth.sizes(len(batch), lengths[batch[0]] * len(batch), *before)
        return (self.tokens, self.most) != before

    def _try(self, batch: list[int], work: Callable[[list[int]], Sequence[Result]]) -> Sequence[Result] | None:
        """None if memory ran out. The error is released before memory is freed, as its frames hold the tensors."""
        try:
            return work(batch)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            if len(batch) == 1:
                raise OutOfMemory(f"memory does not suffice for one request alone ({str(error)[:120]})") from None
        free_memory()
        return None

    def _shrink(self, lengths: Sequence[int], batch: list[int]) -> None:
        self.tokens = max(1, lengths[batch[0]] * len(batch) // 2)
        self.most = max(1, len(batch) // 2)
        self.growth = None


def pad_rows(rows: Sequence[Sequence[int]], pad: int, device: Any, *, pad_left: bool = False) -> tuple[Any, Any]:
    """(ids, mask): both of shape rows x longest, as tensors of whole numbers; mask is 1 where a row has a token."""
    from epitome.systems.neural.libraries import import_library

    torch = import_library("torch")
    width = max(map(len, rows))
    ids = torch.full((len(rows), width), pad, dtype=torch.long)
    mask = torch.zeros((len(rows), width), dtype=torch.long)
    for index, row in enumerate(rows):
        columns = slice(width - len(row), width) if pad_left else slice(0, len(row))
        ids[index, columns] = torch.tensor(row, dtype=torch.long)
        mask[index, columns] = 1
    return ids.to(device), mask.to(device)

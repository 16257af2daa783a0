"""How much larger batches may become: by the memory that a GPU has left, as measured while batches run."""

from typing import Any

from epitome.systems.neural.libraries import import_library

SHARE = 0.6
"""Of the memory that is not taken by others, what batches may fill: later ones may need more for each token."""
STEP = 4
"""At most so many times the batch that has just run."""
MOST_TOKENS, MOST_ITEMS = 524_288, 512
"""Beyond them a large GPU gains little (docs/gpu.md)."""


class GpuGrowth:
    """Sizes of the next batch of one model on one GPU. It is made when the weights are loaded and no batch has run."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._cuda = import_library("torch").cuda
        self._of_weights = self._cuda.memory_allocated(device)
        self._largest = 0

    def sizes(self, n: int, padded: int, tokens: int, items: int) -> tuple[int, int]:
        """(tokens, items) of the next batches, never less than these. n, padded: items and tokens of the batch that has
        just run."""
        self._largest = max(self._largest, padded)
        free, _total = self._cuda.mem_get_info(self.device)
        reach = SHARE * (free + self._cuda.memory_reserved(self.device)) - self._of_weights
        taken = self._cuda.max_memory_allocated(self.device) - self._of_weights
        if taken <= 0:
            return tokens, items
        factor = min(reach / (taken * padded / self._largest), STEP)
        return (
            max(tokens, min(MOST_TOKENS, int(padded * factor))),
            max(items, min(MOST_ITEMS, int(n * factor))),
        )

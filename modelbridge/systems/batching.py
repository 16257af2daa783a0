"""Asking a system for many outputs: even batches, halved when memory runs out; as many come out as went in."""

import gc
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from modelbridge.systems.protocol import (
    DEFAULT_BATCH,
    Generator,
    MissingLibrary,
    MissingWeights,
    OutOfMemory,
    Output,
    Request,
    SystemFault,
    Unavailable,
)

log = logging.getLogger(__name__)
BATCHES_BEFORE_GROWTH = 16
"""Batches that went well after memory ran out, before a larger one is tried again."""
FATAL_FAULTS = (MissingLibrary, MissingWeights, Unavailable)
"""Faults of the system as a whole: no request will fare better."""


@dataclass(frozen=True)
class Failure:
    """Why a request has no output, in words for a person."""

    reason: str


class SampleFault(SystemFault):
    """One request failed where all were wanted; the message names it."""


class Batcher:
    """Asks one system, and remembers how many requests fit at once."""

    def __init__(self, system: Generator) -> None:
        self.system = system
        self.limit = self.usual = max(1, int(getattr(system, "batch_size", DEFAULT_BATCH)))
        self.calm = 0

    def run(self, requests: Sequence[Request]) -> list[Output | Failure]:
        """One result per request, in the same order. A request that fails does so alone. Raises STOPS."""
        results: list[Output | Failure] = []
        while len(results) < len(requests):
            results += self._ask(requests[len(results) : len(results) + self.limit])
            self._try_more()
        return results

    def _try_more(self) -> None:
        """One long sample is no reason for small batches ever after: double them when many went well."""
        self.calm += 1
        if self.calm >= BATCHES_BEFORE_GROWTH and self.limit < self.usual:
            self.limit, self.calm = min(self.usual, self.limit * 2), 0

    def _ask(self, batch: Sequence[Request]) -> list[Output | Failure]:
        try:
            outputs = self.system.generate(batch)
        except FATAL_FAULTS:
            raise
        except Exception as error:  # noqa: BLE001 - a system may break in any way; how is kept with the sample
            return self._broken(batch, error)
        return check_outputs(outputs, len(batch))

    def _broken(self, batch: Sequence[Request], error: Exception) -> list[Output | Failure]:
        half = len(batch) // 2
        if is_out_of_memory(error):
            free_memory()
            self.limit, self.calm = max(1, half), 0
            if half == 0:
                return [Failure(f"Out of memory, even alone: {describe_error(error)}")]
            log.warning("%s: out of memory with %d requests, going on with %d", self.system.key, len(batch), half)
        elif half == 0:
            log.warning("%s: a request failed", self.system.key, exc_info=error)
            return [Failure(describe_error(error))]
        return [*self._ask(batch[:half]), *self._ask(batch[half:])]


def check_outputs(outputs: object, expected: int) -> list[Output | Failure]:
    """The outputs, if they are as many as were wanted; else as many failures: nothing may move to a neighbour."""
    if not isinstance(outputs, list | tuple) or not all(isinstance(output, Output) for output in outputs):
        return [Failure("The system did not give a list of outputs.")] * expected
    if len(outputs) != expected:
        return [Failure(f"The system gave {len(outputs)} outputs for {expected} requests.")] * expected
    return [output if isinstance(output.text, str) else Failure("The system gave no text.") for output in outputs]


def is_out_of_memory(error: BaseException) -> bool:
    """Also torch's own error, known by its name: nothing here imports torch."""
    if isinstance(error, OutOfMemory | MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and "out of memory" in str(error).lower()


def free_memory() -> None:
    """Give back what a failed batch left behind, on the accelerator too where torch is loaded."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def describe_error(error: BaseException) -> str:
    """One line about an error: a fault speaks for itself, anything else is named."""
    message = " ".join(str(error).split())[:500]
    if isinstance(error, SystemFault):
        return message or type(error).__name__
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def places_by_length(requests: Sequence[Request]) -> list[int]:
    """Places of the requests, those with the longest source first, so that a batch holds like with like."""
    sizes = [sum(len(segment["text"]) for segment in request.segments) for request in requests]
    return sorted(range(len(requests)), key=lambda place: (-sizes[place], place))


def generate_all(
    system: Generator, requests: Sequence[Request], advance: Callable[[int], None] = lambda n: None
) -> list[Output]:
    """The outputs of all requests, in their order. Raises SampleFault at the first that fails, STOPS."""
    batcher = Batcher(system)
    outputs: dict[int, Output] = {}
    order = places_by_length(requests)
    while len(outputs) < len(order):
        places = order[len(outputs) : len(outputs) + batcher.limit]
        for place, result in zip(places, batcher.run([requests[index] for index in places]), strict=True):
            if isinstance(result, Failure):
                raise SampleFault(f"{requests[place].id}: {result.reason}")
            outputs[place] = result
        advance(len(places))
    return [outputs[place] for place in range(len(requests))]

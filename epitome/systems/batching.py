"""Generates many outputs in batches, halved when memory runs out; every request gets one result."""

import gc
import logging
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epitome.systems.asking import ask_system
from epitome.systems.protocol import (
    DEFAULT_BATCH,
    Generator,
    MissingLibrary,
    MissingWeights,
    OutOfMemory,
    Output,
    Request,
    System,
    SystemFault,
    Unavailable,
)
from epitome.systems.roles import traits_of

log = logging.getLogger(__name__)
BATCHES_BEFORE_GROWTH = 16
"""Successful batches after an out-of-memory error before the batch size is doubled again."""
TO_FIT = "To fit: fewer beams, a lower max_tokens or max_source_tokens, or dtype = bfloat16 in the system's options."
FATAL_FAULTS = (MissingLibrary, MissingWeights, Unavailable)
"""Faults of the system as a whole: other requests would fail too."""


@dataclass(frozen=True)
class Failure:
    """Why a request has no output, as a message for users."""

    reason: str


class SampleFault(SystemFault):
    """One request failed although all outputs are required; the message names it."""


class Batcher:
    """Sends requests to one system of any role and remembers how many fit in memory at once. options: see
    `ask_system`."""

    def __init__(self, system: System, options: Mapping[str, Any] | None = None) -> None:
        self.system = system
        self.options = options or {}
        self.limit = self.usual = max(1, int(getattr(system, "batch_size", DEFAULT_BATCH)))
        self.calm = 0

    def run(self, requests: Sequence[Request]) -> list[Output | Failure]:
        """One result per request, in the same order. A failing request does not affect others. Raises FATAL_FAULTS."""
        results: list[Output | Failure] = []
        while len(results) < len(requests):
            results += self._ask(requests[len(results) : len(results) + self.limit])
            self._follow_system()
            self._try_more()
        return results

    def _follow_system(self) -> None:
        """Send more at once where the system has found that more fit; not after memory ran out."""
        wanted = int(getattr(self.system, "batch_size", DEFAULT_BATCH))
        if wanted > self.usual:
            self.limit = wanted if self.limit == self.usual else self.limit
            self.usual = wanted

    def _try_more(self) -> None:
        """Double the batch size after many successes, so that one long sample does not keep batches small."""
        self.calm += 1
        if self.calm >= BATCHES_BEFORE_GROWTH and self.limit < self.usual:
            self.limit, self.calm = min(self.usual, self.limit * 2), 0

    def _ask(self, batch: Sequence[Request]) -> list[Output | Failure]:
        try:
            outputs = ask_system(self.system, batch, self.options)
        except FATAL_FAULTS:
            raise
        except Exception as error:  # noqa: BLE001 - a system may raise anything; the error is stored with the sample
            return self._broken(batch, error)
        checked = check_outputs(outputs, len(batch))
        return list(map(refuse_empty, checked)) if traits_of(self.system.role).writes else checked

    def _broken(self, batch: Sequence[Request], error: Exception) -> list[Output | Failure]:
        half = len(batch) // 2
        if is_out_of_memory(error):
            free_memory()
            self.limit, self.calm = max(1, half), 0
            if half == 0:
                return [Failure(f"Out of memory, even alone: {describe_error(error).rstrip('.')}. {TO_FIT}")]
            log.warning("%s: out of memory with %d requests, going on with %d", self.system.key, len(batch), half)
        elif half == 0:
            unforeseen = None if isinstance(error, SystemFault) else error
            log.warning("%s: a request failed: %s", self.system.key, describe_error(error), exc_info=unforeseen)
            return [Failure(describe_error(error))]
        return [*self._ask(batch[:half]), *self._ask(batch[half:])]


def check_outputs(outputs: object, expected: int) -> list[Output | Failure]:
    """The outputs if there are exactly `expected`; otherwise as many failures: no output may change its sample."""
    if not isinstance(outputs, list | tuple) or not all(isinstance(output, Output) for output in outputs):
        return [Failure("The system did not give a list of outputs.")] * expected
    if len(outputs) != expected:
        return [Failure(f"The system gave {len(outputs)} outputs for {expected} requests.")] * expected
    return [output if isinstance(output.text, str) else Failure("The system gave no text.") for output in outputs]


def refuse_empty(result: Output | Failure) -> Output | Failure:
    """A summary of nothing is a failure: it would count in tables and be shown to raters."""
    if isinstance(result, Failure) or result.text.strip():
        return result
    if result.decoding.get("finish_reason") == "length":
        return Failure("The model wrote nothing before its tokens ran out: raise max_tokens, or turn thinking off.")
    return Failure("The model wrote nothing.")


def is_out_of_memory(error: BaseException) -> bool:
    """Also detects torch's own error, by its class name, because this module does not import torch."""
    if isinstance(error, OutOfMemory | MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and "out of memory" in str(error).lower()


def free_memory() -> None:
    """Free the memory of a failed batch, on the accelerator too if torch is loaded."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def describe_error(error: BaseException) -> str:
    """One line about an error: a SystemFault's message alone, any other error with its class name."""
    message = " ".join(str(error).split())[:500]
    if isinstance(error, SystemFault):
        return message or type(error).__name__
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def places_by_length(requests: Sequence[Request]) -> list[int]:
    """Indices of the requests, longest source first, so that a batch holds requests of similar length."""
    sizes = [sum(len(segment["text"]) for segment in request.segments) for request in requests]
    return sorted(range(len(requests)), key=lambda place: (-sizes[place], place))


def generate_each(
    system: Generator, requests: Sequence[Request], advance: Callable[[int], None] = lambda n: None
) -> Iterator[tuple[int, Output | Failure]]:
    """The place of each request and what came of it, the longest sources first. Raises FATAL_FAULTS."""
    batcher = Batcher(system)
    order = places_by_length(requests)
    n_done = 0
    while n_done < len(order):
        places = order[n_done : n_done + batcher.limit]
        yield from zip(places, batcher.run([requests[index] for index in places]), strict=True)
        n_done += len(places)
        advance(len(places))


def generate_all(
    system: Generator, requests: Sequence[Request], advance: Callable[[int], None] = lambda n: None
) -> list[Output]:
    """The outputs of all requests, in their order. Raises SampleFault at the first failure, FATAL_FAULTS."""
    outputs: dict[int, Output] = {}
    for place, result in generate_each(system, requests, advance):
        if isinstance(result, Failure):
            raise SampleFault(f"{requests[place].id}: {result.reason}")
        outputs[place] = result
    return [outputs[index] for index in range(len(requests))]

"""Base class of baselines that rank the sentences of the source and select the first ones."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.protocol import Follows, Output, Request, Role, followed_values
from epitome.systems.provenance import library_versions
from epitome.systems.sentence_units import Unit, join_units, select_closest, split_into_units, target_length


@dataclass(frozen=True)
class NoOptions:
    """The settings of a kind that has none."""


def parse_options(table: Table) -> NoOptions:
    """Check that an `[options]` table is empty. Raises SchemaError."""
    table.only(())
    return NoOptions()


class ExtractiveBaseline(ABC):
    """Whole sentences in source order, with about as many words as the request's length asks for (`target_length`).

    Only the length is followed; topics and speakers only determine how much of the source is relevant.
    """

    role: ClassVar[Role] = "generate"
    follows: ClassVar[Follows] = {"length": None}
    batch_size: ClassVar[int] = 32
    gaps: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = ()

    def __init__(self, config: SystemConfig) -> None:
        self.key, self.kind = config.key, config.kind

    @abstractmethod
    def order(self, sentences: Sequence[Unit], request: Request) -> Sequence[int]:
        """Indices of the sentences, best first."""

    def decoding(self) -> dict[str, Any]:
        """Parameters of the method, stored with every output."""
        return {}

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        return [self._one(request) for request in batch]

    def _one(self, request: Request) -> Output:
        began = time.perf_counter()
        sentences = split_into_units(request)
        order = self.order(sentences, request) if sentences else []
        target = target_length(request)
        selected = select_closest([sentences[index].n_words for index in order], target, gaps=self.gaps)
        return Output(
            text=join_units(sentences[index] for index in sorted(order[rank] for rank in selected)),
            told=followed_values(self.follows, request),
            decoding={"method": self.kind, "target_words": target, **self.decoding()},
            seed=request.seed,
            versions=library_versions(*self.libraries),
            seconds=time.perf_counter() - began,
        )

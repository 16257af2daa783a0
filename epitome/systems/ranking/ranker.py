"""What all rankers of candidate aggregations share: the order of a list, and its provenance."""

import random
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from epitome.systems.config import SystemConfig
from epitome.systems.protocol import AggregationTask, Follows, Output, Request, Role, SystemFault
from epitome.systems.provenance import library_versions


def order_candidates(scores: Sequence[float], request: Request) -> tuple[tuple[str, float], ...]:
    """The candidates with their scores, best first. Equal scores are in a random order of the request's seed; the
    metrics count every order of them alike."""
    places = list(range(len(scores)))
    random.Random(f"{request.seed}:{request.id}").shuffle(places)
    places.sort(key=lambda place: -scores[place])
    return tuple((request.candidates[index], float(scores[index])) for index in places)


def require_candidates(request: Request) -> None:
    """Raises SystemFault for a request with nothing to rank."""
    if not request.candidates:
        raise SystemFault(f"request {request.id}: there are no texts to rank")


def require_task(request: Request) -> AggregationTask:
    """Raises SystemFault for a request that is of no aggregation task."""
    if request.aggregation is None or not request.aggregation.entities:
        raise SystemFault(f"request {request.id}: it names no entities; this system ranks aggregations of entities")
    return request.aggregation


class CandidateRanker:
    """A ranker that scores the candidates of one request at a time."""

    role: ClassVar[Role] = "rank"

    def __init__(self, config: SystemConfig) -> None:
        self.key, self.kind = config.key, config.kind
        self.follows: Follows = {}

    def score_candidates(self, request: Request) -> Sequence[float]:
        """One number per candidate, higher is better. Raises SystemFault."""
        raise NotImplementedError

    def decoding(self) -> Mapping[str, Any]:
        """The parameters stored with every output."""
        return {}

    def versions(self) -> Mapping[str, str]:
        """Library -> version."""
        return library_versions()

    def rank(self, batch: Sequence[Request]) -> list[Output]:
        """Raises SystemFault: a request without candidates, or one that this system cannot rank."""
        return [self._rank_one(request) for request in batch]

    def _rank_one(self, request: Request) -> Output:
        require_candidates(request)
        ranked = order_candidates(self.score_candidates(request), request)
        return Output(
            ranked[0][0],
            decoding=self.decoding(),
            seed=request.seed,
            versions=self.versions(),
            candidates=ranked,
        )

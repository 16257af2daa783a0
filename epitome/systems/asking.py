"""Asks a system of any role about a batch of requests; every request gets one output."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from epitome.systems.protocol import (
    Generator,
    Judge,
    Output,
    Ranker,
    Request,
    Scorer,
    System,
    Transformer,
    followed_values,
)
from epitome.systems.provenance import library_versions


def ask_system(system: System, batch: Sequence[Request], options: Mapping[str, Any]) -> object:
    """What the system gives, as a list of outputs; the caller checks it. options: of a judge, `question` and `answers`.

    Raises whatever the system raises.
    """
    match system.role:
        case "generate":
            return cast(Generator, system).generate(batch)
        case "transform":
            return cast(Transformer, system).transform(batch)
        case "rank":
            return cast(Ranker, system).rank(batch)
        case "judge":
            return cast(Judge, system).judge(batch, options["question"], options["answers"])
        case "score":
            return _score(cast(Scorer, system), batch)


def _score(system: Scorer, batch: Sequence[Request]) -> list[Output]:
    """Outputs without a text: their scores are the result."""
    scored = system.score(batch)
    return [
        Output(
            "",
            told=followed_values(system.follows, request),
            scores=scores.as_dict(),
            seed=request.seed,
            weights=str(getattr(system, "weights_hash", "")),
            versions=library_versions("torch", "transformers"),
        )
        for request, scores in zip(batch, scored, strict=True)
    ]

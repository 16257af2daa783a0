"""`likelihood`: ranks texts by the log-probability that a language model gives them, with one of the scorers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, ClassVar, Literal, cast

from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.kinds import KINDS
from epitome.systems.protocol import Follows, Output, Request, Role, Scorer, SystemFault, followed_values
from epitome.systems.provenance import library_versions

By = Literal["sum", "mean"]


@dataclass(frozen=True)
class Settings:
    """scorer: kind of the scorer that is wrapped, scorer_settings its own. by: the sum of a text's token
    log-probabilities, which favours short texts, or their mean."""

    scorer: str
    by: By
    scorer_settings: Any


def parse_options(table: Table) -> Settings:
    """`scorer` and `by`; all other options are those of the scorer. Raises SchemaError."""
    given_name = table.data.get("scorer")
    names = [kind.name for kind in KINDS.values() if kind.role == "score" and (kind.listed or kind.name == given_name)]
    scorer = table.choice("scorer", names)
    by = cast(By, table.choice("by", ("sum", "mean"), "sum"))
    scorer_options = {key: value for key, value in table.data.items() if key not in ("scorer", "by")}
    inner = Table(table.file, table.path, scorer_options, None)
    return Settings(scorer, by, import_module(KINDS[scorer].module).parse_options(inner))


def followed_attributes(settings: Settings) -> Follows:
    return cast(Follows, import_module(KINDS[settings.scorer].module).followed_attributes(settings.scorer_settings))


class LikelihoodRanker:
    """Scores every candidate given the source; equal scores keep the order of the request."""

    role: ClassVar[Role] = "rank"

    def __init__(self, config: SystemConfig, scorer: Scorer) -> None:
        self.key, self.kind, self.settings = config.key, config.kind, cast(Settings, config.settings)
        self.scorer = scorer
        self.follows: Follows = scorer.follows
        self.batch_size = int(getattr(scorer, "batch_size", 8))

    def rank(self, batch: Sequence[Request]) -> list[Output]:
        """Raises SystemFault: a request without candidates, or a text that the scorer cannot score."""
        for request in batch:
            if not request.candidates:
                raise SystemFault(f"request {request.id}: there are no texts to rank")
        texts = [replace(request, text=text) for request in batch for text in request.candidates]
        scores = self.scorer.score(texts)
        values = iter([scored.total if self.settings.by == "sum" else scored.mean for scored in scores])
        return [self._rank_one(request, [(text, next(values)) for text in request.candidates]) for request in batch]

    def _rank_one(self, request: Request, scored: list[tuple[str, float]]) -> Output:
        ranked = tuple(sorted(scored, key=lambda pair: -pair[1]))
        return Output(
            ranked[0][0],
            told=followed_values(self.follows, request),
            decoding={"scorer": self.settings.scorer, "by": self.settings.by},
            seed=request.seed,
            weights=str(getattr(self.scorer, "weights_hash", "")),
            versions=library_versions("torch", "transformers"),
            candidates=ranked,
        )

    def close(self) -> None:
        close = getattr(self.scorer, "close", None)
        if close is not None:
            close()


def make_system(config: SystemConfig) -> LikelihoodRanker:
    settings = cast(Settings, config.settings)
    module, _colon, make = KINDS[settings.scorer].load.partition(":")
    scorer = getattr(import_module(module), make)(replace(config, settings=settings.scorer_settings))
    return LikelihoodRanker(config, scorer)

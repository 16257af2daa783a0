"""`controlled-extract`: sentences of the source, shortened by rules to follow all attributes at once."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from epitome.measures import NoTagger, Tagger, spacy_tagger
from epitome.schema.tables import Table
from epitome.systems.config import SystemConfig
from epitome.systems.controlled_extract.finishing import choose_best_text
from epitome.systems.controlled_extract.request_targets import (
    attributes_from_schema,
    followed_request_values,
    read_request_targets,
)
from epitome.systems.controlled_extract.search import Balance, Search
from epitome.systems.controlled_extract.source import PreparedSource
from epitome.systems.controlled_extract.source_spans import list_source_spans
from epitome.systems.controlled_extract.targets import FILE, Models
from epitome.systems.controlled_extract.targets import load_models as committed
from epitome.systems.protocol import Follows, Output, Request, Role
from epitome.systems.provenance import library_versions
from epitome.text.pipeline import PipelineNotFound

KEPT_SOURCES = 4


@dataclass(frozen=True)
class Settings:
    """relevance: the weight of relevance against one point of control error. finalists: how many of the best texts are
    measured with the real measures before one is chosen."""

    relevance: float = Balance.relevance
    finalists: int = 4


def parse_options(table: Table) -> Settings:
    """Raises SchemaError."""
    table.only(("relevance", "finalists"))
    usual = Settings()
    return Settings(
        relevance=table.number("relevance", usual.relevance, least=0.0, most=10.0),
        finalists=table.whole("finalists", usual.finalists, least=1, most=50),
    )


def followed_attributes(settings: Settings) -> Follows:
    """By the usual keys; for a given schema the measures of its attributes decide (`attributes_from_schema`)."""
    return dict.fromkeys(("length", "extractiveness", "specificity", "readability", "topic", "speaker", "keywords"))


@cache
def _load_tagger() -> Tagger | None:
    """The shipped tagger; None if it cannot be loaded, in which case sentences are not shortened."""
    try:
        return spacy_tagger()
    except (PipelineNotFound, NoTagger, ImportError):
        return None


@cache
def _coefficients_hash() -> str:
    return hashlib.sha256(FILE.read_bytes()).hexdigest()


class ControlledExtract:
    role: ClassVar[Role] = "generate"
    batch_size: ClassVar[int] = 32

    def __init__(self, config: SystemConfig, models: Models | None = None) -> None:
        self.key, self.kind = config.key, config.kind
        self.settings: Settings = config.settings
        self.follows: Follows = followed_attributes(self.settings)
        self._models = committed() if models is None else models
        self._sources: OrderedDict[tuple[str, ...], PreparedSource] = OrderedDict()

    def generate(self, batch: Sequence[Request]) -> list[Output]:
        return [self._one(request) for request in batch]

    def _one(self, request: Request) -> Output:
        began = time.perf_counter()
        targets = read_request_targets(request)
        source = self._prepared(request)
        in_words = targets.words is not None
        problem = source.problem(targets, Balance(relevance=self.settings.relevance), in_words=in_words)
        search = Search(problem)
        text, measured, state = choose_best_text(search, search.best(self.settings.finalists), source.tagger)
        return Output(
            text=text,
            told=followed_request_values(request),
            decoding={
                "method": self.kind,
                "relevance": self.settings.relevance,
                "targets": {name: round(cost.best, 4) for name, cost in problem.costs.items()},
                "measured": {name: round(value, 4) for name, value in measured.items()},
                "spans": [list(span) for span in list_source_spans(text, state, request.segments)],
            },
            seed=request.seed,
            weights=_coefficients_hash(),
            versions=library_versions("spacy", "regex", "snowballstemmer"),
            seconds=time.perf_counter() - began,
        )

    def _prepared(self, request: Request) -> PreparedSource:
        """The prepared source of a request; the last few are cached, as requests for one source arrive together."""
        key = (
            request.schema.domain,
            request.schema.language,
            *(f"{segment['speaker']}\0{segment['text']}" for segment in request.segments),
        )
        if key not in self._sources:
            schema = request.schema
            self._sources[key] = PreparedSource(
                request.segments,
                schema.domain,
                language=schema.language,
                tagger=_load_tagger(),
                models=self._models,
            )
        self._sources.move_to_end(key)
        while len(self._sources) > KEPT_SOURCES:
            self._sources.popitem(last=False)
        return self._sources[key]


def make_system(config: SystemConfig) -> ControlledExtract:
    return ControlledExtract(config)


__all__ = [
    "ControlledExtract",
    "Settings",
    "attributes_from_schema",
    "followed_attributes",
    "make_system",
    "parse_options",
]

"""Inputs and outputs of systems: requests, outputs, faults and the protocol of each role."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from epitome.schema import Schema

Role = Literal["generate", "rank", "score", "transform", "judge"]
ROLES: tuple[Role, ...] = ("generate", "rank", "score", "transform", "judge")

RequestValue = str | tuple[str, ...]
DEFAULT_BATCH = 8
Follows = Mapping[str, frozenset[str] | None]
"""Attribute key -> the values a system can follow; None: any value (topics, speakers). Absent: ignored."""


@dataclass(frozen=True)
class WorkedExample:
    """A source, a request and the text written for it, shown before a request. origin: the article or meeting that
    the source is (a piece of).

    candidates: of an example about several texts, then `text` is "". answer: the right answer of a judge, where it does
    not follow from the requested values.
    """

    id: str
    origin: str
    segments: tuple[Mapping[str, str], ...]
    values: Mapping[str, RequestValue]
    schema: Schema
    text: str
    candidates: tuple[str, ...] = ()
    answer: str = ""


@dataclass(frozen=True)
class NamedEntity:
    """background: what is known of it, such as the first paragraph of its encyclopedia article; "" if nothing."""

    name: str
    background: str = ""


@dataclass(frozen=True)
class AggregationTask:
    """Entities of one type to be named by one phrase, and the context in which they appear.

    train_counts: per candidate of the request, for how many instances of the train split it is gold.
    """

    entity_type: str
    entities: tuple[NamedEntity, ...]
    title: str
    context: str
    train_counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class ErrorKinds:
    """What a judge that marks errors may name: categories (none: errors have no category), severities, and the
    category of errors without words of the text, "" where these are not asked for."""

    categories: tuple[str, ...]
    severities: tuple[str, ...]
    omission: str = ""


@dataclass(frozen=True)
class Request:
    """One request to a system, for one sample.

    id: of the sample, opaque to the system. segments: {"speaker", "text"} of each sentence or turn of the source.
    values: the requested values by attribute key: a word of the schema, or a tuple of texts for picks (empty: none).
    seed: of this request alone, so that an output does not depend on the rest of the batch.
    text: the text to score, rewrite or judge; candidates: the texts to rank. The reference is never part of it.
    extract: sentences of the source that another system extracted, for systems that work on such.
    examples: what others wrote for other sources, for systems that are shown such.
    aggregation: the entities to be named together, of projects whose tasks are that; golds are never part of it.
    turns: what follows the request in its conversation: a draft and what is said about it, in turns.
    """

    id: str
    segments: tuple[Mapping[str, str], ...]
    values: Mapping[str, RequestValue]
    schema: Schema
    seed: int = 0
    text: str | None = None
    candidates: tuple[str, ...] = ()
    examples: tuple[WorkedExample, ...] = ()
    extract: tuple[str, ...] = ()
    aggregation: AggregationTask | None = None
    turns: tuple[Mapping[str, str], ...] = ()

    def value(self, key: str) -> str:
        """The requested value of an ordered attribute; "" where none is requested."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ", ".join(value)

    def picks(self, key: str) -> tuple[str, ...]:
        """The requested topics or speakers; empty where none are requested."""
        value = self.values.get(key, ())
        return (value,) if isinstance(value, str) and value else tuple(value)


@dataclass(frozen=True)
class Output:
    """The output of a system for one request, with everything needed to reproduce it.

    told: the requested values passed to it, which are those it can follow. prompt: its input as one text, "" if none.
    decoding: the decoding parameters. weights: SHA-256 of the weights, "" without any. versions: library -> version.
    truncated: how many of the source's tokens did not fit. seconds: its share of the batch's time.
    usage: tokens and cost of paid systems. candidates: ranked texts with their scores. scores: of a scored text
    (see `TokenScores.as_dict`). steps: the drafts of a system that refines (see `refine.drafts`).
    """

    text: str
    told: Mapping[str, RequestValue] = field(default_factory=dict)
    prompt: str = ""
    decoding: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    weights: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    truncated: int = 0
    seconds: float = 0.0
    usage: Mapping[str, float] = field(default_factory=dict)
    candidates: tuple[tuple[str, float], ...] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class TokenScores:
    """Log-probabilities (natural logarithm) of the tokens of one text, given its source."""

    tokens: tuple[str, ...]
    log_probabilities: tuple[float, ...]

    @property
    def total(self) -> float:
        return sum(self.log_probabilities)

    @property
    def mean(self) -> float:
        """Per token. Raises ValueError for a text without tokens."""
        if not self.log_probabilities:
            raise ValueError("a text without tokens has no mean log-probability")
        return self.total / len(self.log_probabilities)

    def as_dict(self) -> dict[str, float | int]:
        """sum and mean of the log-probabilities, and the number of tokens. Raises ValueError without tokens."""
        return {"sum": self.total, "mean": self.mean, "tokens": len(self.tokens)}


class SystemFault(Exception):
    """A system cannot serve a request: a library is missing, a server refuses. The message is shown to people."""


class MissingLibrary(SystemFault):
    """A library is not installed; the message says what to install."""


class MissingWeights(SystemFault):
    """A file of weights is not where it should be; the message lists the places searched."""


class Unavailable(SystemFault):
    """The system as a whole is unavailable (a server is down, a key is refused): the caller stops and can resume
    later. A fault of single requests is a plain SystemFault."""


class OutOfMemory(SystemFault):
    """A batch does not fit into memory. The caller halves the batch and continues."""


class System(Protocol):
    """A system of any role. `key` and `kind` as in its configuration.

    It may have `batch_size`, the preferred number of requests per call (int, default DEFAULT_BATCH), and `close()`,
    called before another system replaces it in the process.
    """

    key: str
    kind: str
    role: Role
    follows: Follows


class Generator(System, Protocol):
    def generate(self, batch: Sequence[Request]) -> list[Output]:
        """One output per request, in the same order. Raises SystemFault."""
        ...


class Scorer(System, Protocol):
    def score(self, batch: Sequence[Request]) -> list[TokenScores]:
        """Token log-probabilities of each request's `text` given its source, in the same order."""
        ...


class Ranker(System, Protocol):
    def rank(self, batch: Sequence[Request]) -> list[Output]:
        """Each output's `candidates` are the request's, best first, with their scores."""
        ...


class Transformer(System, Protocol):
    def transform(self, batch: Sequence[Request]) -> list[Output]:
        """Each output's `text` is the request's `text`, rewritten; in the same order. Raises SystemFault."""
        ...


class Judge(System, Protocol):
    def judge(self, batch: Sequence[Request], question: str, answers: Sequence[str]) -> list[Output]:
        """Each output's `text` is one of `answers`, or the system's own text (an invalid answer)."""
        ...


class Marker(Judge, Protocol):
    """A judge that can also mark errors in a text."""

    def mark(self, batch: Sequence[Request], question: str, kinds: ErrorKinds) -> list[Output]:
        """Each output's `text` is a JSON list of {"quote", "category", "severity"}, or the system's own text (an
        invalid answer)."""
        ...


def followed_values(follows: Follows, request: Request) -> dict[str, RequestValue]:
    """The requested values that a system can follow."""
    values: dict[str, RequestValue] = {}
    for key, value in request.values.items():
        if key in follows:
            known = follows[key]
            if known is None or (isinstance(value, str) and value in known):
                values[key] = value
    return values

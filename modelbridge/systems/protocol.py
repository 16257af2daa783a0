"""What every system takes and gives, whatever it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from annotation.schema import Schema

Role = Literal["generate", "rank", "score", "transform", "judge"]
ROLES: tuple[Role, ...] = ("generate", "rank", "score", "transform", "judge")

RequestValue = str | tuple[str, ...]
DEFAULT_BATCH = 8
Follows = Mapping[str, frozenset[str] | None]
"""Attribute key -> the values a system can follow; None: any value (topics, speakers). Absent: it ignores it."""


@dataclass(frozen=True)
class Request:
    """One thing that is wanted of a system for one sample.

    id: of the sample, opaque to the system. segments: {"speaker", "text"} of each sentence or turn of the source.
    values: what is asked for, by attribute key: a word of the schema, or a tuple of texts for picks (empty: none).
    seed: of this request alone, so that an output does not depend on what else stands in the batch.
    text: the text to score, rewrite or judge; candidates: the texts to rank. The reference is never part of it.
    """

    id: str
    segments: tuple[Mapping[str, str], ...]
    values: Mapping[str, RequestValue]
    schema: Schema
    seed: int = 0
    text: str | None = None
    candidates: tuple[str, ...] = ()

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
    """What a system gave for one request, with all that is needed to get it again.

    told: the values it was told, which are those it can follow. prompt: its input as one text, "" where there is none.
    decoding: the parameters of decoding. weights: SHA-256 of the weights, "" without any. versions: library -> version.
    truncated: how many of the source's tokens did not fit. seconds: its share of the batch's time.
    usage: tokens and cost of systems that are paid for. candidates: ranked texts with their scores.
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


class SystemFault(Exception):
    """A system cannot do what it was asked: a library is missing, a server refuses. In words for a person."""


class MissingLibrary(SystemFault):
    """A library is not installed; the message says what to install."""


class MissingWeights(SystemFault):
    """A file of weights is not where it should be; the message says where was looked."""


class Unavailable(SystemFault):
    """The system as a whole cannot go on now (a server is away, a key is refused): whoever runs it stops, and goes on
    later where it stopped. A fault of single requests is a plain SystemFault."""


class OutOfMemory(SystemFault):
    """A batch does not fit into memory. Whoever runs the system halves the batch and goes on."""


class System(Protocol):
    """A system of any role. `key` and `kind` as in its configuration.

    It may have `batch_size`, how many requests it likes at once (int, DEFAULT_BATCH where it says nothing), and
    `close()`, called before another system takes its place in the process.
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


class Judge(System, Protocol):
    def judge(self, batch: Sequence[Request], question: str, answers: Sequence[str]) -> list[Output]:
        """Each output's `text` is one of `answers`, or what the system said instead (an invalid answer)."""
        ...


def followed_values(follows: Follows, request: Request) -> dict[str, RequestValue]:
    """Those of the requested values that a system can follow."""
    values: dict[str, RequestValue] = {}
    for key, value in request.values.items():
        if key in follows:
            known = follows[key]
            if known is None or (isinstance(value, str) and value in known):
                values[key] = value
    return values

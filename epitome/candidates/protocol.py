"""The interface of topic extractors, and their lookup by name."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from spacy.language import Language

    from epitome.candidates.reading import SearchFault

Segments = Sequence[Mapping[str, Any]]
"""The segments of one source: {"speaker": ..., "text": ...}; speaker names are not topics and are not read."""

PKE_PREFIX = "pke:"


@dataclass(frozen=True, slots=True)
class TopicCandidate:
    """One topic of a source.

    text: words joined by one space, in the case of their first mention; a word that only opens its sentence is in lower
    case. (pke, and the published MACSum topics, are all in lower case.)
    score: the extractor's own weight; only its order within one source means anything.
    rank: 1 is the best. mentions: how often the topic occurs in the source.
    """

    text: str
    score: float
    rank: int
    mentions: int


class Extractor(Protocol):
    """Ranks the topics of sources. `key` and `version` are stored with every candidate."""

    @property
    def key(self) -> str: ...

    @property
    def version(self) -> str: ...

    def find_fault(self, segments: Segments) -> "SearchFault | None":
        """Why a source is not to be given to `extract`: it would take too long, or has next to nothing to search."""
        ...

    def extract(self, segments: Segments, n: int = 20) -> list[TopicCandidate]:
        """The best `n` topics of one source, best first; fewer when the source has fewer."""
        ...

    def extract_many(self, sources: Iterable[Segments], n: int = 20) -> Iterator[list[TopicCandidate]]:
        """The same for many sources, in their order; faster, because the pipeline processes them in batches."""
        ...


class ExtractorNotAvailable(Exception):
    """The extractor named by EPITOME_TOPIC_EXTRACTOR cannot be used; the message says why and what to do."""


def extractor_names() -> list[str]:
    """Every name `get_extractor` knows; those of pke work where the extra is installed."""
    from epitome.candidates.pke_extractor import METHODS

    return ["topicrank", *(PKE_PREFIX + name for name in METHODS)]


def get_extractor(name: str, nlp: "Language") -> Extractor:
    """The extractor called `name`, reading with `nlp` (epitome.text.pipeline, profile "topics").

    Raises ExtractorNotAvailable for an unknown name, and for pke where it is not installed.
    """
    from epitome.candidates.pke_extractor import METHODS, PkeExtractor
    from epitome.candidates.topicrank import TopicRank

    if name == "topicrank":
        return TopicRank(nlp)
    method = name.removeprefix(PKE_PREFIX)
    if name.startswith(PKE_PREFIX) and method in METHODS:
        return PkeExtractor(method, nlp)
    raise ExtractorNotAvailable(
        f"EPITOME_TOPIC_EXTRACTOR={name!r} is unknown; use one of {', '.join(extractor_names())}."
    )

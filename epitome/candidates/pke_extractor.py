"""Topic extraction with pke, if the extra is installed: `pke:topicrank`, `pke:multipartiterank` and others.

pke (GPL-3.0) is not on the package index and not part of this project. It reads the same Doc as our own extractor.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Any

from epitome.candidates.protocol import PKE_PREFIX, ExtractorNotAvailable, Segments, TopicCandidate
from epitome.candidates.reading import SearchFault, find_search_fault, tag_sources
from epitome.text.pipeline import pipeline_id

if TYPE_CHECKING:
    from spacy.language import Language

METHODS = {
    "topicrank": "TopicRank",
    "multipartiterank": "MultipartiteRank",
    "positionrank": "PositionRank",
    "singlerank": "SingleRank",
    "textrank": "TextRank",
}
"""Our name: pke's class."""


def _import_pke() -> Any:
    try:
        import pke
    except ImportError as error:
        raise ExtractorNotAvailable(
            f"pke cannot be used ({error}). Install the extra with: pip install 'epitome[pke]' - or in a checkout "
            "with: make install-pke - or set EPITOME_TOPIC_EXTRACTOR=topicrank for the built-in extractor."
        ) from error
    return pke


@dataclass(frozen=True, slots=True)
class PkeExtractor:
    """One of pke's ranking methods with pke's own defaults."""

    method: str
    nlp: "Language"

    def __post_init__(self) -> None:
        _import_pke()  # fail early, not in the middle of a job

    @property
    def key(self) -> str:
        return PKE_PREFIX + self.method

    @property
    def version(self) -> str:
        try:
            version = metadata.version("pke")
        except metadata.PackageNotFoundError:  # found on the path without being installed
            version = "unknown"
        return f"{version} {pipeline_id(self.nlp)}"

    def find_fault(self, segments: Segments) -> SearchFault | None:
        return find_search_fault(self.nlp, segments)

    def extract(self, segments: Segments, n: int = 20) -> list[TopicCandidate]:
        return next(self.extract_many([segments], n))

    def extract_many(self, sources: Iterable[Segments], n: int = 20) -> Iterator[list[TopicCandidate]]:
        for doc in tag_sources(self.nlp, sources):
            yield self.rank(doc, n)

    def rank(self, doc: Any, n: int = 20) -> list[TopicCandidate]:
        """Topics of a spaCy Doc that has parts of speech and sentences. `mentions` counts only the displayed phrase."""
        if not len(doc):
            return []
        model = getattr(_import_pke().unsupervised, METHODS[self.method])()
        model.load_document(input=doc, language=self.nlp.lang, stoplist=self.nlp.Defaults.stop_words)
        model.candidate_selection()
        if not model.candidates:
            return []
        model.candidate_weighting()
        by_text = {" ".join(c.surface_forms[0]).lower(): len(c.offsets) for c in model.candidates.values()}
        return [
            TopicCandidate(text=text, score=float(score), rank=rank, mentions=by_text.get(text, 1))
            for rank, (text, score) in enumerate(model.get_n_best(n=n), start=1)
        ]

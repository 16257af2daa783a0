"""Part-of-speech tags for texts that are already tokenised."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

_BATCH = 32  # texts per batch: larger batches need more memory and are no faster
_NEEDED = {"tok2vec", "transformer", "tagger"}


class Tagger(Protocol):
    """Gives Penn Treebank tags; `id` names the weights and goes into the signature."""

    @property
    def id(self) -> str: ...

    def tag(self, batch: Sequence[Sequence[str]]) -> list[list[str]]:
        """One tag for each token of each text in the batch."""
        ...


class NoTagger(ValueError):
    """The pipeline has no tagger, or none was given to a measure that needs one."""


class SpacyTagger:
    """The tagger of a spaCy pipeline, with its other components disabled."""

    def __init__(self, name: str | None = None) -> None:
        from epitome.text.pipeline import load_pipeline, pipeline_id

        self._nlp = load_pipeline(name)
        self.id = pipeline_id(self._nlp)
        if "tagger" not in self._nlp.pipe_names:
            raise NoTagger(f"the spaCy pipeline {self.id} has no tagger, so specificity cannot be measured with it")
        self._others = [pipe_name for pipe_name in self._nlp.pipe_names if pipe_name not in _NEEDED]

    def tag(self, batch: Sequence[Sequence[str]]) -> list[list[str]]:
        """Penn tags, shape as `batch`. Tokens are used as given, never tokenised again."""
        from spacy.tokens import Doc

        docs = [Doc(self._nlp.vocab, words=list(words)) for words in batch]
        return [[token.tag_ for token in doc] for doc in self._nlp.pipe(docs, disable=self._others, batch_size=_BATCH)]


@lru_cache(maxsize=4)
def spacy_tagger(name: str | None = None) -> Tagger:
    """The tagger of the pipeline called `name` (default: the shipped one); cached for the life of the process.

    Raises NoTagger, epitome.text.pipeline.PipelineNotFound.
    """
    return SpacyTagger(name)

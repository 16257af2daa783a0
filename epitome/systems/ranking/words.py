"""Words of texts as the features of rankings read them: lower-case, without punctuation and stop words."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from epitome.measures.stopwords import STOP_WORDS
from epitome.text.pipeline import load_pipeline, pipeline_id

LEMMAS_NEED = {
    "tok2vec",
    "transformer",
    "tagger",
    "morphologizer",
    "attribute_ruler",
    "lemmatizer",
    "trainable_lemmatizer",
}


def content_words(text: str) -> tuple[str, ...]:
    """The words of a text as written, in order, with repetition."""
    doc = load_pipeline().make_doc(text)
    return tuple(word for token in doc if (word := _content_word(token.text, token.is_punct or token.is_space)))


def content_lemmas(texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The lemmas of each text's words; a stop word is one by its own form or by its lemma."""
    return [_lemmas_of(text) for text in texts]


@lru_cache(maxsize=4096)
def _lemmas_of(text: str) -> tuple[str, ...]:
    nlp = load_pipeline()
    unneeded = [name for name in nlp.pipe_names if name not in LEMMAS_NEED]
    with nlp.select_pipes(disable=unneeded):
        doc = nlp(text)
    return tuple(lemma for token in doc if (lemma := _lemma_of(token)))


def _lemma_of(token: Any) -> str:
    if not _content_word(token.text, token.is_punct or token.is_space):
        return ""
    return _content_word(token.lemma_ or token.text, False)


def _content_word(text: str, is_mark: bool) -> str:
    """ "" for a stop word, or what holds neither letter nor digit."""
    word = text.lower().strip()
    if is_mark or word in STOP_WORDS or not any(map(str.isalnum, word)):
        return ""
    return word


def lemmatizer_id() -> str:
    """Name, version and hash of the pipeline that gives the lemmas."""
    return pipeline_id(load_pipeline())

"""Closeness of meaning by sentence vectors: of a text to its reference and source, and the support of its sentences.

None of these is a measure of MACSum or CCSBench. They say how near texts are, not whether what they say is true: a text
with a wrong number or name is nearly as near as the right one (docs/metrics.md has the figures).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from epitome.measures import ENGLISH, Signature, Value
from epitome.text.sentences import split_sentences

if TYPE_CHECKING:
    from epitome.metrics.sentence_vectors import SentenceEncoder, Vectors

VERSION = "1"
KEYS = ("similarity.reference", "similarity.source", "sentence_support")
NO_TEXT = Value.none("the text is empty")
NO_REFERENCE = Value.none("there is no reference")
NO_SOURCE = Value.none("there is no source")


def explain_refusal(language: str) -> str:
    """Why texts in a language have no such number; "" where they have one."""
    is_english = language.lower().partition("-")[0] == ENGLISH
    return "" if is_english else f"the model of semantic measures reads English, not {language}"


def semantic_signature(key: str, encoder: SentenceEncoder) -> Signature:
    """What reproduces one of KEYS: the model with its package and the hash of its weights."""
    return Signature(key, VERSION).with_(model=encoder.name, sha256=encoder.sha256)


def list_sentences(text: str) -> list[str]:
    """The sentences of a text, blank ones left out."""
    return [text[start:end] for start, end in split_sentences(text, "release") if text[start:end].strip()]


def reference_similarities(
    encoder: SentenceEncoder, texts: Sequence[str], references: Sequence[str | None]
) -> list[Value]:
    """Cosine of each text and its reference, -1 to 1; undefined where one of them is missing or empty."""
    vectors = encoder.encode([*texts, *(reference or "" for reference in references)])
    cosines = np.sum(vectors[: len(texts)] * vectors[len(texts) :], axis=1)
    return [
        NO_TEXT if not text.strip() else Value.of(float(cosine)) if (reference or "").strip() else NO_REFERENCE
        for text, reference, cosine in zip(texts, references, cosines, strict=True)
    ]


def source_scores(
    encoder: SentenceEncoder, texts: Sequence[str], sources: Sequence[Sequence[str]]
) -> tuple[list[Value], list[Value]]:
    """(similarity to the source, sentence support) of each text, -1 to 1. sources: the lines of each text's source.

    The vector of a source is the mean of its sentences' vectors, as the model reads 256 tokens of a text at most. The
    support of a text is the mean over its sentences of the cosine with the nearest sentence of the source.
    """
    sentences_of = {lines: _list_all_sentences(lines) for lines in dict.fromkeys(map(tuple, sources))}
    pieces = [list_sentences(text) for text in texts]
    needed = [*texts, *(piece for row in [*pieces, *sentences_of.values()] for piece in row)]
    distinct = list(dict.fromkeys(needed))
    vectors = encoder.encode(distinct)
    places = {text: place for place, text in enumerate(distinct)}

    def rows_of(listed: Sequence[str]) -> Vectors:
        return vectors[[places[text] for text in listed]]

    similarities, supports = [], []
    for text, own_sentences, lines in zip(texts, pieces, sources, strict=True):
        sentences = sentences_of[tuple(lines)]
        if not own_sentences or not sentences:
            missing = NO_TEXT if not own_sentences else NO_SOURCE
            similarities.append(missing)
            supports.append(missing)
            continue
        source_rows = rows_of(sentences)
        centre = source_rows.mean(axis=0)
        similarities.append(Value.of(float(rows_of([text])[0] @ centre / max(np.linalg.norm(centre), 1e-9))))
        supports.append(Value.of(float((rows_of(own_sentences) @ source_rows.T).max(axis=1).mean())))
    return similarities, supports


def _list_all_sentences(lines: Sequence[str]) -> list[str]:
    return [sentence for line in lines for sentence in list_sentences(line)]

"""How much of a summary's wording occurs in its source: extractiveness (Ext), novelty, copied runs, compression."""

from __future__ import annotations

from collections.abc import Sequence

from epitome.measures.copying import Place, Run, copied_runs
from epitome.measures.source import SourceIndex, build_ngrams, plain_words
from epitome.measures.values import Profile, Value
from epitome.text.words import n_words

__all__ = ["Place", "Run", "compression", "copied_runs", "extractiveness", "length_ratio", "ngram_precision", "novelty"]


def ngram_precision(text: str, source: SourceIndex, n: int, profile: Profile = "release") -> Value:
    """Share of the text's distinct n-grams that occur in the source, 0 to 1; undefined where it has no n-gram.

    Words as `plain_words` cuts them; release: the word "</s>" separates the turns of a dialogue. Raises ValueError for
    n < 1.
    """
    share = _gram_precision(plain_words(text, profile), source, n, profile)
    return Value.none(f"the text has no {n}-gram") if share is None else Value.of(share)


def extractiveness(text: str, source: SourceIndex, profile: Profile = "release") -> float:
    """f_Ext: mean of the 2-gram and the 3-gram precision, 0 to 1; a precision without n-grams counts as 0.

    Source: MACSum (ROUGE-2 and ROUGE-3 precision against the source), as its authors' released code computes it.
    """
    words = plain_words(text, profile)
    return (
        (_gram_precision(words, source, 2, profile) or 0.0) + (_gram_precision(words, source, 3, profile) or 0.0)
    ) / 2


def _gram_precision(words: Sequence[str], source: SourceIndex, n: int, profile: Profile) -> float | None:
    text_grams = set(build_ngrams(words, n))
    return len(text_grams & source.grams(n, profile)) / len(text_grams) if text_grams else None


def novelty(text: str, source: SourceIndex, n: int, profile: Profile = "release") -> Value:
    """Share of the text's distinct n-grams that do not occur in the source; undefined where it has no n-gram."""
    precision = ngram_precision(text, source, n, profile)
    return precision if precision.value is None else Value.of(1 - precision.value)


def compression(text: str, source: SourceIndex) -> Value:
    """Source words / summary words (no speaker names); undefined for an empty summary."""
    words = n_words(text)
    return Value.of(source.n_words / words) if words else Value.none("the summary is empty")


def length_ratio(n_words: int, relevant_words: int) -> Value:
    """Summary words / words of the relevant segments; undefined without relevant words."""
    return Value.of(n_words / relevant_words) if relevant_words > 0 else Value.none("no relevant words")

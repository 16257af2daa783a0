"""ROUGE of a prediction against its reference: the numbers of Google's `rouge-score`, by a compiled library.

`rouge_score_rs` (Apache-2.0) gives the same floats as `rouge-score` 0.1.2 with the same tokeniser (lower-cased runs of
a-z and 0-9) and the same Porter stemmer (words of more than three letters). Where it is not installed, `rouge_score`
itself is used. Other scripts have no tokens in either, and "für" would be "f" and "r": for texts in other languages the
tokens are words of all letters, as `split_words` cuts them, in lower case and without stemming.
Source: Lin (2004), "ROUGE: A Package for Automatic Evaluation of Summaries".
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module, metadata
from typing import Literal, NamedTuple, Protocol

from epitome.measures import ENGLISH, Signature, Value
from epitome.measures.length import TOKENISER, list_sentences
from epitome.measures.overlap import ngram_precision
from epitome.text.scripts import is_latin
from epitome.text.words import split_words

__all__ = ["KINDS", "LsumSplit", "Score", "ngram_precision", "rouge", "rouge_f", "rouge_signature", "rouge_values"]

KINDS = ("rouge1", "rouge2", "rougeL")
VERSION = "1"
LIBRARIES = ("rouge_score_rs", "rouge_score")

LsumSplit = Literal["lines", "sentences"]

# What one pair may cost, in pairs of words: the longest common subsequence compares every word with every word (about
# a second at the limit), and rougeLsum keeps the whole table of one pair of sentences (four bytes each).
MAX_COMPARED = 2_000_000_000
MAX_TABLE = 50_000_000
# Pairs between two reports of progress.
COUNTED = 100

_KIND = re.compile(r"rouge(?:[1-9]|L|Lsum)")
_TOKEN = re.compile(r"[A-Za-z0-9]+")
UNICODE_WORDS = "unicode+icu"
NO_ENGLISH_WORDS = (
    "ROUGE of English has words of a-z and 0-9 alone, and the reference is in another script: give the texts' language"
)


class Score(NamedTuple):
    """Precision, recall and their harmonic mean, each a share from 0 to 1."""

    precision: float
    recall: float
    fmeasure: float


class Scorer(Protocol):
    """What both libraries have in common."""

    def score(self, target: str, prediction: str) -> Mapping[str, tuple[float, float, float]]: ...


def _find_library() -> str:
    for name in LIBRARIES:
        try:
            import_module(name)
        except ImportError:
            continue
        return name
    raise ImportError(f"ROUGE needs one of {', '.join(LIBRARIES)}: pip install rouge-score-rs")


def _build_scorer(kinds: Sequence[str], use_stemmer: bool) -> Scorer:
    for kind in kinds:
        if not _KIND.fullmatch(kind):
            raise ValueError(f"{kind!r} is no kind of ROUGE: give rouge1 to rouge9, rougeL or rougeLsum")
    module = import_module(f"{_find_library()}.rouge_scorer")
    scorer: Scorer = module.RougeScorer(list(kinds), use_stemmer=use_stemmer)
    return scorer


def _check_size(place: int, reference: str, prediction: str, kinds: Sequence[str]) -> None:
    limit = MAX_TABLE if "rougeLsum" in kinds else MAX_COMPARED if "rougeL" in kinds else 0
    # A word and the gap after it are at least two characters, so short texts need no counting.
    if not limit or (len(reference) + 1) * (len(prediction) + 1) <= 4 * limit:
        return
    sizes = len(_TOKEN.findall(reference)), len(_TOKEN.findall(prediction))
    if sizes[0] * sizes[1] > limit:
        raise ValueError(
            f"pair {place}: {sizes[0]} reference words by {sizes[1]} prediction words are too many for "
            f"{'rougeLsum' if 'rougeLsum' in kinds else 'rougeL'} (at most {limit} pairs of words): shorten the texts"
        )


def _checked_pairs(
    references: Sequence[str], predictions: Sequence[str], kinds: Sequence[str], lsum_split: LsumSplit
) -> Iterator[tuple[str, str]]:
    if len(references) != len(predictions):
        raise ValueError(f"{len(references)} references and {len(predictions)} predictions: give one of each per pair")
    for position, pair in enumerate(zip(references, predictions, strict=True), 1):
        for name, text in zip(("reference", "prediction"), pair, strict=True):
            if not isinstance(text, str):
                raise TypeError(f"pair {position}: the {name} is {text!r:.60}, not a text")
        _check_size(position, *pair, kinds)
        if lsum_split == "sentences":
            yield "\n".join(list_sentences(pair[0])), "\n".join(list_sentences(pair[1]))
        else:
            yield pair


def rouge(
    references: Sequence[str],
    predictions: Sequence[str],
    kinds: Sequence[str] = KINDS,
    *,
    use_stemmer: bool = True,
    lsum_split: LsumSplit = "lines",
    language: str = ENGLISH,
) -> dict[str, list[Score | None]]:
    """Precision, recall and F of every pair, by kind.

    references, predictions: texts, one of each per pair, in the same order.
    kinds: rouge1 to rouge9 (n-grams, counted with repetition), rougeL (longest common subsequence of the whole texts),
        rougeLsum (of each line of the reference with all lines of the prediction, as a union).
    use_stemmer: Porter-stem words of more than three letters. Which setting published MACSum numbers used is unknown.
    lsum_split: what a line is to rougeLsum: the text's own lines, or its sentences (other kinds ignore it).
    language: of the texts; other than English: words of all letters, not stemmed.
    Returns {kind: one Score per pair}, shares from 0 to 1; an empty text, or one without a word, scores 0. None for
    a reference in another script where the language is English: its words would be lost. Runs on one core.
    Raises ValueError (unknown kind, counts that differ, texts too long to compare), TypeError (not a text),
    ImportError (neither library is installed).
    Source: Lin (2004); the floats are those of rouge-score 0.1.2.
    """
    rows = _score_pairs(references, predictions, kinds, use_stemmer, lsum_split, language)
    return {kind: [Score(*row[kind]) if row is not None else None for row in rows] for kind in kinds}


def _score_pairs(
    references: Sequence[str],
    predictions: Sequence[str],
    kinds: Sequence[str],
    use_stemmer: bool,
    lsum_split: LsumSplit,
    language: str,
    advance: Callable[[int], None] = lambda n: None,
) -> list[Mapping[str, tuple[float, float, float]] | None]:
    pairs = _count_pairs(_checked_pairs(references, predictions, kinds, lsum_split), advance)
    if has_ascii_words(language):
        scorer = _build_scorer(kinds, use_stemmer)
        return [scorer.score(*pair) if is_latin(pair[0]) else None for pair in pairs]
    scorer, codes = _build_scorer(kinds, use_stemmer=False), dict[str, str]()
    return [scorer.score(*(_write_codes(text, codes) for text in pair)) for pair in pairs]


def _count_pairs(pairs: Iterator[tuple[str, str]], advance: Callable[[int], None]) -> Iterator[tuple[str, str]]:
    for number, pair in enumerate(pairs, 1):
        yield pair
        if not number % COUNTED:
            advance(COUNTED)


def has_ascii_words(language: str) -> bool:
    """Whether ROUGE of this language takes runs of a-z and 0-9 for words, as published numbers of English do."""
    return language.lower().partition("-")[0] == ENGLISH


def list_rouge_words(text: str, language: str = ENGLISH) -> list[str]:
    """The words that ROUGE compares, before stemming."""
    if has_ascii_words(language):
        return _TOKEN.findall(text.lower())
    import regex

    words: list[str] = regex.findall(r"[\p{L}\p{M}\p{N}_]+", " ".join(split_words(text)).lower())
    return words


def _write_codes(text: str, codes: dict[str, str]) -> str:
    """Each word as a code of ASCII letters, equal for equal words, so that the library compares words of any script."""
    lines = (list_rouge_words(line, "") for line in text.split("\n"))
    return "\n".join(" ".join(codes.setdefault(word, f"w{len(codes)}") for word in line) for line in lines)


def rouge_f(
    references: Sequence[str],
    predictions: Sequence[str],
    kinds: Sequence[str] = KINDS,
    *,
    use_stemmer: bool = True,
    lsum_split: LsumSplit = "lines",
    language: str = ENGLISH,
    advance: Callable[[int], None] = lambda n: None,
) -> dict[str, list[float | None]]:
    """The F values of `rouge`, by kind: from 0 to 1 or None, one per pair. Same arguments and errors as `rouge`.

    advance: called with the number of pairs scored since the last call.
    """
    rows = _score_pairs(references, predictions, kinds, use_stemmer, lsum_split, language, advance)
    return {kind: [row[kind][2] if row is not None else None for row in rows] for kind in kinds}


def rouge_values(
    references: Sequence[str],
    predictions: Sequence[str],
    kinds: Sequence[str] = KINDS,
    *,
    use_stemmer: bool = True,
    lsum_split: LsumSplit = "lines",
    language: str = ENGLISH,
    advance: Callable[[int], None] = lambda n: None,
) -> dict[str, list[Value]]:
    """`rouge_f` with the reason where there is no number."""
    shares = rouge_f(
        references,
        predictions,
        kinds,
        use_stemmer=use_stemmer,
        lsum_split=lsum_split,
        language=language,
        advance=advance,
    )
    missing = Value.none(NO_ENGLISH_WORDS)
    return {kind: [missing if f is None else Value.of(f) for f in values] for kind, values in shares.items()}


def rouge_signature(
    kinds: Sequence[str] = KINDS,
    *,
    use_stemmer: bool = True,
    lsum_split: LsumSplit = "lines",
    language: str = ENGLISH,
) -> Signature:
    """What reproduces the numbers: kinds, stemmer, library and version, the words of other languages (and what a line
    is to rougeLsum)."""
    library = _find_library()
    is_stemmed = use_stemmer and has_ascii_words(language)
    options = [
        ("by", f"{library}-{metadata.version(library)}"),
        ("kinds", "+".join(kinds)),
        ("stemmer", "porter" if is_stemmed else "none"),
    ]
    if not has_ascii_words(language):
        options.append(("words", UNICODE_WORDS))
    if "rougeLsum" in kinds:
        options.append(("lsum", lsum_split))
        if lsum_split == "sentences":
            options.append(("sentences", TOKENISER))
    return Signature("rouge", VERSION, tuple(sorted(options)))

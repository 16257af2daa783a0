"""How near texts are to their references and sources, and what a source adds to their probability, with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, cast

from epitome.measures import ENGLISH, Value
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.draws import Draws
from epitome.metrics.public.texts import SourceText, check_counts, number_sources, split_lines
from epitome.results import Score, Scores, score_of

if TYPE_CHECKING:
    from epitome.measures import Signature
    from epitome.metrics.sentence_vectors import SentenceEncoder
    from epitome.metrics.source_gain_scores import TextScorer
    from epitome.systems.protocol import Request


def semantic(
    texts: Sequence[str],
    *,
    references: Sequence[str] | None = None,
    sources: Sequence[SourceText] | None = None,
    language: str = ENGLISH,
    clusters: Sequence[Hashable] | None = None,
    encoder: SentenceEncoder | None = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """Means of `similarity.reference` (with references), `similarity.source` and `sentence_support` (with sources).

    Cosines from -1 to 1 of vectors by all-MiniLM-L6-v2: of a text and its reference, of a text and the mean of its
    source's sentences, and of each sentence of a text and the nearest of its source. One entry per text. clusters: what
    belongs together in intervals, by default equal sources. encoder: another model, see
    `epitome.metrics.sentence_vectors.read_encoder`. Undefined in other languages than English. Raises ValueError:
    neither references nor sources, or not one per text; NoEncoder, an ImportError: the model is not installed.
    """
    from epitome.metrics.semantic_scores import KEYS, explain_refusal, reference_similarities, source_scores
    from epitome.metrics.sentence_vectors import load_encoder

    if references is None and sources is None:
        raise ValueError("give references, sources or both")
    check_counts(texts=texts, **{"references": references} if references is not None else {})
    check_counts(texts=texts, **{"sources": sources} if sources is not None else {})
    model = encoder or load_encoder()
    refused = [Value.none(reason)] * len(texts) if (reason := explain_refusal(language)) else None
    values: dict[str, list[Value]] = {}
    if references is not None:
        values[KEYS[0]] = refused or reference_similarities(model, texts, references)
    if sources is not None:
        pair = (refused, refused) if refused else source_scores(model, texts, [split_lines(text) for text in sources])
        values |= dict(zip(KEYS[1:], pair, strict=True))
    draws = Draws(_clusters_of(clusters, sources), replicates, seed)
    scores = {key: _mean_score(key, rows, model, draws) for key, rows in values.items()}
    signature = f"model:{model.name}|sha256:{model.sha256}"
    return Scores(f"Semantic measures, texts: {len(texts)}", scores, signature, notes=(LIMIT,))


LIMIT = "nearness of meaning, not truth: a text with a wrong number or name is nearly as near as the right one"


def _mean_score(key: str, values: Sequence[Value], encoder: SentenceEncoder, draws: Draws) -> Score:
    from epitome.metrics.semantic_scores import semantic_signature

    return _score(key, values, semantic_signature(key, encoder), draws)


def _score(key: str, values: Sequence[Value], signature: Signature, draws: Draws) -> Score:
    from epitome.metrics.aggregate import aggregate_values

    aggregate = aggregate_values(
        values, draws.clusters, signature=signature, replicates=draws.replicates, seed=draws.seed
    )
    return score_of(key, aggregate)


def _clusters_of(
    clusters: Sequence[Hashable] | None, sources: Sequence[SourceText] | None
) -> Sequence[Hashable] | None:
    return clusters if clusters is not None or sources is None else number_sources(sources)


def source_gain(
    texts: Sequence[str],
    sources: Sequence[SourceText],
    scorer: TextScorer | str,
    *,
    clusters: Sequence[Hashable] | None = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """The mean `source_gain`: log P(text given its source) - log P(text), in nats per token, by a scorer.

    scorer: a system of the kind causal-scorer or seq2seq-scorer, or the path of its configuration. Above 0, a source
    makes its text more probable; only numbers of one scorer are comparable. clusters as in `semantic`. Raises
    ValueError: not one source per text; SystemFault: no scorer, weights that cannot be loaded, a text too long.
    """
    from epitome.metrics.source_gain_scores import KEY, source_gain_signature, source_gains

    check_counts(texts=texts, sources=sources)
    model = load_scorer(scorer) if isinstance(scorer, str) else scorer
    values = source_gains(model, build_plain_requests(texts, [split_lines(source) for source in sources]))
    signature = source_gain_signature(model)
    draws = Draws(_clusters_of(clusters, sources), replicates, seed)
    scores = {KEY: _score(KEY, values, signature, draws)}
    return Scores(f"Source gain, texts: {len(texts)}", scores, str(signature))


def load_scorer(key_or_path: str) -> TextScorer:
    """The scorer of a configuration. Raises SchemaError; SystemFault: another role, weights that cannot be loaded."""
    from epitome.systems.protocol import SystemFault
    from epitome.systems.registry import make_system_by_key
    from epitome.systems.roles import traits_of

    system = make_system_by_key(key_or_path)
    if not traits_of(system.role).scores:
        raise SystemFault(f"{system.key} scores no texts: its role is {system.role}; name a causal-scorer")
    return cast("TextScorer", system)


def build_plain_requests(texts: Sequence[str], sources: Sequence[tuple[str, ...]]) -> list[Request]:
    """Requests that name no value, so that a prompt holds the source alone."""
    from epitome.schema import load_preset
    from epitome.systems.protocol import Request

    schema = load_preset("macsum-doc")
    return [
        Request(str(place), tuple({"speaker": "", "text": line} for line in lines), {}, schema, text=text)
        for place, (text, lines) in enumerate(zip(texts, sources, strict=True))
    ]

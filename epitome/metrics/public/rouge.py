"""ROUGE with intervals."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from epitome.measures import ENGLISH
from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.draws import Draws, mean_of
from epitome.metrics.public.texts import check_counts
from epitome.metrics.rouge_scores import KINDS, VERSION, LsumSplit, rouge_signature, rouge_values
from epitome.results import Scores, score_of
from epitome.terminal_progress import show_long_progress


def rouge(
    references: Sequence[str],
    predictions: Sequence[str],
    kinds: Sequence[str] = KINDS,
    *,
    use_stemmer: bool = True,
    lsum_split: LsumSplit = "lines",
    language: str = ENGLISH,
    clusters: Sequence[Hashable] | None = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """Mean F of ROUGE, 0 to 1, by kind: rouge1 to rouge9, rougeL, rougeLsum; the numbers of Google's rouge-score.

    references, predictions: one text of each per pair. clusters: what belongs together, such as the source of every
    pair; intervals draw whole clusters, by default pairs. language: of the texts; in other languages than English words
    are of all letters and not stemmed. Pairs whose reference is in another script than the language's are left out and
    counted. From 10,000 pairs on progress goes to standard error. Raises ValueError, TypeError, ImportError as
    `epitome.metrics.rouge_scores.rouge`.
    """
    check_counts(references=references, predictions=predictions)
    with show_long_progress("ROUGE", len(references)) as advance:
        shares = rouge_values(
            references,
            predictions,
            kinds,
            use_stemmer=use_stemmer,
            lsum_split=lsum_split,
            language=language,
            advance=advance,
        )
    draws = Draws(clusters, replicates, seed)
    scores = {}
    for kind in kinds:
        options = dict(
            rouge_signature([kind], use_stemmer=use_stemmer, lsum_split=lsum_split, language=language).options
        )
        scores[kind] = score_of(kind, mean_of("rouge", VERSION, shares[kind], draws, **options))
    signature = rouge_signature(kinds, use_stemmer=use_stemmer, lsum_split=lsum_split, language=language)
    drawn = signature.with_(n=len(references), replicates=replicates, seed=seed)
    return Scores(f"ROUGE F, pairs: {len(references)}", scores, str(drawn))

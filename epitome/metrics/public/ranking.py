"""Rankings of candidates: MAP, R@k, MRR, P@k, NDCG@k."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from epitome.metrics.bootstrap import DEFAULT_REPLICATES, DEFAULT_SEED
from epitome.metrics.draws import Draws
from epitome.metrics.ranking import Scored, rank_report
from epitome.results import Scores, score_of


def rank(
    lists: Sequence[Mapping[str, Any]],
    k: int = 10,
    *,
    clusters: Sequence[Hashable] | None = None,
    replicates: int = DEFAULT_REPLICATES,
    seed: int = DEFAULT_SEED,
) -> Scores:
    """How well scored lists put their golds first, 0 to 1, higher is better.

    lists: one mapping per list with `scores` (numbers, higher is better), `gold` (true/false per candidate), and
        optionally `id` and `n_gold` (all golds, where the list lacks some). Without gold it is left out and counted.
    k: of R@k, P@k and NDCG@k. Ties count by their mean over all orders. replicates, seed: of the intervals.
    Returns `map`, `recall@k`, `mrr`, `precision@k`, `ndcg@k`. Raises ValueError with the list's position.
    """
    scored = [_read_list(index, row) for index, row in enumerate(lists)]
    report = rank_report(scored, k, Draws(clusters, replicates, seed))
    names = {"ap": "map", "recall": f"recall@{k}", "rr": "mrr", "precision": f"precision@{k}", "ndcg": f"ndcg@{k}"}
    scores = {names[name]: score_of(names[name], cell) for name, cell in report.items()}
    return Scores(f"Ranking, lists: {len(scored)}", scores, scores["map"].signature)


def _read_list(place: int, row: Mapping[str, Any]) -> Scored:
    for name in ("scores", "gold"):
        if not isinstance(row.get(name), Sequence) or isinstance(row[name], str):
            raise ValueError(f"list {place}: {name} is {row.get(name)!r:.60}; give one entry per candidate")
    for score in row["scores"]:
        if isinstance(score, bool) or not isinstance(score, int | float):
            raise ValueError(f"list {place}: the score {score!r:.60} is not a number")
    if not all(isinstance(mark, bool) or mark in (0, 1) for mark in row["gold"]):
        raise ValueError(f"list {place}: gold holds something else than true and false")
    if not isinstance(row.get("n_gold", 0), int | None):
        raise ValueError(f"list {place}: n_gold is {row['n_gold']!r:.60}, not a whole number")
    key = str(row.get("id", place))
    return Scored(key, list(map(float, row["scores"])), list(map(bool, row["gold"])), row.get("n_gold"))

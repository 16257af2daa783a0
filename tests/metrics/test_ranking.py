"""Ranking metrics against hand-worked values, scikit-learn, exact expectations and TESA's random row."""

import math
import random
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from epitome.metrics.draws import Draws
from epitome.metrics.published import load_tables
from epitome.metrics.ranking import (
    METRICS,
    Instance,
    Scored,
    TooManyGolds,
    average_precision,
    chance_level,
    list_metrics,
    ndcg_at,
    precision_at,
    rank_report,
    ranking_lists,
    recall_at,
    reciprocal_rank,
)

FEW = Draws(replicates=20)
RANKED = st.integers(1, 24).flatmap(lambda size: st.sets(st.integers(1, size), min_size=1).map(lambda s: (size, s)))


@pytest.mark.parametrize(
    ("ranks", "n_gold", "expected"),
    [
        ([1, 3, 5], None, 0.7556),  # (1 + 2/3 + 3/5) / 3
        ([2, 4], None, 0.5),
        ([1, 2, 3], None, 1.0),
        ([24], None, 1 / 24),
        ([1], 2, 0.5),  # one of two golds found
        ([], 3, 0.0),
    ],
)
def test_average_precision(ranks, n_gold, expected):
    assert float(average_precision(ranks, n_gold)) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(("ranks", "expected"), [([2, 4], 0.5), ([5], 0.2), ([4, 1], 1.0)])
def test_reciprocal_rank_takes_the_best_gold(ranks, expected):
    assert float(reciprocal_rank(ranks)) == expected


def test_recall_precision_and_ndcg_by_hand():
    ranks = [1, 3, 12]
    assert float(recall_at(ranks, 10)) == pytest.approx(2 / 3)
    assert float(recall_at(ranks, 1)) == pytest.approx(1 / 3)
    assert float(recall_at(ranks, 10, n_gold=4)) == pytest.approx(2 / 4)
    assert float(precision_at(ranks, 10)) == pytest.approx(0.2)
    assert float(precision_at(ranks, 2)) == pytest.approx(0.5)
    # (1/log2 2 + 1/log2 4) / (1/log2 2 + 1/log2 3 + 1/log2 4) = 1.5 / 2.130930
    assert float(ndcg_at(ranks, 10)) == pytest.approx(1.5 / 2.130930, abs=1e-6)
    assert float(ndcg_at(ranks, 1)) == 1.0
    assert float(ndcg_at([3], 1)) == 0.0


def test_no_gold_is_undefined():
    for value in (
        average_precision([]),
        recall_at([], 10),
        reciprocal_rank([]),
        precision_at([], 10),
        ndcg_at([], 10),
    ):
        assert (value.value, value.undefined) == (None, "no gold candidate")
    assert float(reciprocal_rank([], n_gold=2)) == 0.0  # golds there are, but none was found


def test_nonsense_ranks_are_refused():
    for ranks, n_gold in (([0], None), ([2, 2], None), ([1, 2], 1)):
        with pytest.raises(ValueError, match="give distinct ranks from 1, at most one per gold"):
            average_precision(ranks, n_gold)
    with pytest.raises(ValueError, match="k is 0: give 1 or more"):
        recall_at([1], 0)


@given(RANKED, st.integers(1, 24))
def test_metrics_equal_scikit_learn(ranked, k):
    from sklearn.metrics import average_precision_score, ndcg_score

    size, ranks = ranked
    gold = np.array([rank in ranks for rank in range(1, size + 1)], dtype=float)
    scores = -np.arange(size, dtype=float)
    assert float(average_precision(sorted(ranks))) == pytest.approx(average_precision_score(gold, scores))
    if size > 1:
        assert float(ndcg_at(sorted(ranks), k)) == pytest.approx(ndcg_score([gold], [scores], k=k))


@given(RANKED)
def test_average_precision_is_in_range_and_one_only_when_perfect(ranked):
    _, ranks = ranked
    value = float(average_precision(list(ranks)))
    assert 0 < value <= 1
    assert (value == 1) == (ranks == set(range(1, len(ranks) + 1)))
    assert float(reciprocal_rank(list(ranks))) >= value / len(ranks)


def mean_over_orders(scored: Scored, k: int) -> dict[str, float]:
    """The metrics of every order of the candidates that the scores allow, averaged: by brute force."""
    n_gold = sum(scored.gold) if scored.n_gold is None else scored.n_gold
    orders = []
    for order in permutations(range(len(scored.scores))):
        ranked = [scored.scores[place] for place in order]
        if ranked == sorted(ranked, reverse=True):
            ranks = [rank for rank, place in enumerate(order, 1) if scored.gold[place]]
            orders.append(
                {
                    "ap": float(average_precision(ranks, n_gold)),
                    "recall": float(recall_at(ranks, k, n_gold)),
                    "rr": float(reciprocal_rank(ranks, n_gold)),
                    "precision": float(precision_at(ranks, k, n_gold)),
                    "ndcg": float(ndcg_at(ranks, k, n_gold)),
                }
            )
    return {name: float(np.mean([metrics[name] for metrics in orders])) for name in METRICS}


def as_floats(metrics):
    return {name: float(value) for name, value in metrics.items()}


LISTS = st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6)


@given(LISTS, st.integers(1, 7), st.integers(0, 2))
def test_metrics_of_ties_are_the_mean_over_all_their_orders(places, k, elsewhere):
    scores, gold = zip(*places, strict=True)
    scored = Scored("x", scores, gold, n_gold=sum(gold) + elsewhere)
    if not scored.n_gold:
        assert not list_metrics(scored, k)["ap"].defined
        return
    assert as_floats(list_metrics(scored, k)) == pytest.approx(mean_over_orders(scored, k))


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=24), st.data())
def test_the_order_of_the_file_does_not_matter(scores, data):
    gold = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    shuffled = data.draw(st.permutations(range(len(scores))))
    first = list_metrics(Scored("a", scores, gold, 24))
    second = list_metrics(Scored("b", [scores[i] for i in shuffled], [gold[i] for i in shuffled], 24))
    assert as_floats(first) == pytest.approx(as_floats(second))


@given(st.lists(st.integers(-50, 50), min_size=2, max_size=24, unique=True), st.data())
def test_without_ties_the_metrics_are_those_of_the_ranks(scores, data):
    gold = data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)).filter(any))
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    ranks = [rank for rank, place in enumerate(order, 1) if gold[place]]
    result = as_floats(list_metrics(Scored("a", scores, gold), k=10))
    assert result["ap"] == pytest.approx(float(average_precision(ranks)))
    assert result["rr"] == pytest.approx(float(reciprocal_rank(ranks)))
    assert result["ndcg"] == pytest.approx(float(ndcg_at(ranks, 10)))


@pytest.mark.parametrize(("n_gold", "size", "k"), [(1, 1, 1), (3, 24, 10), (6, 24, 10), (4, 8, 10), (24, 24, 5)])
def test_a_constant_scorer_gets_exactly_the_chance_level(n_gold, size, k):
    gold = [place < n_gold for place in range(size)]
    metrics = list_metrics(Scored("x", [0.5] * size, gold), k)
    assert as_floats(metrics) == pytest.approx(chance_level(n_gold, size, k), abs=1e-12)


def test_a_mostly_tied_ranker_does_not_move_with_the_seed():
    draw = random.Random(0)
    lists = [
        Scored(str(n), [1.0] + [0.0] * 23, draw.sample([True] * 3 + [False] * 21, 24)) for n in range(40)
    ]  # one candidate at the top, the other 23 tied
    first, second = (rank_report(lists, draws=Draws(replicates=20, seed=seed)) for seed in (1, 2))
    assert [first[name].value for name in METRICS] == [second[name].value for name in METRICS]


def test_a_score_that_is_no_number_and_unequal_lists_are_refused():
    with pytest.raises(ValueError, match="tuple-7: score 1 is not a number"):
        list_metrics(Scored("tuple-7", [0.0, math.nan], [True, False]))
    with pytest.raises(ValueError, match="1 scores of tuple-7 and 2 gold marks"):
        list_metrics(Scored("tuple-7", [0.0], [True, False]))
    with pytest.raises(ValueError, match="tuple-7: 2 golds are marked and 1 are said to exist"):
        list_metrics(Scored("tuple-7", [1.0, 0.0], [True, True], n_gold=1))
    with pytest.raises(ValueError, match="k is 0: give 1 or more"):
        list_metrics(Scored("tuple-7", [1.0, 0.0], [True, True]), k=0)


def test_report_leaves_out_lists_without_gold_and_says_how_many():
    lists = [
        Scored("a", [3, 2, 1], [True, False, True]),  # ranks 1, 3
        Scored("b", [3, 2, 1], [False, True, False]),  # rank 2
        Scored("c", [3, 2, 1], [False, False, False]),
    ]
    result = rank_report(lists, k=2, draws=FEW)
    assert float(result["ap"].value) == pytest.approx(((1 + 2 / 3) / 2 + 0.5) / 2)
    assert float(result["rr"].value) == pytest.approx(0.75)
    assert float(result["recall"].value) == pytest.approx((0.5 + 1) / 2)
    assert float(result["precision"].value) == pytest.approx(0.5)
    assert (result["ap"].n, result["ap"].left_out) == (2, 1)
    assert str(result["recall"].signature) == ("recall|v:2|k:2|n:2|replicates:20|seed:12345|sources:2|ties:expected")
    assert rank_report([lists[2]], draws=FEW)["ap"].value.undefined.startswith("undefined for all 1 samples: ")


def test_a_generated_list_counts_golds_it_does_not_have():
    metrics = list_metrics(Scored("x", [2.0, 1.0], [True, False], n_gold=4))
    assert float(metrics["recall"]) == 0.25
    assert float(metrics["ap"]) == 0.25
    assert float(metrics["rr"]) == 1.0


@pytest.mark.parametrize(("n_gold", "size", "k"), [(1, 5, 2), (2, 5, 3), (3, 6, 10), (6, 6, 2)])
def test_chance_is_the_mean_over_all_orders(n_gold, size, k):
    rankings = [
        [place + 1 for place, item in enumerate(permutation) if item < n_gold]
        for permutation in permutations(range(size))
    ]
    exact = chance_level(n_gold, size, k)
    assert exact["ap"] == pytest.approx(np.mean([float(average_precision(ranks)) for ranks in rankings]))
    assert exact["rr"] == pytest.approx(np.mean([float(reciprocal_rank(ranks)) for ranks in rankings]))
    assert exact["recall"] == pytest.approx(np.mean([float(recall_at(ranks, k)) for ranks in rankings]))
    assert exact["precision"] == pytest.approx(np.mean([float(precision_at(ranks, k)) for ranks in rankings]))
    assert exact["ndcg"] == pytest.approx(np.mean([float(ndcg_at(ranks, k)) for ranks in rankings]))


# Instances ----------------------------------------------------------------------------------------------------------


def instances(n: int, seed: int = 0) -> list[Instance]:
    """Golds per instance 1 to 6 with a mean of 2.7, as in TESA, from 500 answers per type."""
    draw = random.Random(seed)
    counts = draw.choices([1, 2, 3, 4, 5, 6], weights=[20, 30, 25, 13, 8, 4], k=n)
    kinds = draw.choices(["person", "location", "org"], weights=[941, 629, 148], k=n)
    return [
        Instance(str(place), kind, tuple(f"{kind} {answer}" for answer in draw.sample(range(500), count)))
        for place, (count, kind) in enumerate(zip(counts, kinds, strict=True))
    ]


def test_ranking_lists_hold_all_golds_and_negatives_of_the_type():
    result = instances(300)
    answers: dict[str, set[str]] = {}
    for item in result:
        answers.setdefault(item.entity_type, set()).update(item.golds)
    lists = ranking_lists(result, seed=4)
    for instance, ranking in zip(result, lists, strict=True):
        golds = {text for text, gold in zip(ranking.candidates, ranking.gold, strict=True) if gold}
        assert golds == set(instance.golds)
        assert len(ranking.candidates) == len(set(ranking.candidates)) == 24
        assert set(ranking.candidates) <= answers[instance.entity_type]
    first_places = [ranking.gold[0] for ranking in lists]
    assert 0.05 < np.mean(first_places) < 0.2  # shuffled: 2.7 / 24 = .11, not all golds first


def test_ranking_lists_depend_on_the_seed_not_on_the_order_of_instances():
    result = instances(40)
    first = {ranking_list.key: ranking_list for ranking_list in ranking_lists(result, seed=4)}
    assert {ranking_list.key: ranking_list for ranking_list in ranking_lists(result[::-1], seed=4)} == first
    assert {ranking_list.key: ranking_list for ranking_list in ranking_lists(result, seed=5)} != first


def test_negatives_are_drawn_uniformly():
    items = [Instance("x", "org", ("gold",)), *(Instance(str(n), "org", (f"a{n}",)) for n in range(40))]
    drawn = [
        text for seed in range(600) for text in ranking_lists(items, seed, size=11)[0].candidates if text != "gold"
    ]
    counts = np.array([drawn.count(f"a{n}") for n in range(40)])
    assert counts.sum() == 6000
    assert counts.min() > 150 - 4 * 12 and counts.max() < 150 + 4 * 12  # 10 of 40 each: 150, sd 10.6


def test_few_negatives_make_a_shorter_list_and_many_golds_are_an_error():
    small = [
        Instance("a", "org", ("one", "two")),
        Instance("b", "org", ("two", "three")),
        Instance("c", "person", ("x",)),
    ]
    lists = ranking_lists(small, seed=1)
    assert sorted(lists[0].candidates) == ["one", "three", "two"]
    assert lists[2].candidates == ("x",)
    many = Instance("m", "org", tuple(f"g{n}" for n in range(25)))
    with pytest.raises(TooManyGolds, match="instance m: 25 golds do not fit into a list of 24"):
        ranking_lists([many], seed=1)
    assert len(ranking_lists([many], seed=1, size=25)[0].candidates) == 25
    with pytest.raises(ValueError, match="same key"):
        ranking_lists([many, many], seed=1, size=25)


def test_a_random_ranker_comes_near_the_published_row():
    """430 lists of 24 candidates with 2.7 golds on average, as in TESA's test set.

    The published row is one draw, and its exact gold counts are unknown; it lies within 3 standard errors of what 200
    draws over plausible counts give (about .008 MAP, .016 R@10, .013 MRR), and so do our own random scores.
    """
    lists = ranking_lists(instances(430, seed=1), seed=1)
    counts = [sum(list_.gold) for list_ in lists]
    assert np.mean(counts) == pytest.approx(2.70, abs=0.15)
    draw = random.Random(9)
    runs = []
    for _ in range(200):
        ranks = [draw.sample(range(1, 25), n_gold) for n_gold in counts]
        of_lists = [[float(of(rank)) for rank in ranks] for of in (average_precision, lambda r: recall_at(r, 10))]
        runs.append([np.mean(column) for column in (*of_lists, [1 / min(rank) for rank in ranks])])
    expected, error = np.mean(runs, axis=0), np.std(runs, axis=0)
    exact = [np.mean([chance_level(n_gold)[name] for n_gold in counts]) for name in ("ap", "recall", "rr")]
    assert (np.abs(expected - exact) < 4 * error / 200**0.5).all()
    row = load_tables("tesa")["systems"].row("random").cells
    printed = np.array([row["ap"], row["recall"], row["rr"]])
    assert (np.abs(printed - exact) < 3 * error).all()
    result = rank_report(
        [Scored(list_.key, [draw.random() for _ in range(24)], list_.gold) for list_ in lists], draws=FEW
    )
    ours = np.array([float(result[name].value) for name in ("ap", "recall", "rr")])
    assert (np.abs(ours - exact) < 3 * error).all()


def test_published_counts_fit_together():
    tables = load_tables("tesa")
    dataset = tables["dataset"]
    for column in ("instances", "entity_sets", "aggregations"):
        total = sum(dataset.row(kind).cells[column] for kind in ("person", "location", "org"))
        assert total == dataset.row("all").cells[column]
    assert all(row.cells["candidates"] == 24 * row.cells["instances"] for row in tables["splits"].rows)
    assert sum(row.cells["instances"] for row in tables["splits"].rows) == dataset.row("all").cells["instances"]

"""The draw is uniform, seeded and indifferent to order; backgrounds are cut and checked."""

import json
from collections import Counter
from itertools import combinations

import pytest

from epitome.aggregations.backgrounds import BadBackgrounds, cut_background, read_backgrounds
from epitome.aggregations.drawing import LowestRanks, list_turns, rank_key
from epitome.aggregations.tuples import FoundInstance, Span


def offer(n_instances, seed, n=5, backwards=False):
    lowest = LowestRanks(n, seed)
    order = reversed(range(n_instances)) if backwards else range(n_instances)
    for number in order:
        lowest.offer(number, FoundInstance(f"a{number}", "person", (0, 1), ("A", "B"), Span(0, 1)))
    return [row.instance.article for row in lowest.list_drawn()]


def test_a_seed_gives_the_same_instances_in_any_order_and_another_seed_others():
    assert offer(200, 1) == offer(200, 1, backwards=True)
    assert len(offer(200, 1)) == 5
    assert offer(200, 1) != offer(200, 2)
    assert offer(3, 1) == ["a0", "a1", "a2"]
    assert offer(3, 1, n=0) == []


def test_more_instances_keep_those_of_fewer():
    assert set(offer(200, 1, n=5)) < set(offer(200, 1, n=20))


def test_every_instance_is_drawn_equally_often():
    drawn = Counter(name for seed in range(600) for name in offer(20, seed))
    assert len(drawn) == 20
    assert all(100 < n < 200 for n in drawn.values())  # 150 expected, standard deviation 10.6


def list_article(article, n_entities):
    """All tuples of two to six of an article's entities, each in one context."""
    return [
        FoundInstance(article, "person", members, tuple(f"{article} {member}" for member in members), Span(0, 1))
        for size in range(2, 7)
        for members in combinations(range(n_entities), size)
    ]


def draw_by_articles(articles, n, seed):
    lowest = LowestRanks(n, seed)
    for number, instances in enumerate(articles):
        for turn, instance in enumerate(list_turns(seed, instances)):
            lowest.offer(number, instance, turn=turn)
    return [row.instance for row in lowest.list_drawn()]


def test_a_crowded_article_does_not_outnumber_the_others_in_a_draw_by_articles():
    articles = [list_article("crowded", 14), *(list_article(f"a{number}", 3) for number in range(10))]
    drawn = draw_by_articles(articles, 22, seed=3)
    assert set(Counter(row.article for row in drawn).values()) == {2}
    assert set(draw_by_articles(articles, 11, seed=3)) < set(drawn)
    more = draw_by_articles(articles, 200, seed=3)
    assert Counter(row.article for row in more)["a0"] == 4  # all that it has: three pairs and a triple


def test_small_tuples_come_first_as_often_as_declared_and_each_of_a_size_alike():
    crowded = list_article("crowded", 8)
    first = [list_turns(seed, crowded)[0] for seed in range(3000)]
    sizes = Counter(len(row.members) for row in first)
    expected = {size: 3000 * 3 ** (6 - size) / 121 for size in range(2, 7)}  # 81 + 27 + 9 + 3 + 1
    assert all(abs(sizes[size] - n) < 4.5 * n**0.5 + 1 for size, n in expected.items())
    pairs = Counter(row.members for row in first if len(row.members) == 2)
    assert len(pairs) == 28
    assert all(abs(n - sizes[2] / 28) < 4.5 * (sizes[2] / 28) ** 0.5 for n in pairs.values())


def test_ranks_differ_by_key():
    assert len({rank_key(1, str(key)) for key in range(1000)}) == 1000


def test_a_background_is_the_first_paragraph_of_at_most_600_tokens():
    assert cut_background("\n\nA town. By the sea.\n\nIt was old.") == ("A town. By the sea.", 7)
    text, tokens = cut_background("word " * 700)
    assert (tokens, text.count("word"), text[-2:]) == (600, 600, " …")
    assert cut_background("  \n ") == ("", 0)


def test_a_file_of_backgrounds_is_read_by_name():
    rows = [
        {"name": " A  B ", "title": None, "extract": "A town."},
        {"name": "C", "url": "https://x.test/C", "extract": ""},
    ]
    backgrounds = read_backgrounds(json.dumps(row).encode() for row in rows)
    assert [(row.name, row.text, row.url) for row in backgrounds.values()] == [
        ("A B", "A town.", ""),
        ("C", "", "https://x.test/C"),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"name": "A"}', "line 1: extract: is missing"),
        ('{"name": "", "extract": ""}', "line 1: name: is empty"),
        ('{"name": "A", "extract": "", "url": "javascript:alert(1)"}', "line 1: url: must begin with"),
        ("[1]", "line 1: must be an object"),
        ("{", "line 1: is not JSON"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place(row, message):
    with pytest.raises(BadBackgrounds, match=message):
        read_backgrounds([row.encode()])


def test_a_name_twice_is_refused():
    line = b'{"name": "A", "extract": "x"}'
    with pytest.raises(BadBackgrounds, match="line 3: name: 'A' stands twice"):
        read_backgrounds([line, b"\n", line])

"""The draw is uniform, seeded and indifferent to order; backgrounds are cut and checked."""

import json
from collections import Counter

import pytest

from epitome.aggregations.backgrounds import BadBackgrounds, cut_background, read_backgrounds
from epitome.aggregations.drawing import LowestRanks, rank_key
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

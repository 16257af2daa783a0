"""TopicRank against examples worked out by hand from the paper."""

import numpy as np
import pytest

from epitome.candidates.topicrank import (
    Phrase,
    cluster_phrases,
    find_phrases,
    get_stemmer,
    is_candidate,
    random_walk,
    rank_topics,
    topic_weights,
)

STOP_WORDS = {"the", "a", "and", "other"}
# "Solar panels need wind . | A solar panel and storage ."
WORDS = ["Solar", "panels", "need", "wind", ".", "A", "solar", "panel", "and", "storage", "."]
TAGS = ["ADJ", "NOUN", "VERB", "NOUN", "PUNCT", "DET", "ADJ", "NOUN", "CCONJ", "NOUN", "PUNCT"]
STARTS = [place in (0, 5) for place in range(11)]


def phrases(words: str, tags: str, starts: tuple[int, ...] = (0,)) -> list[tuple[str, list[int]]]:
    names = {"N": "NOUN", "P": "PROPN", "J": "ADJ", "V": "VERB", ".": "PUNCT", "D": "DET"}
    other_phrases = find_phrases(
        words.split(),
        [names[tag] for tag in tags],
        [place in starts for place in range(len(tags))],
        STOP_WORDS,
        get_stemmer("en"),
    )
    return [(" ".join(phrase.words), phrase.offsets) for phrase in sorted(other_phrases, key=lambda p: p.offsets[0])]


def test_candidates_are_the_longest_runs_of_nouns_and_adjectives():
    assert phrases("The old stone bridge crossed Mill River .", "DJNNVPP.") == [
        ("old stone bridge", [1]),
        ("Mill River", [5]),
    ]


@pytest.mark.parametrize(
    ("words", "tags", "shown"),
    [
        ("AAA cells last .", "PNV.", ["AAA cells"]),
        ("Night sailing ends . Fares rise .", "NNV.NV.", ["night sailing", "fares"]),
        ("Today Maria Lund left .", "VPPV.", ["Maria Lund"]),
        ("Maria Lund left .", "PPV.", ["Maria Lund"]),
    ],
)
def test_a_candidate_keeps_its_case_but_for_the_capital_of_its_sentence(words, tags, shown):
    assert [text for text, _places in phrases(words, tags)] == shown


def test_nouns_keep_the_capital_that_their_language_gives_them():
    words, tags = ["Fähren", "fahren", "."], ["NOUN", "VERB", "PUNCT"]
    (phrase,) = find_phrases(words, tags, [True, False, False], set(), get_stemmer("de"), keeps_capitals=True)
    assert phrase.words == ("Fähren",)


def test_a_run_ends_where_a_segment_ends_and_at_the_end_of_the_text():
    assert phrases("stone bridge mill river", "NNPP", starts=(0, 2)) == [("stone bridge", [0]), ("mill river", [2])]


def test_equal_stems_are_one_candidate_shown_as_first_seen():
    assert phrases("Solar panels beat a solar panel", "JNVDJN") == [("solar panels", [0, 4])]


def test_a_candidate_is_judged_by_its_first_mention():
    assert phrases("other left others left", "NVNV") == []
    assert phrases("others left other left", "NVNV") == [("others", [0, 2])]


@pytest.mark.parametrize(
    ("words", "good"),
    [
        (["bridge"], True),
        (["well-known", "bridge"], True),
        (["b2b"], True),
        (["été"], True),
        (["ox"], False),  # two characters in all
        (["to", "go"], True),
        (["b", "bridge"], False),  # a word of one character
        (["the", "bridge"], False),
        (["u.s.", "army"], False),
        (["--", "bridge"], False),
        (["%"], False),
        (["one", "two", "three", "four", "five"], True),
        (["one", "two", "three", "four", "five", "six"], False),
    ],
)
def test_what_makes_a_candidate(words, good):
    assert is_candidate(words, STOP_WORDS) is good


def test_topics_are_average_linkage_clusters_of_stems():
    new_york, city_of, city = Phrase(("new", "york"), ()), Phrase(("new", "york", "citi"), ()), Phrase(("citi",), ())
    # new york ~ new york city: 2 of 3 stems shared, distance 1/3: one topic.
    # city ~ new york city: distance 2/3, to new york 1; on average 0.83: a topic of its own.
    topics = cluster_phrases([new_york, city_of, city])
    assert topics[0] == topics[1] != topics[2]
    # Alone with new york city (distance 2/3, under 0.74) it joins.
    assert len(set(cluster_phrases([city_of, city]))) == 1
    # A quarter shared (distance 3/4) is not enough.
    assert len(set(cluster_phrases([Phrase(("a", "b"), ()), Phrase(("b", "c", "d"), ())]))) == 2
    assert cluster_phrases([city]).tolist() == [0]


def test_weights_sum_the_inverse_distances_of_mentions():
    other_phrases = find_phrases(WORDS, TAGS, STARTS, STOP_WORDS, get_stemmer("en"))
    assert [(phrase.stems, phrase.offsets) for phrase in other_phrases] == [
        (("solar", "panel"), [0, 6]),
        (("storag",), [9]),
        (("wind",), [3]),
    ]
    panel, storage, wind = range(3)
    weights = topic_weights(other_phrases, np.array([panel, storage, wind]))
    # solar panels (tokens 0-1 and 6-7), wind (3), storage (9)
    assert weights[panel, wind] == pytest.approx(1 / (3 - 1) + 1 / (6 - 3))
    assert weights[panel, storage] == pytest.approx(1 / (9 - 1) + 1 / (9 - 7))
    assert weights[wind, storage] == pytest.approx(1 / (9 - 3))
    assert (weights == weights.T).all()
    assert (np.diagonal(weights) == 0).all()


def test_the_whole_example_gives_the_scores_worked_out_by_hand():
    topics = rank_topics(WORDS, TAGS, STARTS, stop_words=STOP_WORDS)
    assert [(topic.text, topic.rank, topic.mentions) for topic in topics] == [
        ("solar panels", 1, 2),
        ("wind", 2, 1),
        ("storage", 3, 1),
    ]
    panel, wind, storage = (topic.score for topic in topics)
    # Edges: panel-wind 5/6, panel-storage 5/8, wind-storage 1/6. Sums: panel 35/24, wind 1, storage 19/24.
    assert panel == pytest.approx(0.05 + 0.85 * (wind * 5 / 6 + storage * 15 / 19))
    assert wind == pytest.approx(0.05 + 0.85 * (panel * 4 / 7 + storage * 4 / 19))
    assert storage == pytest.approx(0.05 + 0.85 * (panel * 3 / 7 + wind * 1 / 6))
    assert panel + wind + storage == pytest.approx(1)
    # The three equations, solved.
    assert (panel, wind, storage) == pytest.approx((0.43837332, 0.30826296, 0.25336372), abs=1e-8)


def test_a_walk_between_equals_is_even():
    assert random_walk(np.array([[0.0, 2.0, 2.0], [2.0, 0.0, 2.0], [2.0, 2.0, 0.0]])) == pytest.approx([1 / 3] * 3)
    assert random_walk(np.zeros((1, 1))).tolist() == [1.0]


def test_equal_scores_go_to_the_topic_that_comes_first():
    topics = rank_topics(["zebra", "saw", "apple"], ["NOUN", "VERB", "NOUN"], [True, False, False], stop_words=())
    assert [topic.text for topic in topics] == ["zebra", "apple"]


def test_only_the_best_are_given():
    assert [topic.text for topic in rank_topics(WORDS, TAGS, STARTS, 1, stop_words=STOP_WORDS)] == ["solar panels"]
    assert rank_topics([], [], [], stop_words=STOP_WORDS) == []
    assert rank_topics(["Go", "!"], ["VERB", "PUNCT"], [True, False], stop_words=STOP_WORDS) == []


def test_weights_do_not_depend_on_how_the_work_is_cut():
    rng = np.random.default_rng(7)
    many = [Phrase((f"w{i}",), (f"w{i}",), sorted(rng.choice(9_000, 60, replace=False).tolist())) for i in range(60)]
    topics = np.arange(60) % 40
    result = topic_weights(many, topics)  # 3,600 mentions: more than one step
    slow = np.zeros((40, 40))
    for first, a in zip(many, topics, strict=True):
        for second, b in zip(many, topics, strict=True):
            gaps = np.abs(np.subtract.outer(first.offsets, second.offsets))
            slow[a, b] += 0 if a == b else (1 / np.maximum(gaps, 1)).sum()
    assert np.allclose(result, slow)

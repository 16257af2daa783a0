"""Mentions, windows and tuples on articles whose tuples were counted by hand."""

import pytest

from epitome.aggregations.articles import (
    ABSTRACT,
    Article,
    BadEntities,
    Entity,
    Mention,
    add_part_names,
    list_name_parts,
    read_entities,
)
from epitome.aggregations.mentions import find_mentions
from epitome.aggregations.tuples import MOST_TOGETHER, Span, find_instances, fit_span, select_mentions

COUNCIL = (
    "Mara Lindqvist opened the meeting.",
    "Oren Tallis spoke against the bridge.",
    "The bridge would join Dunmere to Port Issel.",
    "Lindqvist and Tallis had agreed on it in May.",
    "Nobody else spoke.",
)


def make_article(sentences, people=(), places=(), orgs=(), abstract="", key="a") -> Article:
    entities = [
        *(Entity(name, "person") for name in people),
        *(Entity(name, "location") for name in places),
        *(Entity(name, "org") for name in orgs),
    ]
    return Article(key, tuple(sentences), abstract, add_part_names(entities))


def list_found(article):
    rows = [(row.names, tuple(row.span) if row.span else ()) for row in find_instances(article).instances]
    return sorted(rows)


def test_an_article_gives_its_tuples_in_every_context():
    article = make_article(
        COUNCIL,
        people=["Mara Lindqvist", "Oren Tallis"],
        places=["Dunmere", "Port Issel"],
        abstract="Lindqvist wants a bridge to Dunmere.",
    )
    assert list_found(article) == [
        (("Dunmere", "Port Issel"), (1, 2)),  # one sentence, widened by the one before
        (("Mara Lindqvist", "Oren Tallis"), (0, 1)),
        # Sentence 3 alone, widened by sentence 2; no window from 1 holds both.
        (("Mara Lindqvist", "Oren Tallis"), (2, 3)),
    ]


def test_the_abstract_is_a_context_of_its_own():
    abstract = "Tallis and Lindqvist disagree."
    article = make_article(COUNCIL[3:], people=["Mara Lindqvist", "Oren Tallis"], abstract=abstract)
    instances = find_instances(article)
    assert list_found(article) == [
        (("Mara Lindqvist", "Oren Tallis"), ()),
        (("Mara Lindqvist", "Oren Tallis"), (0, 1)),
    ]
    in_abstract = select_mentions(instances.mentions[0], None)
    assert [abstract[row.start : row.end] for row in in_abstract] == ["Lindqvist"]
    assert {row.segment for row in in_abstract} == {ABSTRACT}


def test_three_entities_have_all_sub_tuples_and_types_are_never_mixed():
    sentences = ["Ada met Bo.", "Bo met Cy.", "Cy met Ada in Rome.", "Rome is far from Ulm."]
    article = make_article(sentences, people=["Ada", "Bo", "Cy"], places=["Rome", "Ulm"])
    assert list_found(article) == [
        (("Ada", "Bo"), (0, 1)),
        (("Ada", "Bo"), (1, 2)),
        (("Ada", "Bo", "Cy"), (0, 2)),
        (("Ada", "Bo", "Cy"), (1, 2)),
        (("Ada", "Cy"), (0, 1)),
        (("Ada", "Cy"), (1, 2)),
        (("Bo", "Cy"), (0, 1)),
        (("Bo", "Cy"), (1, 2)),
        (("Rome", "Ulm"), (2, 3)),
    ]


@pytest.mark.parametrize(
    ("at", "expected"),
    [(0, (0, 1)), (1, (0, 1)), (2, (1, 2)), (3, (2, 3))],
)
def test_one_sentence_alone_is_widened_forward_at_the_beginning_and_backward_elsewhere(at, expected):
    assert tuple(fit_span(Span(at, min(at + 1, 3)), {at}, 4)) == expected


def test_a_span_is_trimmed_to_its_last_mention():
    assert fit_span(Span(2, 6), {0, 2, 4, 9}, 10) == Span(2, 4)
    assert fit_span(Span(0, 0), {0}, 1) == Span(0, 0)


def test_the_same_sentences_of_mention_count_once():
    article = make_article(["Ada met Bo.", "It rained.", "Then it stopped."], people=["Ada", "Bo"])
    assert list_found(article) == [(("Ada", "Bo"), (0, 1))]


def test_six_together_have_every_size_and_seven_no_seventh():
    names = ["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus"]
    sizes = [len(row.names) for row in find_instances(make_article([f"{', '.join(names)} met."], names)).instances]
    assert {size: sizes.count(size) for size in sorted(set(sizes))} == {2: 21, 3: 35, 4: 35, 5: 21, 6: 7}


def test_a_window_with_too_many_names_is_passed_over_and_counted():
    names = [f"Person{chr(65 + n)}" for n in range(MOST_TOGETHER + 1)]
    instances = find_instances(make_article([" ".join(names), "Nothing."], names))
    assert (instances.instances, instances.crowded) == ([], 5)


def test_parts_of_names_are_mentions_unless_two_could_be_meant():
    sentences = ["Ms. Holt of Holt Mills spoke, and Port Issel's mayor, van Dyke, left.", "Issel slept."]
    article = make_article(
        sentences, people=["Anna Holt", "Jan van Dyke"], places=["Port Issel", "Issel"], orgs=["Holt Mills"]
    )
    texts = [[sentences[row.segment][row.start : row.end] for row in rows] for rows in find_mentions(article).values()]
    assert texts == [["Holt"], ["van Dyke"], ["Port Issel"], ["Issel"], ["Holt Mills"]]
    shared = make_article(["Holt won."], people=["Anna Holt", "Ben Holt"])
    assert find_mentions(shared) == {0: [], 1: []}


def test_offsets_count_code_points_and_blanks_may_differ():
    article = make_article(["🚲🚲 Mara\u00a0Lindqvist rode."], people=["Mara Lindqvist"])
    assert find_mentions(article)[0] == [Mention(0, 3, 17)]


@pytest.mark.parametrize(
    ("name", "kind", "parts"),
    [
        ("Lindqvist, Mara", "person", ["Mara Lindqvist", "Lindqvist"]),
        ("Dr. Oren B. Tallis Jr.", "person", ["Oren B. Tallis", "Oren Tallis", "Tallis"]),
        ("Corvin Shipping Ltd.", "org", ["Corvin Shipping"]),
        ("Dunmere, Velmark", "location", ["Dunmere"]),
        ("Madonna", "person", []),
    ],
)
def test_parts_of_a_name(name, kind, parts):
    assert list_name_parts(name, kind) == parts


def test_entities_of_metadata_know_the_usual_names_of_types():
    rows = [{"name": "A  B", "type": "PER"}, {"name": "A B", "type": "person"}, {"name": "C", "type": "GPE"}]
    assert read_entities([*rows, {"name": "D", "type": "date"}]) == [Entity("A B", "person"), Entity("C", "location")]


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"name": "A"}, "entities"),
        ("A", "entities"),
        ([{"type": "person"}], r"entities\[0\].name"),
        ([{"name": "A", "type": "person"}, {"name": "B"}], r"entities\[1\].type"),
        ([None], r"entities\[0\].name"),
    ],
)
def test_wrong_entities_are_refused_by_place(value, place):
    with pytest.raises(BadEntities, match=place):
        read_entities(value)

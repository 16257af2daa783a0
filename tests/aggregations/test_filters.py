import pytest

from epitome.aggregations.contents import AboutInstance, count_contents, share_agreeing
from epitome.aggregations.filters import Answered, KeptAnnotation, apply_filters
from epitome.metrics.published import load_tables
from tests.aggregations.paper_shape import TYPES, make_annotations


@pytest.fixture(scope="module")
def paper():
    annotations, about = make_annotations()
    return apply_filters(annotations), about


def test_the_published_dataset_goes_through_the_published_funnel(paper):
    funnel, _about = paper
    assert funnel.as_dict() == {
        "instances": 2100,
        "annotations": 6299,
        "people": 63,
        "not_aggregatable": 1283,
        "removed": {"non_conforming": 23, "rare_people": 30, "few_answers": 288},
        "kept_instances": 1718,
        "kept_annotations": 4675,
        "kept_people": 42,
    }


@pytest.mark.parametrize("name", ["all", *TYPES])
def test_the_contents_of_the_kept_instances_are_those_of_table_2(paper, name):
    funnel, about = paper
    printed = load_tables("tesa")["dataset"].row(name).cells
    counted = count_contents(funnel.kept, about, tuple(TYPES))[name].as_dict()
    assert round(counted.pop("golds_per_instance"), 2) == printed["golds_per_instance"]
    assert counted == {column: printed[column] for column in counted}


def steady(person, n=5):
    """Enough annotations elsewhere for the person to count."""
    return [Answered(person, f"elsewhere {number}", ()) for number in range(n)]


def test_a_person_with_four_annotations_is_removed_and_one_with_five_is_not():
    rows = [Answered("a", "x", ("cities",)), Answered("b", "x", ("towns",)), Answered("c", "x", ("old towns",))]
    rows += steady("a", 4) + steady("b", 4) + steady("c", 3)
    funnel = apply_filters(rows)
    assert {row.person for row in funnel.kept} == {"a", "b"}
    assert (funnel.rare_people, funnel.few_answers) == (1, 0)


def test_an_instance_is_lost_when_the_second_answer_is_by_somebody_who_is_removed():
    rows = [Answered("a", "x", ("cities",)), Answered("b", "x", ("towns",)), *steady("a")]
    funnel = apply_filters(rows)
    assert (funnel.rare_people, funnel.few_answers, funnel.kept) == (1, 1, ())


def test_an_answer_beside_the_tick_counts_as_not_aggregatable_and_a_refused_one_as_none():
    rows = [Answered("a", "x", ("cities",), True), Answered("b", "x", ("cities and towns", "the towns")), *steady("b")]
    funnel = apply_filters([*rows, Answered("c", "x", ("/",)), *steady("c")])
    assert (funnel.not_aggregatable, funnel.non_conforming, funnel.few_answers) == (11, 1, 1)


def test_two_people_with_one_phrase_agree_and_one_person_with_two_does_not():
    items = [KeptAnnotation("a", "x", ("cities",)), KeptAnnotation("b", "x", ("towns", "cities"))]
    items += [KeptAnnotation("a", "y", ("cities", "towns")), KeptAnnotation("b", "y", ("places",))]
    assert share_agreeing(items) == 0.5
    assert share_agreeing([]) is None


def test_without_kept_instances_there_is_no_mean():
    counted = count_contents([], {}, ("person",))
    assert counted["person"].golds_per_instance is None and counted["all"].instances == 0


def test_the_same_names_in_another_order_are_one_entity_set_of_their_type():
    about = {
        "x": AboutInstance("person", ("A", "B")),
        "y": AboutInstance("person", ("B", "A")),
        "z": AboutInstance("org", ("A", "B")),
    }
    kept_annotations = [KeptAnnotation(person, key, ("a phrase",)) for key in about for person in "ab"]
    counted = count_contents(kept_annotations, about, ("person", "location", "org"))
    assert [counted[name].entity_sets for name in ("all", "person", "location", "org")] == [2, 1, 0, 1]

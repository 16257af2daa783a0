"""Names that a pipeline found become entities."""

from epitome.aggregations.clusters import TITLE, FoundName, cluster_names


def names(*rows):
    return [(row.name, row.type, row.aliases) for row in cluster_names(FoundName(*row) for row in rows)]


def test_a_part_of_a_longer_name_is_that_entity():
    rows = (("Mara Lindqvist", "person", 0), ("Lindqvist", "person", 3), ("Mara", "person", 4))
    assert names(*rows) == [("Mara Lindqvist", "person", ("Lindqvist", "Mara"))]


def test_a_part_of_two_names_or_of_another_type_stands_alone():
    rows = (("Anna Holt", "person", 0), ("Ben Holt", "person", TITLE), ("Holt", "person", 1), ("Holt", "person", 2))
    assert names(*rows) == [("Ben Holt", "person", ()), ("Holt", "person", ())]
    rows = (("Holt Mills", "org", TITLE), ("Holt", "person", 1), ("Holt", "person", 2))
    assert names(*rows) == [("Holt", "person", ()), ("Holt Mills", "org", ())]


def test_the_type_is_that_of_most_mentions():
    rows = (("Corvin", "org", 0), ("Corvin", "location", 1), ("Corvin", "org", 2))
    assert names(*rows) == [("Corvin", "org", ())]


def test_only_salient_entities_are_kept():
    rows = (("Ada", "person", 0), ("Bo", "person", 0), ("Bo", "person", 5), ("Cy", "person", -1), ("Di", "person", 1))
    assert [name for name, _type, _aliases in names(*rows, ("Di", "person", 1))] == ["Bo", "Cy"]


def test_names_of_more_than_ten_words_are_left_out():
    assert names((" ".join(["A"] * 11), "org", TITLE)) == []

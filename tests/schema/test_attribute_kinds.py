"""A kind of attributes is one declaration: schemas, the sampler, the form and the pages take it as any other."""

import pytest

from annotation.kinds.choosing import ChoosingKind
from annotation.kinds.protocol import PayloadRefused, TaskContext
from epitome.sampling import SamplerOptions, plan_source
from epitome.schema import ATTRIBUTE_KINDS, AttributeKind, SchemaError, parse_schema
from epitome.schema.attribute_fields import read_attributes, write_attributes

HEAD = 'key = "s"\nname = "S"\ndomain = "document"\n'
LEVELS = """
[[attribute]]
key = "age"
label = "Age"
kind = "levels"
guide = "Years of the reader."
edges = [10, 20]
"""
THEMES = """
[[attribute]]
key = "theme"
label = "Theme"
kind = "themes"
guide = "What it is about."
"""


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    levels = AttributeKind("levels", "levels", "levels of a number", has_edges=True)
    themes = AttributeKind("themes", "themes", "themes of the source", candidate_kind="topic", takes_own_text=False)
    for kind in (levels, themes):
        monkeypatch.setitem(ATTRIBUTE_KINDS, kind.name, kind)


def test_a_kind_with_edges_is_parsed_drawn_and_edited():
    text = HEAD + LEVELS
    schema = parse_schema(text)

    plan = plan_source("d1", 2000, schema, SamplerOptions(seed=1))

    assert schema.attribute("age").bin_of(12) == "1"
    assert schema.distance("age", 1, 0) == 1
    assert {sample.values["age"] for sample in plan.samples} <= {"0", "1"}
    fields = read_attributes(text)
    fields[0].values[1].edge = "30"
    assert parse_schema(write_attributes(text, fields)).attribute("age").edges == (10, 30)


def test_people_pick_only_candidates_of_a_kind_without_texts_of_their_own():
    schema = parse_schema(HEAD + THEMES)
    assert [attribute.filled_by for attribute in schema.attributes] == ["annotator"]
    about = TaskContext([], schema, {}, ("theme",), frozen=False, candidates=lambda: {"theme": ["budget"]})

    choice = ChoosingKind().complete({"chosen": {"theme": ["budget"]}}, about).chosen
    with pytest.raises(PayloadRefused, match="is no topic of this source"):
        ChoosingKind().complete({"chosen": {"theme": ["weather"]}}, about)

    assert choice is not None
    assert choice.values == {"theme": ["budget"]}


def test_keys_of_the_other_kinds_are_refused():
    with pytest.raises(SchemaError, match="does not go with the kind themes"):
        parse_schema(HEAD + THEMES + "edges = [1]\n")

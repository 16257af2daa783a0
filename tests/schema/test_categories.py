"""Values without an order: drawn and edited as any other, but no value is nearer to one than to another."""

import pytest

from epitome.rounds.config_parsing import parse_round
from epitome.sampling import SamplerOptions, dry_run, plan_project
from epitome.schema import InvalidValue, SchemaError, parse_schema, preset_text
from epitome.schema.attribute_fields import read_attributes, write_attributes
from tests.schema.factories import ASPECT

TEXT = preset_text("macsum-dial") + ASPECT
ASKED = '[round]\nname = "A"\ntemplate = "attribute-identification"\n[[target]]\nkind = "gold"\n'


@pytest.fixture(scope="module")
def schema():
    return parse_schema(TEXT)


@pytest.mark.parametrize("algorithm", ["uniform", "one-step", "macsum-release", "weighted", "balanced"])
def test_every_sampler_draws_them_without_pairs_for_control_correlation(schema, algorithm):
    options = SamplerOptions(algorithm=algorithm, seed=5)
    plans = plan_project([(f"m{number}", 2_000) for number in range(60)], schema, options)
    drawn = [sample.values["aspect"] for plan in plans for sample in plan.samples]
    run = dry_run(plans, schema, 10)

    assert min(drawn.count(value) for value in ("challenge", "approach", "outcome")) > len(drawn) // 6
    assert "aspect" in run.chi_square and "aspect" not in run.pairs and "length" in run.pairs


def test_no_value_is_the_baseline_and_no_two_have_a_distance(schema):
    aspect = schema.attribute("aspect")
    assert aspect.anchor == "" and aspect.canonical("outcome") == "outcome"
    with pytest.raises(InvalidValue, match="aspect: has values without an order"):
        schema.distance("aspect", "outcome", "challenge")


@pytest.mark.parametrize("line", ['anchor = "outcome"', "edges = [1, 2, 3]", "min_picks = 1"])
def test_keys_of_an_order_are_refused(line):
    with pytest.raises(SchemaError, match="does not go with the kind categories; it has key, "):
        parse_schema(TEXT.replace('kind = "categories"', f'kind = "categories"\n{line}'))


def test_an_edited_attribute_loses_its_baseline_with_its_order_and_keeps_the_rest():
    fields = read_attributes(TEXT)
    length = fields[0]
    assert length.anchor and length.has_order
    length.kind = "categories"

    attribute = parse_schema(write_attributes(TEXT, fields)).attributes[0]

    assert attribute.kind == "categories" and attribute.anchor == ""
    assert attribute.values == parse_schema(TEXT).attributes[0].values and attribute.bands


def test_raters_who_name_the_value_answer_in_categories(schema):
    question = parse_round(ASKED, schema).question("aspect")
    assert [option.label for option in question.asks.options(question)] == ["Challenge", "Approach", "Outcome"]
    assert question.asks.is_categorical and not question.asks.ascending(question.values)

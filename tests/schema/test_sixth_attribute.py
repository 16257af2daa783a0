"""A further attribute is a few lines of TOML and nothing else."""

import pytest

from epitome.sampling import SamplerOptions, dry_run, plan_project
from epitome.schema import InvalidValue, parse_schema, preset_text

FORMALITY = """
[[attribute]]
key = "formality"
label = "Formality"
code = "For"
kind = "ordinal"
values = ["plain", "formal"]
filled_by = "sampler"
guide = "How formal the wording is."
question = "Is the summary as formal as requested?"
prompt = "Formality : {value}"
value_guides = { plain = "As you would tell a friend.", formal = "As in a report." }
"""


@pytest.fixture(scope="module")
def schema():
    return parse_schema(preset_text("macsum-dial") + FORMALITY)


@pytest.mark.parametrize("algorithm", ["uniform", "one-step", "macsum-release", "weighted", "balanced"])
def test_it_is_sampled_and_coded(schema, algorithm):
    options = SamplerOptions(algorithm=algorithm, seed=5)
    plans = plan_project([(f"m{number}", 2_000) for number in range(60)], schema, options)
    samples = [sample for plan in plans for sample in plan.samples]
    values = [sample.values["formality"] for sample in samples]
    assert min(values.count("plain"), values.count("formal")) > len(values) // 5
    assert all(sample.combination[3] == sample.values["formality"][0] for sample in samples)
    assert dry_run(plans, schema, 10).pairs["formality"] > 0


def test_it_is_validated(schema):
    values = {"length": "short", "extractiveness": "full", "specificity": "high", "formality": "formal"}
    assert schema.validate_values(values) == values
    assert schema.combination_code(values) == "sfhf"
    with pytest.raises(InvalidValue, match=r"formality: .*plain, formal"):
        schema.validate_values({**values, "formality": "casual"})
    assert schema.distance("formality", "formal", "plain") == 1

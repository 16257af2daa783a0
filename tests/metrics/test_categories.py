"""`measure` of an attribute whose values have no order: its errors are counted, a step between values is not."""

import io
import json

import pytest
from django.core.management import call_command

from tests.schema.factories import ASPECT

HEAD = 'key = "papers"\nname = "Papers"\ndomain = "document"\nlanguage = "en"\n'
SOURCE = "Bridges rust in salt air. We paint them with zinc. Painted bridges rust half as fast as others."
SUMMARIES = {
    "challenge": "Bridges rust.",
    "approach": "The authors paint bridges with zinc.",
    "outcome": "Painted bridges rust half as fast.",
}


@pytest.fixture
def file(tmp_path):
    rows = [
        {"id": f"p{number}", "text": SOURCE, "summary": summary, "aspect": aspect}
        for number in range(3)
        for aspect, summary in SUMMARIES.items()
    ]
    path = tmp_path / "papers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def measure(file, schema_text, *words):
    schema = file.with_name("papers.toml")
    schema.write_text(HEAD + schema_text)
    predictions = file.with_name("lead.jsonl")
    predictions.write_text('"Bridges rust in salt air."\n' * 9)
    out = io.StringIO()
    call_command("measure", str(file), "--preset", str(schema), "--predictions", str(predictions), *words, stdout=out)
    return out.getvalue()


def test_control_correlation_is_not_defined_and_says_why(file):
    measured_aspect = ASPECT.replace('filled_by = "sampler"', 'filled_by = "sampler"\nmeasure = "length"')

    report = json.loads(measure(file, measured_aspect, "--json"))

    assert report["f"]["aspect"] == dict.fromkeys(SUMMARIES, 6)
    assert report["cer"]["aspect"] > 0
    assert report["cc"]["aspect"]["undefined"] == "its values have no order"
    assert "its values have no order" in measure(file, measured_aspect)


def test_a_schema_that_measures_no_attribute_has_rouge_alone(file):
    report = json.loads(measure(file, ASPECT, "--json"))

    assert report["rouge"]["rouge1"] > 0 and report["samples"] == 9
    assert not report["f"] and "cer" not in report

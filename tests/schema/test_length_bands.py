"""Lengths in words in place of shares."""

import pytest

from epitome.schema import (
    SchemaError,
    give_lengths_in_words,
    has_lengths_for_words,
    load_preset,
    parse_schema,
    preset_text,
)


def test_the_template_of_short_articles_is_macsums_with_lengths_in_words():
    """One declaration differs from the other in what its name says, and in nothing else."""
    news, short = load_preset("macsum-doc"), load_preset("short-articles")
    assert [row for row in short.attributes if row.key != "length"] == [
        row for row in news.attributes if row.key != "length"
    ]
    assert short.prompts == news.prompts
    assert {value: band.as_dict() for value, band in short.attribute("length").bands.items()} == {
        "short": {"of": "words", "low": 8, "high": 20},
        "normal": {"of": "words", "low": 21, "high": 40},
        "long": {"of": "words", "low": 41, "high": 60},
    }


def test_lengths_in_words_keep_everything_else_of_a_text():
    text = preset_text("macsum-doc").replace('label = "Specificity"', 'label = "Detail"  # ours')
    changed = give_lengths_in_words(text, parse_schema(text))
    schema = parse_schema(changed)
    assert schema.attribute("length") == load_preset("short-articles").attribute("length")
    assert schema.attribute("specificity").label == "Detail" and "# ours" in changed
    assert schema.sampling == load_preset("macsum-doc").sampling
    assert not has_lengths_for_words(schema)
    assert give_lengths_in_words(changed, schema) == changed


@pytest.mark.parametrize("preset", ["ccsbench", "short-articles", "tesa"])
def test_a_schema_without_shares_stays_as_it_is(preset):
    schema = load_preset(preset)
    assert not has_lengths_for_words(schema)
    assert give_lengths_in_words(preset_text(preset), schema) == preset_text(preset)


def test_samples_per_source_and_per_2000_words_exclude_each_other():
    text = preset_text("short-articles").replace("group_size = 2", "samples_per_2000_words = 8\ngroup_size = 2")
    with pytest.raises(SchemaError, match=r"samples_per_source.*give one of them"):
        parse_schema(text)

"""The presets say what the published schemas say."""

import math

import pytest

from epitome.schema import PRESETS, InvalidValue, guideline_text, load_preset, load_weights, preset_text


@pytest.mark.parametrize("name", PRESETS)
def test_every_value_has_a_label_and_a_guide(name):
    for attribute in load_preset(name).attributes:
        assert attribute.guide and attribute.prompt
        for value in attribute.values:
            assert attribute.value_label(value) and attribute.value_guide(value), (attribute.key, value)


@pytest.mark.parametrize("name", PRESETS)
def test_guideline_names_every_attribute(name):
    guideline = guideline_text(name)
    for attribute in load_preset(name).attributes:
        assert f"### {attribute.label}" in guideline


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("macsum-doc", (80, 10, 10)),  # MACSum, section 3
        ("macsum-dial", (80, 10, 10)),
        ("ccsbench", (60, 20, 20)),  # CCSBench, section 3.2
        ("tesa", (50, 25, 25)),  # TESA: 2:1:1
        ("aclsum", (40, 20, 40)),  # ACLSum: 100, 50 and 100 papers
    ],
)
def test_splits_have_the_published_shares(name, shares):
    assert load_preset(name).shares == shares


def test_unknown_preset_names_the_presets():
    with pytest.raises(ValueError, match="macsum-doc, macsum-dial, ccsbench"):
        load_preset("macsum")
    with pytest.raises(ValueError, match="there is no preset"):
        preset_text("../../settings")


def test_macsum_attributes_values_and_codes():
    doc, dial = load_preset("macsum-doc"), load_preset("macsum-dial")
    assert [attribute.code for attribute in doc.attributes] == ["Len", "Ext", "Spe", "Tpc"]
    assert [attribute.code for attribute in dial.attributes] == ["Len", "Ext", "Spe", "Tpc", "Spk"]
    for schema in (doc, dial):
        assert schema.attribute("length").values == ("short", "normal", "long")
        assert schema.attribute("extractiveness").values == ("normal", "high", "full")
        assert schema.attribute("specificity").values == ("normal", "high")
        assert [item.key for item in schema.sampled] == ["length", "extractiveness", "specificity"]
        assert schema.attribute("length").question == ""
        assert all(attribute.question for attribute in schema.attributes if attribute.key != "length")
    assert doc.domain == "document" and dial.domain == "dialogue"


def test_hard_prompts_are_the_published_strings():
    filled = {"topic": "T", "speaker": "S", "length": "l", "extractiveness": "e", "specificity": "p", "source": "x"}
    dial = load_preset("macsum-dial").prompts
    assert dial.hp.format(**filled) == (
        "Topic : T ; Speaker : S ;  Length : l ; Extractiveness : e ; Specificity : p ; x"
    )
    assert dial.segment_joiner == " </s> "
    doc = load_preset("macsum-doc").prompts
    assert doc.hp.format(**filled) == "Topic : T ;  Length : l ; Extractiveness : e ; Specificity : p ; x"
    assert load_preset("macsum-doc").attribute("extractiveness").prompt_value("full") == "fully"


@pytest.mark.parametrize(
    ("preset", "value", "low", "high"),
    [
        ("macsum-doc", "short", 0.045, 0.06),
        ("macsum-doc", "normal", 0.09, 0.115),
        ("macsum-doc", "long", 0.14, 0.165),
        ("macsum-dial", "short", 0.06, 0.12),
        ("macsum-dial", "normal", 0.12, 0.22),
        ("macsum-dial", "long", 0.22, 0.30),
    ],
)
def test_length_bands_are_shares_of_the_relevant_words(preset, value, low, high):
    band = load_preset(preset).attribute("length").band(value)
    assert band.as_dict() == {"of": "relevant_words", "low": low, "high": high}


def test_only_news_have_a_group_without_topic():
    assert load_preset("macsum-doc").sampling.no_topic_group
    assert load_preset("macsum-doc").sampling.no_topic_size == 3
    assert not load_preset("macsum-dial").sampling.no_topic_group
    assert load_preset("macsum-dial").sampling.group_size == 2


def test_ccsbench_bins():
    length = load_preset("ccsbench").attribute("length")
    assert [length.bin_of(words) for words in (0, 50, 51, 100, 101, 250, 251, 9000)] == list("00112444")
    assert length.band_words("1", 0) == (51, 100)
    assert length.band_words("0", 0) == (0, 50)
    assert length.canonical(3) == "3" and length.canonical("151-200") == "3"
    assert length.distance("0", "4") == -4


def test_ccsbench_attributes():
    schema = load_preset("ccsbench")
    assert [attribute.key for attribute in schema.attributes] == ["length", "keywords", "readability", "focus"]
    assert schema.combination_code({"length": "2", "readability": "high", "focus": "low"}) == "2hl"
    assert schema.canonical("focus", "empirical") == "high"


@pytest.mark.parametrize(
    ("name", "margins"),
    [
        # published counts of the test split, less the samples the design fixes
        ("macsum-doc", {"length": (125 - 94, 67, 129 - 94), "extractiveness": (53, 43, 37), "specificity": (61, 72)}),
        ("macsum-dial", {"length": (50, 62, 50), "extractiveness": (74, 39, 49), "specificity": (68, 94)}),
    ],
)
def test_release_weights_meet_the_published_margins(name, margins):
    schema = load_preset(name)
    variants = load_weights(name, schema).variants
    assert len(variants) == 17
    assert all(set(variant.values.values()) != {"normal"} for variant in variants)
    for key, expected in margins.items():
        for value, count in zip(schema.attribute(key).values, expected, strict=True):
            total = math.fsum(variant.weight for variant in variants if variant.values[key] == value)
            assert total == pytest.approx(count, abs=0.01)


def test_weights_that_do_not_exist():
    with pytest.raises(ValueError, match="macsum-dial, macsum-doc"):
        load_weights("other", load_preset("macsum-doc"))


def test_weights_that_do_not_fit_the_schema_say_so():
    with pytest.raises(ValueError, match=r"weights/macsum-doc.toml, line \d+.*unknown key"):
        load_weights("macsum-doc", load_preset("ccsbench"))


def test_released_spelling_is_understood():
    schema = load_preset("macsum-doc")
    assert schema.canonical("extractiveness", "fully") == "full"
    with pytest.raises(InvalidValue, match=r"normal, high, full.*also accepted: fully"):
        schema.canonical("extractiveness", "Fully")

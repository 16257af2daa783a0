"""Codes, distances, bands and the checks of values and picks."""

import pytest

from epitome.schema import InvalidValue, content_hash, load_preset, parse_schema, preset_text


@pytest.fixture(scope="module")
def doc():
    return load_preset("macsum-doc")


@pytest.fixture(scope="module")
def dial():
    return load_preset("macsum-dial")


def ordinal(key: str, values: str) -> str:
    names = f'key = "{key}"\nlabel = "{key}"\ncode = "{key}"\n'
    return f'[[attribute]]\n{names}kind = "ordinal"\nguide = "g"\nvalues = {values}\n'


def schema_of(*attributes: str):
    return parse_schema('key = "s"\nname = "S"\ndomain = "document"\n' + "".join(attributes))


def test_combination_code_follows_the_schema_not_the_values(doc):
    assert doc.combination_code({"specificity": "high", "length": "short", "extractiveness": "normal"}) == "snh"
    assert doc.combination_code({"length": "long", "extractiveness": "fully", "specificity": "normal"}) == "lfn"


def test_combination_code_shows_what_is_missing(doc):
    assert doc.combination_code({"length": "long"}) == "l__"


def test_clashing_first_letters_get_longer_codes():
    schema = schema_of(ordinal("a", '["normal", "narrow", "wide"]'), ordinal("b", '["x", "y"]'))
    codes = {schema.combination_code({"a": a, "b": b}) for a in ("normal", "narrow", "wide") for b in "xy"}
    assert codes == {"no-x", "na-x", "wi-x", "no-y", "na-y", "wi-y"}


def test_values_that_begin_alike_are_numbered():
    schema = schema_of(ordinal("a", '["level one", "level two"]'))
    assert schema.combination_code({"a": "level two"}) == "1"


def test_all_18_combinations_have_their_own_code(doc):
    import itertools

    every = itertools.product(*(item.values for item in doc.sampled))
    keys = [item.key for item in doc.sampled]
    assert len({doc.combination_code(dict(zip(keys, values, strict=True))) for values in every}) == 18


def test_distance_is_the_difference_of_places(doc):
    assert doc.distance("extractiveness", "high", "normal") == 1
    assert doc.distance("length", "short", "long") == -2
    assert doc.distance("extractiveness", "fully", "normal") == 2


def test_topics_have_no_distance(doc):
    with pytest.raises(InvalidValue, match="topic"):
        doc.distance("topic", "a", "b")


def test_unknown_attribute_names_the_known(doc):
    assert doc.find("speaker") is None
    with pytest.raises(InvalidValue, match="length, extractiveness, specificity, topic"):
        doc.attribute("speaker")


@pytest.mark.parametrize("value", ["ful", "", None, 3, ["full"], True])
def test_wrong_values_name_the_allowed(doc, value):
    with pytest.raises(InvalidValue, match=r"extractiveness: .*normal, high, full") as caught:
        doc.canonical("extractiveness", value)
    assert caught.value.allowed == ("normal", "high", "full")


def test_values_come_back_complete_and_in_order(doc):
    values = doc.validate_values({"specificity": "high", "extractiveness": "fully", "length": "long"})
    assert list(values.items()) == [("length", "long"), ("extractiveness", "full"), ("specificity", "high")]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"length": "long", "extractiveness": "full"}, "specificity: is missing"),
        ({"length": "long", "topic": ["a"]}, "topic: is not filled by the sampler"),
        ({"length": "huge", "extractiveness": "full", "specificity": "high"}, "length: .*huge"),
    ],
)
def test_faulty_values(doc, values, message):
    with pytest.raises(InvalidValue, match=message):
        doc.validate_values(values)


def test_picks_keep_their_text(dial):
    chosen = dial.validate_chosen({"speaker": ["Hon . A ( B , C )"], "topic": [" budget", "café"]})
    assert chosen == {"topic": [" budget", "café"], "speaker": ["Hon . A ( B , C )"]}


def test_speakers_may_be_left_out_but_not_topics(dial):
    assert dial.validate_chosen({"topic": ["a"]}) == {"topic": ["a"], "speaker": []}
    with pytest.raises(InvalidValue, match="topic: needs 1 to 5, has 0"):
        dial.validate_chosen({"speaker": ["A"]})


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        (list("abcdef"), "needs 1 to 5, has 6"),
        (["a", "A "], "stands twice"),
        (["a", " "], "empty entry"),
        ("a", "list of texts"),
        ([1], "list of texts"),
    ],
)
def test_faulty_picks(doc, topics, message):
    with pytest.raises(InvalidValue, match=message):
        doc.validate_chosen({"topic": topics})


def test_a_group_without_topic_takes_none(doc):
    assert doc.validate_chosen({}, asks=[]) == {}
    with pytest.raises(InvalidValue, match="not asked"):
        doc.validate_chosen({"topic": ["a"]}, asks=[])


@pytest.mark.parametrize(
    ("relevant", "value", "expected"),
    [
        (494, "short", (23, 29)),  # 22.2 to 29.6
        (200, "normal", (18, 23)),
        (100, "long", (14, 16)),  # 14.000000000000002 in floating point
        (50, "short", (3, 3)),  # 2.25 to 3
        (5, "short", (1, 1)),
        (13, "normal", (2, 2)),  # 1.17 to 1.495 holds no whole number
        (0, "long", None),
    ],
)
def test_bands_in_whole_words(doc, relevant, value, expected):
    assert doc.attribute("length").band_words(value, relevant) == expected


def test_attributes_without_band(doc):
    assert doc.attribute("specificity").band_words("high", 100) is None


def test_content_hash_is_sha256_of_the_text():
    assert content_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert content_hash(preset_text("macsum-doc")) != content_hash(preset_text("macsum-dial"))


def test_a_band_of_the_measure_is_no_number_of_words():
    text = preset_text("macsum-doc").replace(
        'code = "Spe"', 'code = "Spe"\nbands = { high = { of = "measure", low = 4.5, high = 6 } }'
    )
    specificity = parse_schema(text).attribute("specificity")
    assert specificity.band("high").as_dict() == {"of": "measure", "low": 4.5, "high": 6.0}
    assert specificity.band_words("high", 100) is None

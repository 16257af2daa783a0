"""The baselines without weights: what they say follows from the request alone, and their length from what it asks."""

from dataclasses import replace

import pytest

from epitome.schema import SchemaError, load_preset
from epitome.systems.config import parse_config
from epitome.systems.protocol import MissingLibrary, Request, SystemFault
from epitome.systems.registry import (
    KINDS,
    config_of,
    explain_missing_libraries,
    followed_attributes,
    make_system,
    make_system_by_key,
    shipped_configs,
)
from epitome.systems.sentence_units import select_closest, target_length
from epitome.systems.textrank import rank_sentences, similarity_matrix

BASELINES = ("lead", "textrank", "random")
TEXTS = [
    "The council met on Monday to discuss the old bridge.",
    "The bridge was closed after the storm damaged its northern pier.",
    "Engineers said that the pier of the bridge could be repaired by May.",
    "A choir sang in the park.",
    "The council voted to repair the bridge and its pier before the summer.",
] * 6


def request(length="normal", seed=3, texts=TEXTS, topics=()):
    values = {"length": length, "topic": tuple(topics)}
    segments = tuple({"speaker": "", "text": text} for text in texts)
    return Request("a#0", segments, values, load_preset("macsum-doc"), seed=seed)


def test_every_shipped_configuration_is_sound_and_named_like_its_file():
    result = shipped_configs()
    assert {*BASELINES} <= {item.key for item in result}
    for config in result:
        assert config_of(config.key) == config
        assert config.kind in KINDS


@pytest.mark.parametrize("key", BASELINES)
def test_a_baseline_takes_whole_sentences_and_more_of_them_for_a_longer_summary(key):
    sizes = []
    for length in ("short", "normal", "long"):
        [output] = make_system_by_key(key).generate([request(length)])
        sizes.append(len(output.text.split()))
        assert output.told == {"length": length}
        assert all(sentence.strip(". ") in " ".join(TEXTS) for sentence in output.text.split(". "))
        assert output.versions["epitome"] and output.decoding["target_words"] == target_length(request(length))
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


@pytest.mark.parametrize("key", BASELINES)
def test_an_output_does_not_depend_on_its_batch(key):
    first, other = request(seed=3), request(seed=4)
    alone = make_system_by_key(key).generate([other])[0].text
    assert make_system_by_key(key).generate([first, other, first])[1].text == alone


def test_only_the_random_baseline_looks_at_the_seed():
    differs = [
        key
        for key in BASELINES
        if len({make_system_by_key(key).generate([request(seed=n)])[0].text for n in range(6)}) > 1
    ]
    assert differs == ["random"]


def test_a_topic_narrows_what_the_length_is_a_share_of():
    assert (
        target_length(request(topics=["choir"])) < target_length(request(topics=["bridge"])) < target_length(request())
    )


@pytest.mark.parametrize("texts", [[], [""], ["   "], ["!!!"], ["One."]])
@pytest.mark.parametrize("key", BASELINES)
def test_a_source_of_nothing_is_no_error(key, texts):
    [output] = make_system_by_key(key).generate([request(texts=texts)])
    assert output.text == " ".join(text.strip() for text in texts if text.strip())


def test_textrank_prefers_the_sentence_that_shares_most_words():
    bags = [["bridge", "storm"], ["bridge", "pier", "storm"], ["choir", "park"], ["pier", "bridge"]]
    scores = rank_sentences(similarity_matrix(bags), config_of("textrank").settings)
    assert scores.argmax() == 1 and scores.argmin() == 2
    assert scores[2] == pytest.approx(0.15)  # nobody votes for it: 1 - d


def test_closest_stops_where_one_more_would_be_worse():
    assert select_closest([5, 5, 5], 9) == [0, 1]
    assert select_closest([5, 20, 4], 9) == [0, 2]
    assert select_closest([5, 20, 4], 9, gaps=False) == [0]
    assert select_closest([50], 9) == [0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[system]\nkey = "a"\nkind = "led"\n', "line 3: system.kind: must be one of"),
        ('[system]\nkey = "A b"\nkind = "lead"\n', "line 2: system.key: must be lower-case"),
        ('[system]\nkey = "a"\nkind = "lead"\n[options]\nx = 1\n', "line 5: options.x: unknown key"),
        (
            '[system]\nkey = "a"\nkind = "textrank"\n[options]\ndamping = 3\n',
            "line 5: options.damping: must be a number",
        ),
        ('[system]\nkind = "lead"\n', 'system: "key" is missing'),
        ("[options]\n", "has no [system] table"),
        ('[system]\nkey = "a"\nkey = "b"\n', "line 3: system.key: is not sound TOML"),
        ("x" * 300_000, "the most is 200000"),
    ],
)
def test_a_configuration_is_refused_naming_key_and_line(text, said):
    with pytest.raises(SchemaError, match=r"mine\.toml") as refusal:
        parse_config(text, "mine.toml")
    assert said in str(refusal.value)


def test_an_unknown_key_names_those_there_are(tmp_path):
    with pytest.raises(SystemFault, match=r"lead.*random.*textrank"):
        config_of("led")
    with pytest.raises(SystemFault, match=r"gone\.toml: cannot be read"):
        config_of(str(tmp_path / "gone.toml"))


def test_a_missing_library_says_what_to_install(monkeypatch):
    config = config_of("lead")
    monkeypatch.setitem(KINDS, "lead", replace(KINDS["lead"], needs="models"))
    monkeypatch.setattr("epitome.systems.registry.find_spec", lambda name: None)
    assert "make install-models" in explain_missing_libraries(config)
    with pytest.raises(MissingLibrary, match="torch"):
        make_system(config)


def test_a_system_can_be_told_what_it_follows_without_loading_it():
    assert followed_attributes(config_of("lead")) == {"length": None}

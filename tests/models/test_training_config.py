"""A training's TOML: what is refused, where, and that the shipped ones are the paper's."""

from pathlib import Path

import pytest

import epitome.systems
from epitome.schema import SchemaError
from epitome.systems.config import parse_config
from epitome.systems.protocol import Request
from epitome.systems.soft_prefix import PrefixSettings
from epitome.training.config import Data, parse_training
from epitome.training.data import Example
from epitome.training.methods import prefix_shape, training_prompt
from epitome.training.shipped import shipped_text, shipped_trainings
from epitome.training.systems import system_text

HEAD = '[training]\nkey = "mine"\nmethod = "hp"\nschema = "macsum-doc"\nbase = "some/model"\n'


def parse(text, **more):
    return parse_training(text, "mine.toml", Path("/nowhere"), **{"data": Data()} | more)


@pytest.mark.parametrize(
    ("text", "line", "key", "said"),
    [
        (HEAD.replace("hp", "hq"), 3, "training.method", "hp"),
        (HEAD.replace('base = "some/model"\n', ""), 1, "training.base", "not both"),
        (HEAD + "[scratch]\nwidth = 64\n", 5, "training.base", "not both"),
        (HEAD.replace("some/model", "training:other"), 5, "training.base", "train it first"),
        (HEAD + "[optimisation]\nlearning_rat = 1.0\n", 7, "optimisation.learning_rat", "learning_rate"),
        (HEAD + '[prompt]\nwithout = ["lenght"]\n', 7, "prompt.without", "no attribute of the schema"),
        (HEAD + '[prefix]\nsites = ["middle"]\n', 7, "prefix.sites", "encoder, decoder, cross"),
        (HEAD + '[prefix]\nattributes = ["topic"]\n', 7, "prefix.attributes", "length, extractiveness, specificity"),
        (HEAD + "[prefix]\nattributes = []\n", 7, "prefix.attributes", "length, extractiveness, specificity"),
        (HEAD + '[optimisation]\nselection = "rouge"\n', 7, "optimisation.selection", "loss"),
        (HEAD + "[decoding]\nmax_tokens = 10\nmin_tokens = 20\n", 8, "decoding.min_tokens", "above max_tokens"),
        (HEAD.replace("macsum-doc", "macsum-dog"), 4, "training.schema", "macsum-doc"),
    ],
)
def test_a_fault_names_line_and_key(text, line, key, said):
    with pytest.raises(SchemaError) as error:
        parse(text)

    assert (error.value.line, error.value.key) == (line, key)
    assert said in str(error.value)


def test_a_data_file_that_is_not_there_is_told():
    with pytest.raises(SchemaError, match=r"there is no file /nowhere/train\.json"):
        parse(HEAD + '[data]\ntrain = "train.json"\n', data=None)


def paper(key):
    return parse(shipped_text(key), trained={other: Path("/hp") for other in shipped_trainings()})


@pytest.mark.parametrize("key", shipped_trainings())
def test_every_shipped_training_can_be_read_and_gives_a_system_that_can_be_read(key):
    config = paper(key)

    system = parse_config(system_text(config, config.base or "/new", Path("/weights"), "0" * 64))

    assert system.key == config.key == key
    if not config.ranks:
        assert system.settings.decoding == config.decoding
        assert system.settings.attributes == config.prompt.told


@pytest.mark.parametrize("data", ["macdoc", "macdial"])
@pytest.mark.parametrize("method", ["vanilla", "hp", "sp", "hp-sp"])
def test_the_shipped_settings_are_those_of_the_paper(method, data):
    config = paper(f"{method}-{data}")
    how, decoding = config.optimisation, config.decoding

    assert (how.warmup_steps, how.batch_size, how.accumulation, how.evaluate_every, how.epochs) == (500, 6, 4, 150, 300)
    assert (decoding.beams, decoding.length_penalty, decoding.no_repeat_ngram, decoding.min_tokens) == (4, 1.0, 3, 20)
    assert decoding.max_tokens == (350 if data == "macdoc" else 400)
    assert decoding.early_stopping  # of bart-large-cnn, which the released code leaves as it is
    assert how.selection == "loss"  # the released scripts name no other criterion
    assert (config.prompt.max_source_tokens, config.seed) == (1024, 42)
    assert (config.prefix.length, config.prefix.middle, config.prefix.combine) == (50, 512, "sum")
    rates = {"vanilla": (3e-5, None), "hp": (3e-5, None), "sp": (None, 3e-5), "hp-sp": (1e-6, 3e-5)}
    for item, rate in zip((how.learning_rate, how.prefix_learning_rate), rates[method], strict=True):
        assert rate in (None, item)


def test_the_untrained_backbone_stops_beams_early_as_its_own_settings_do():
    file = Path(epitome.systems.__file__).parent / "configs" / "bart-large-cnn.toml"
    assert parse_config(file.read_text(encoding="utf-8")).settings.decoding.early_stopping


def test_both_for_documents_starts_from_the_trained_prompt_and_has_no_prefix_for_the_length():
    doc, dial = paper("hp-sp-macdoc"), paper("hp-sp-macdial")

    assert (doc.base, dial.base) == ("/hp", "facebook/bart-large-cnn")
    assert "Length : short" in training_prompt(doc, example_of(doc))
    assert prefix_shape(doc).values == (
        "extractiveness=normal", "extractiveness=high", "extractiveness=full", "specificity=normal", "specificity=high",
    )  # fmt: skip
    assert "Length : short" in training_prompt(dial, example_of(dial))
    assert len(prefix_shape(dial).values) == 8
    assert (doc.optimisation.weight_decay, doc.optimisation.prefix_weight_decay) == (0.05, 0.01)


def test_the_system_of_both_for_documents_is_told_the_length_in_the_text_alone():
    doc = paper("hp-sp-macdoc")

    settings = parse_config(system_text(doc, doc.base, Path("/made/weights"), "0" * 64)).settings

    assert settings.prefix_attributes == ("extractiveness", "specificity")
    assert "length" in settings.attributes


def example_of(config):
    values = {"length": "short", "extractiveness": "full", "specificity": "high", "topic": ("rain",), "speaker": ()}
    request = Request(id="r", segments=({"speaker": "", "text": "It rained."},), values=values, schema=config.schema)
    return Example(request, "It rained.", "s")


def test_methods_tell_what_the_paper_tells():
    assert paper("vanilla-macdial").prompt.told == ("topic", "speaker")
    assert paper("sp-macdial").prompt.told == ("topic", "speaker")
    assert set(paper("hp-macdial").prompt.told) == {"topic", "speaker", "length", "extractiveness", "specificity"}


def test_the_system_of_prefixes_points_at_them_and_at_the_untouched_model():
    config = paper("sp-macdoc")

    settings = parse_config(system_text(config, config.base, Path("/made/weights"), "0" * 64)).settings

    assert isinstance(settings, PrefixSettings)
    assert (settings.weights, settings.prefixes) == ("facebook/bart-large-cnn", "/made/weights")
    assert settings.prefix_attributes == ("length", "extractiveness", "specificity")

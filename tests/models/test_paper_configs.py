"""The shipped trainings of CCSBench's Table 3 and MACSum's Table 7: each is read and built with tiny random weights."""

from pathlib import Path

import pytest

from epitome.metrics.published import find_table
from epitome.schema import load_preset
from epitome.systems.config import parse_config
from epitome.systems.protocol import Request
from epitome.systems.registry import make_system
from epitome.training.config import Data, parse_training
from epitome.training.data import Example, TrainingFault, is_asked_for, read_examples
from epitome.training.methods import prefix_shape, training_prompt
from epitome.training.shipped import shipped_text, shipped_trainings
from epitome.training.systems import system_text
from tests.models import tiny

ATTRIBUTES = ("length", "keywords", "readability", "focus")
TABLE_3 = {
    "B1": "ccs-lora-flan-t5-xl", "B2": "ccs-lora-flan-t5-xxl", "B3": "ccs-lora-llama2-7b", "B4": "ccs-lora-mistral-7b",
    "C1": "ccs-hp-flan-t5-large", "C2": "ccs-sp-flan-t5-large",
    "D1": "ccs-lorahub-flan-t5-xl", "D2": "ccs-adapter-fusion-flan-t5-xl",
}  # fmt: skip
TABLE_7 = ("hp-macdoc-bart-large", "hp-macdial-bart-large")
SINGLE = tuple(f"ccs-{kind}-flan-t5-xl-{name}" for kind in ("lora", "adapter") for name in ATTRIBUTES)
BUILT = (*SINGLE, *TABLE_3.values(), *TABLE_7)
ARCHITECTURES = {"flan-t5": "t5", "Llama": "llama", "Mistral": "llama", "bart": "bart"}
SMALLER = {
    "max_source_tokens = 2048": "max_source_tokens = 64", "max_source_tokens = 3696": "max_source_tokens = 64",
    "max_source_tokens = 1024": "max_source_tokens = 64", "max_tokens = 400": "max_tokens = 12",
    "max_tokens = 350": "max_tokens = 12", "min_tokens = 10": "min_tokens = 2", "min_tokens = 20": "min_tokens = 2",
    "middle = 512": "middle = 8", "length = 50": "length = 3", "rank = 16": "rank = 2", "beams = 4": "beams = 2",
}  # fmt: skip


def read(key, text="", trained=None):
    earlier = trained if trained is not None else {other: Path(f"/{other}") for other in shipped_trainings()}
    return parse_training(text or shipped_text(key), f"{key}.toml", Path("/nowhere"), data=Data(), trained=earlier)


@pytest.mark.parametrize("key", BUILT)
def test_a_configuration_is_the_papers(key):
    config = read(key)
    how = config.optimisation

    assert config.key == key
    if key in TABLE_7:
        plain = read(key.removesuffix("-bart-large"))
        assert config.base == "facebook/bart-large"
        assert (how, config.decoding, config.prompt) == (plain.optimisation, plain.decoding, plain.prompt)
        assert (how.patience, how.selection, config.decoding.early_stopping) == (0, "loss", True)
        return
    assert config.schema.key == "ccsbench"
    assert how.epochs == (20 if config.method != "lorahub" else 300) and how.selection == "cer-rouge"
    if config.method == "lora":
        assert how.learning_rate == 1e-4
        assert (config.adapter.lora.rank, config.adapter.lora.alpha) == (16, 32)
    single = key.rsplit("-", 1)[-1]
    assert config.data.asks == ((single,) if single in ATTRIBUTES else ())
    assert config.data.asks_at_least == (0 if single in ATTRIBUTES else 2)


def test_every_trained_row_of_the_printed_tables_has_a_configuration():
    printed = {row.key for row in find_table("ccsbench/systems").rows if not row.key.startswith("A")}
    assert printed == set(TABLE_3)
    assert set(BUILT) <= set(shipped_trainings())
    macsum = [f"{method}-{domain}" for domain in ("macdoc", "macdial") for method in ("vanilla", "hp", "sp", "hp-sp")]
    assert {*macsum, *TABLE_7} <= set(shipped_trainings())


def test_merging_and_fusion_start_from_the_four_single_attributes():
    for key, kind in (("ccs-lorahub-flan-t5-xl", "lora"), ("ccs-adapter-fusion-flan-t5-xl", "adapter")):
        folders = read(key).adapter.folders
        assert folders == {name: f"/ccs-{kind}-flan-t5-xl-{name}" for name in ATTRIBUTES}


def test_soft_prefixes_have_vectors_for_what_is_not_asked_for():
    values = prefix_shape(read("ccs-sp-flan-t5-large")).values

    assert [sum(value.startswith(f"{name}=") for value in values) for name in ATTRIBUTES] == [6, 0, 3, 3]
    assert {"length=", "readability=", "focus="} <= set(values)
    assert read("ccs-sp-flan-t5-large").prompt.told == ("keywords",)


def request(**values):
    words = "the cat sat on the mat and we went home before the rain"
    return Request("r", ({"speaker": "", "text": words},), values, load_preset("ccsbench"))


FULL = {"length": "1", "keywords": ("rain", "cat"), "readability": "high", "focus": "low"}


def test_what_is_not_asked_for_leaves_no_line_in_the_prompt():
    config = read("ccs-hp-flan-t5-large")

    prompt = training_prompt(config, Example(request(readability="high"), "", ""))
    assert prompt.startswith("Readability: high\n")
    assert not any(name in prompt for name in ("Length", "Keywords", "Focus"))


@pytest.mark.parametrize(
    ("values", "sets"),
    [
        ({"length": "1"}, {"length"}),
        ({"keywords": ("rain",), "length": ""}, {"keywords"}),
        ({"length": "1", "keywords": ()}, {"length"}),
        ({"length": "1", "focus": "low"}, {"compositional"}),
        (FULL, {"compositional"}),
        ({}, set()),
    ],
)
def test_each_set_is_told_by_what_is_asked_for(values, sets):
    example = Example(request(**values), "", "")
    choices = {name: read(f"ccs-lora-flan-t5-xl-{name}").data for name in ATTRIBUTES}
    choices["compositional"] = read("ccs-lora-flan-t5-xl").data

    assert {name for name, data in choices.items() if is_asked_for(example, data)} == sets


def test_a_file_without_the_set_is_told(tmp_path):
    data = Data(train=tiny.write(tmp_path / "train.json", 3, 1), asks=("length",))

    with pytest.raises(TrainingFault, match=r"none of the 3 summaries .* asks for exactly length"):
        read_examples(data, load_preset("macsum-doc"))
    assert len(read_examples(Data(train=data.train, asks_at_least=3), load_preset("macsum-doc"))[0]) == 3


@pytest.fixture(scope="module")
def models(folder_of, tmp_path_factory):
    """A folder with a tiny model under the name of every published one."""
    root = tmp_path_factory.mktemp("models")
    for key in BUILT:
        base = read(key).base
        architecture = next(kind for name, kind in ARCHITECTURES.items() if name in base)
        (root / base).parent.mkdir(exist_ok=True)
        if not (root / base).exists():
            (root / base).symlink_to(folder_of(architecture))
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """key -> folder of weights, each built once."""
    return {}, tmp_path_factory.mktemp("made")


def build(key, made):
    """The system of an untrained training in tiny size: what training would begin with, stored and loaded."""
    from epitome.training.lorahub_run import MergedModel
    from epitome.training.methods import make_trainee

    folders, room = made
    text = shipped_text(key)
    for published, small in SMALLER.items():
        text = text.replace(f"\n{published}", f"\n{small}")
    needed = [other for other in SINGLE if f"training:{other}" in text]
    for other in needed:
        if other not in folders:
            build(other, made)
    config = read(key, text, folders)
    if config.method == "lorahub":
        merged = MergedModel(config, {name: Path(folder) for name, folder in config.adapter.folders.items()})
        merged.use([0.5, 0.2, -0.1, 1.0])
        trainee = merged.trainee
    else:
        trainee = make_trainee(config)
    folders[key] = room / key
    trainee.save(folders[key])
    return config, make_system(parse_config(system_text(config, config.base, folders[key], "0" * 64)))


@pytest.mark.models
@pytest.mark.parametrize("key", BUILT)
def test_a_configuration_builds_a_system_that_writes(key, models, made, monkeypatch):
    monkeypatch.setenv("EPITOME_MODELS_DIR", str(models))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")

    config, system = build(key, made)
    schema = config.schema
    items = [FULL, {"readability": "normal"}] if schema.key == "ccsbench" else [{"length": "short"}]
    outputs = system.generate(
        [Request(f"r{number}", request().segments, values, schema) for number, values in enumerate(items)]
    )

    assert len(outputs) == len(items)
    assert all(output.weights for output in outputs)
    assert outputs[0].told == {name: items[0][name] for name in items[0] if name in system.follows}
    if config.method == "adapter-fusion":
        assert outputs[0].scores["fusion"]["adapters"] == list(ATTRIBUTES)

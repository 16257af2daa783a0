"""After training, prompt and prefix are obeyed; taken away, the length is a guess of one in three."""

import pytest

from annotation.schema import load_preset
from modelbridge.systems.config import parse_config
from modelbridge.systems.registry import make
from modelbridge.training.config import Data, parse_training
from modelbridge.training.data import read_examples
from modelbridge.training.run import train
from tests.models import tiny
from tests.models.training_text import training_text

pytestmark = [pytest.mark.models, pytest.mark.xdist_group("training")]

OBEYED, CHANCE = 0.95, (0.2, 0.47)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Files of the task, and a model that writes summaries of all three lengths without being told which."""
    folder = tmp_path_factory.mktemp("control")
    for name, count in (("train", 480), ("dev", 6), ("test", 90)):
        tiny.write(folder / f"{name}.json", count, seed=len(name) + count)
    learn(folder, "vanilla", training_text("vanilla", steps=VANILLA, learning_rate=4e-3))
    return folder


VANILLA = 150


def learn(folder, name, text):
    return train(parse_training(text, f"{name}.toml", folder), folder / name)


def obeyed(folder, system):
    _, examples = read_examples(Data(train=folder / "test.json", dev=folder / "test.json"), load_preset("macsum-doc"))
    outputs = make(parse_config(system)).generate([example.request for example in examples])
    return tiny.obeyed([example.request.value("length") for example in examples], [each.text for each in outputs])


def test_a_hard_prompt_is_obeyed_and_without_it_the_length_is_a_guess(room):
    result = learn(room, "hp", training_text("hp", base="vanilla/weights", steps=100, learning_rate=4e-3))

    assert obeyed(room, result.system) >= OBEYED
    bare = result.system.replace('attributes = ["length"]', "attributes = []")
    assert CHANCE[0] <= obeyed(room, bare) <= CHANCE[1]
    assert result.best["selection"] < 0.2


def test_soft_prefixes_are_obeyed_with_the_model_frozen_and_without_them_the_length_is_a_guess(room):
    text = training_text("sp", base="vanilla/weights", steps=300, prefix_learning_rate=5e-3)

    result = learn(room, "sp", text)

    assert obeyed(room, result.system) >= OBEYED
    assert f'weights = "{room / "vanilla/weights"}"' in result.system
    assert CHANCE[0] <= obeyed(room, without_prefixes(result.system)) <= CHANCE[1]


def without_prefixes(system):
    lines = [line for line in system.splitlines() if not line.startswith("prefix")]
    return "\n".join(lines).replace('kind = "soft-prefix"', 'kind = "seq2seq"')

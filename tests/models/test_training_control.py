"""The tiny trainings that come along, on the training example, with fewer updates: what is asked for is obeyed.

With prompt or prefixes taken away the length is a guess of one in three.
"""

import re

import pytest

from annotation.example.make_walks import N_SENTENCES, file_for_split
from epitome.schema import load_preset
from epitome.systems.config import parse_config
from epitome.systems.registry import make_system
from epitome.training.config import Data, parse_training
from epitome.training.data import read_examples
from epitome.training.run import run_training
from epitome.training.shipped import shipped_text

pytestmark = pytest.mark.models

OBEYED, CHANCE = 0.95, (0.2, 0.47)
WORDS_PER_SENTENCE = 5
STEPS = {"tiny-hp": 100, "tiny-sp": 60}


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return tmp_path_factory.mktemp("control")


@pytest.fixture(scope="module")
def hard_prompt(room):
    return learn(room, "tiny-hp")


def learn(room, key):
    data = Data(train=file_for_split("train"), dev=file_for_split("dev"), dev_samples=6)
    text = re.sub(r"\n(steps|evaluate_every) = \d+", rf"\n\1 = {STEPS[key]}", shipped_text(key))
    trained = {"tiny-hp": room / "tiny-hp/weights"}
    return run_training(parse_training(text, f"{key}.toml", room, data=data, trained=trained), room / key)


def obeyed(system):
    """The share of the held-out summaries with exactly as many words as asked for."""
    _, examples = read_examples(
        Data(train=file_for_split("test"), dev=file_for_split("test")), load_preset("macsum-doc")
    )
    outputs = make_system(parse_config(system)).generate([example.request for example in examples])
    results = [N_SENTENCES[example.request.value("length")] * WORDS_PER_SENTENCE for example in examples]
    return sum(len(out.text.split()) == n for out, n in zip(outputs, results, strict=True)) / len(examples)


def test_a_hard_prompt_is_obeyed_and_without_it_the_length_is_a_guess(hard_prompt):
    assert obeyed(hard_prompt.system) >= OBEYED
    bare = re.sub(r"attributes = \[.*\]", "attributes = []", hard_prompt.system)
    assert CHANCE[0] <= obeyed(bare) <= CHANCE[1]
    assert hard_prompt.best["cer_length"] < 0.1


def test_soft_prefixes_are_obeyed_with_the_model_frozen_and_without_them_the_length_is_a_guess(room, hard_prompt):
    result = learn(room, "tiny-sp")

    assert obeyed(result.system) >= OBEYED
    assert f'weights = "{hard_prompt.folder / "weights"}"' in result.system
    assert CHANCE[0] <= obeyed(without_prefixes(result.system)) <= CHANCE[1]


def without_prefixes(system):
    lines = [line for line in system.splitlines() if not line.startswith("prefix")]
    return "\n".join(lines).replace('kind = "soft-prefix"', 'kind = "seq2seq"')
